// Actions: the warp instructions that the memory hierarchy can tell apart.
//
// Registers appear as tokens, each standing for one fragment of the warp. Each struct says what its instruction means:
// the engine times it and the functional twin (functional.h) executes it on real numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "gpusim/access.h"
#include "gpusim/arithmetic.h"
#include "gpusim/dtype.h"
#include "gpusim/layout.h"
#include "gpusim/units.h"

namespace gpusim {

/// LDG: `into` becomes the lanes' elements of the buffer. Their coordinates in the fragment are those in the buffer for
/// block 0, less the origin: what is multiplied as it comes counts k from its tile's beginning, as shared tiles do.
struct LoadGlobal {
  GlobalAccess from;
  Token into;
  bool bypass_l1 = false;  ///< ld.global.cg: cached in L2 only
  Layout origin_row;
  Layout origin_column;
};
/// STG: posted; the warp goes on once the store is accepted. Stored are the fragment's elements at the coordinates in
/// the buffer, for block 0, less the origin; or, `by_lane`, the values each lane loaded, in order.
struct StoreGlobal {
  GlobalAccess to;
  Token from;
  Layout origin_row;
  Layout origin_column;
  bool by_lane = false;
};
/// How a warp reads shared memory into registers.
enum class SharedRead : std::uint8_t {
  lds,             ///< each lane its own elements
  ldmatrix,        ///< each lane the address of 16 bytes; the warp deals them out as mma wants them. sm_75 and later
  ldmatrix_trans,  ///< the same, transposing 8x8 blocks of 16-bit elements
};
/// LDS or ldmatrix: `into` becomes the warp's elements of the tile, at their tile coordinates.
struct LoadShared {
  SharedAccess from;
  Token into;
  SharedRead how = SharedRead::lds;
};
/// Bytes of a warp's registers that one such instruction fills: every lane's own, whether it takes part or not; of
/// ldmatrix, those of as many 8x8 matrices as the first warp's lanes name rows of.
[[nodiscard]] std::int64_t filled_bytes(const LoadShared& load, std::int64_t element_bytes);
/// LDC: a value from constant memory that is cached; no meaning for the twin.
struct LoadConstant {
  Token into;
  std::optional<Token> address;  ///< none: an immediate address
};
/// RED, or ATOM when `into` is given: adds `from` to the lanes' elements of the buffer at L2; `into` becomes their old
/// values. The twin adds in order of CTA, warp and lane.
struct AtomicAdd {
  GlobalAccess to;
  Token from;
  std::optional<Token> into;
};
/// STS: of a fragment from global memory each lane stores in order the values it loaded; of any other, the elements at
/// the tile coordinates less the origin. Packed, of either: what goes to (row, column) is the fragment's element
/// (4 row + column mod 4, column / 4), less the origin: four rows become words, as DP4A takes them. Lanes have put
/// their own elements in that order before.
struct StoreShared {
  SharedAccess to;
  Token from;
  Layout origin_row;
  Layout origin_column;
  bool packs = false;
};
/// cp.async: from global to shared memory beside the warp, in the group the next CommitGroup closes.
struct CopyAsync {
  GlobalAccess from;
  SharedAccess to;
  bool through_l1 = false;  ///< cp.async.ca: may hit in L1 and fills it; else cp.async.cg
};
/// cp.async.commit_group.
struct CommitGroup {};
/// cp.async.wait_group: until at most `pending` of the most recent groups are incomplete.
struct WaitGroup {
  int pending = 0;
};
/// To which CTAs of the cluster a bulk copy delivers: the same stage and rows of the tile, the same slot of `done`.
enum class Multicast : std::uint8_t {
  none,     ///< the CTA's own
  along_m,  ///< those of equal place along n: they share B
  along_n,  ///< those of equal place along m: they share A
  cluster,  ///< all
};
/// TMA: one bulk tensor copy of a rows x columns box into a stage of a tile, from row `tile_row` on; its bytes complete
/// on `done`. Elements outside the buffer arrive as zeros and still count. Of a three-dimensional box, `planes` pieces
/// of `rows` rows lie `plane_rows` buffer rows apart and fill the tile one after another.
struct BulkCopy {
  BufferId buffer;
  Layout row;
  Layout column;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  TileId tile;
  Layout stage;
  BarrierSlot done;
  int rank = 2;  ///< dimensions of the tensor map; 0: cp.async.bulk without one, of consecutive bytes
  std::int64_t planes = 1;
  std::int64_t plane_rows = 0;
  Layout layer;     ///< of a buffer with several
  Layout tile_row;  ///< first row of the tile that is filled
  Multicast multicast = Multicast::none;
  Layout tile_column;  ///< first column of the tile that is filled
};
/// TMA: a rows x columns box of a stage of a tile, from row `tile_row` on, to the buffer; elements that lie outside the
/// buffer are left out. May read shared memory at any time until its BulkWait: what is changed before is
/// undefined (the twin stores NaN). In the group the next BulkCommit closes.
struct BulkStore {
  TileId tile;
  Layout stage;
  Layout tile_row;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  BufferId buffer;
  Layout row;
  Layout column;
  Layout layer;
  bool reduce = false;  ///< cp.reduce.async.bulk: adds to what is there, at L2
  Layout tile_column;   ///< first column of the tile that is stored
};
/// cp.async.bulk.commit_group.
struct BulkCommit {};
/// cp.async.bulk.wait_group.read: until of all but `pending` of the most recent groups the shared memory has been read.
struct BulkWait {
  int pending = 0;
};
/// mbarrier.arrive, with expect_tx of `expect` bytes. One arrival a warp.
struct BarrierArrive {
  BarrierSlot at;
  Bytes expect;
  /// Rank in the cluster, modulo its size, of the CTA whose mbarrier is meant. None: the CTA's own.
  std::optional<Layout> peer;
};
/// mbarrier.try_wait loop: until phase number `phase` of the slot has completed. Phases count from 0; a negative phase
/// is complete from the start.
struct BarrierWait {
  BarrierSlot at;
  Layout phase;
};

/// Shape of one tensor-core instruction, as the warp issues it.
struct MmaShape {
  int m = 16, n = 8, k = 16;
  bool operator==(const MmaShape&) const = default;
};

/// What an instruction's operands ask of the register file: the busiest of its banks delivers `operands` (each of 32
/// bits a lane) over `instructions` instructions. Operands that come from the reuse cache do not count.
struct RegisterReads {
  std::int64_t operands = 0;
  std::int64_t instructions = 1;
  bool operator==(const RegisterReads&) const = default;
};

/// c += a b over the warp's fragments: FFMAs on the fma pipe, or mma.sync on the tensor pipe. Of fp16 sums the fma pipe
/// has HFMA2s, whose lanes add a product each to one or two neighbouring elements of c. Of int8 it has IDPs, DP4A: a
/// lane's adds up four products along k. Their operands are packed: a's, and b's, element (w, 4 j + e) is
/// what else would be element (4 w + e, j). Every pair of an `a`
/// element (i, k) and a `b` element (k, j) of equal k contributes to c (i, j). `count` says how many instructions that
/// is. Chained: it needs the first, not the last, of a preceding Multiply into the same `c` to be complete. Of a
/// transposed operand, element (k, i) or (j, k) is meant.
struct Multiply {
  Pipe pipe = Pipe::tensor;
  Token a, b, c;
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  MmaShape shape;       ///< tensor pipe only
  bool sparse = false;  ///< tensor pipe: 2:4 sparse `a`, half of it stored; the shape's k counts its zeros
  bool a_transposed = false;
  bool b_transposed = false;
  std::optional<RegisterReads> reads;  ///< fma pipe; none: banks do not limit it
};
/// Whether its instructions are IDPs.
[[nodiscard]] constexpr bool is_dot_product(const Multiply& multiply) {
  return multiply.pipe == Pipe::fma && multiply.input == DType::int8;
}
/// Whether they are HFMA2s.
[[nodiscard]] constexpr bool is_half_product(const Multiply& multiply) {
  return multiply.pipe == Pipe::fma && multiply.accumulate == DType::fp16;
}
/// Which half of a 2:4 sparse matrix is stored, as words of 32 bits: of each stored element two bits say its place
/// among four consecutive k, the first element's being the lowest. A word has a row's next 32 k; `words` of them lie
/// side by side, then those of the next row: element (i, j) of `fragment` is of row j / words, from k = 32 (words i + j
/// % words) on.
struct Metadata {
  Token fragment;
  int words = 1;
  bool operator==(const Metadata&) const = default;
};
/// wgmma.mma_async, or with metadata wgmma.mma_async.sp: c += a b, with b, and a unless it is a fragment, read from
/// shared memory while the warps go on. The four warps of a warp group (aligned to four within the CTA) issue it
/// together; each names its own part of a and c, all of them the same b. A lane may name a whole row of an operand:
/// `vector` has no limit here. Of a transposed operand (a is k x m, b is n x k) it names `vector` elements of a column,
/// from (row, column) down, and a transposed fragment a has element (k, i). A transposed c has element (j, i). Of a
/// sparse a half is stored, its columns being those of what is stored; the shape's k counts its zeros. Waited for as a
/// group.
struct WarpgroupMultiply {
  std::variant<SharedAccess, Token> a;
  SharedAccess b;
  Token c;
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  MmaShape shape{64, 128, 16};
  bool a_transposed = false;  ///< from shared memory: 16-bit types only
  bool b_transposed = false;
  bool c_transposed = false;
  std::optional<Metadata> metadata;  ///< of a 2:4 sparse a of a 16-bit type; none: dense
};
/// wgmma.commit_group.
struct WarpgroupCommit {};
/// wgmma.wait_group: until at most `pending` of the warp's most recent groups are incomplete.
struct WarpgroupWait {
  int pending = 0;
};
/// What is done to each element of a result.
enum class Activation : std::uint8_t { none, relu, gelu, silu };
[[nodiscard]] constexpr std::array<std::string_view, 4> names_of(Activation) {
  return {"none", "relu", "gelu", "silu"};
}
/// What a product of blocks is multiplied by, element by element: element (0, row) of `rows`, and element (j, `k`) of
/// `columns`, where j numbers blocks of `width` columns, `before` columns of the first of which lie before c's column
/// 0.
struct BlockFactors {
  Token rows;
  Token columns;
  std::int64_t width = 128;
  Layout before;
  Layout k;
  bool operator==(const BlockFactors&) const = default;
};
/// c = activation(alpha c + beta source + bias), on the fma pipe; a term whose fragment is not given is left out. The
/// source may hold a part of c's elements: the others go without that term. Of `bias` the element of row 0 and c's
/// column is added. With `factors` the source is multiplied by them first; that each lane has their products is other
/// instructions' work.
struct Scale {
  Token c;
  std::optional<Token> source;
  double alpha = 1;
  double beta = 0;
  std::optional<Token> bias;
  Activation activation = Activation::none;
  std::optional<BlockFactors> factors;
};
/// Other arithmetic: no meaning for the twin. Index and loop arithmetic is `overhead`: exempt from serial issue.
struct Arithmetic {
  Pipe pipe = Pipe::alu;
  std::vector<Token> reads;
  std::optional<Token> writes;  ///< from no reads: zeros, as an accumulator begins; the twin sees that only
  bool overhead = false;
};
/// bar.sync over all warps of the CTA; one that has exited counts as missing.
struct CtaBarrier {};
/// barrier.cluster.arrive and wait over all warps of the cluster; `relaxed` orders no memory.
struct ClusterBarrier {
  bool relaxed = false;
};

/// A barrier over all CTAs of the grid, which must all be resident: the CTA's warps meet, an atomic at L2 counts the
/// CTA once its stores are there, and one thread polls until all have been counted. One that does not wait goes on when
/// the atomic has been answered; where none but the grid's last CTA waits, they need not all be resident.
struct GridBarrier {
  bool waits = true;
};
/// setmaxnreg: from here on the role's warps have so many registers a thread.
struct RegisterReallocate {
  int registers = 0;
};

using Action =
    std::variant<LoadGlobal, StoreGlobal, LoadShared, StoreShared, CopyAsync, CommitGroup, WaitGroup, BulkCopy,
                 BarrierArrive, BarrierWait, Multiply, Scale, Arithmetic, CtaBarrier, LoadConstant, AtomicAdd,
                 WarpgroupMultiply, WarpgroupCommit, WarpgroupWait, ClusterBarrier, BulkStore, BulkCommit, BulkWait,
                 GridBarrier, RegisterReallocate, Map, Reduce, Shuffle, TransposeMatrices>;

/// What an Action is called in listings, traces and errors: "LDG", "LDGSTS", "HMMA" ...
[[nodiscard]] std::string_view name(const Action& action);

}  // namespace gpusim
