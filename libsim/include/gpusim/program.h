// Programs: what one warp does, in the dozen operations the memory hierarchy can tell apart.
//
// A Program is not PTX. An Operation is a run of `count` like warp instructions (64 FFMAs, 4 LDG.128s), and loop bodies
// are stored once: addresses are Layouts of lane, warp, repeat, block and loop indices. Registers appear as tokens,
// each standing for one fragment of the warp; the scoreboard follows tokens.
//
// The same Program is timed by the engine and executed on real numbers by the functional twin (functional.h), so every
// operation also has a meaning, given with each struct below. Timing contract (docs/timing.md): an operation of `count`
// instructions that starts at `s` on a pipe of interval `i` and latency `l` is complete at s + (count - 1) * i + l.
//
// Not modelled: register values inside the engine, divergence within a warp, instruction fetch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/ids.h"
#include "gpusim/layout.h"
#include "gpusim/units.h"

namespace gpusim {

using Token = Id<struct TokenTag>;  ///< index into Program::tokens

/// Holds where value(coordinates) < limit.
struct Bound {
  Layout value;
  std::int64_t limit = 0;
  bool operator==(const Bound&) const = default;
};

/// Each lane's place in a matrix in global memory. A lane reads or writes `vector` consecutive elements of one row,
/// beginning at (row, column); lanes that begin outside the buffer's rows or columns, or outside `lanes`, do nothing
/// (a load gives them zeros). A vector that begins inside may end in the row's padding.
struct GlobalAccess {
  BufferId buffer;
  Layout row;
  Layout column;
  int vector = 1;
  std::optional<Bound> lanes;  ///< depends on lane, warp and repeat only
  bool operator==(const GlobalAccess&) const = default;
};

/// Each lane's place in a tile in shared memory, in elements of that tile; the tile's own layout gives the banks.
struct SharedAccess {
  TileId tile;
  Layout stage;  ///< which of the tile's buffers
  Layout row;
  Layout column;
  int vector = 1;
  std::optional<Bound> lanes;  ///< depends on lane, warp and repeat only
  bool operator==(const SharedAccess&) const = default;
};

/// One slot of an mbarrier array.
struct BarrierSlot {
  BarrierId barrier;
  Layout slot;
  bool operator==(const BarrierSlot&) const = default;
};

/// LDG: `into` becomes the lanes' elements of the buffer.
struct LoadGlobal {
  GlobalAccess from;
  Token into;
};
/// STG: posted; the warp goes on once the store is accepted.
struct StoreGlobal {
  GlobalAccess to;
  Token from;
};
/// LDS or ldmatrix: `into` becomes the warp's elements of the tile, at their tile coordinates.
struct LoadShared {
  SharedAccess from;
  Token into;
};
/// STS: each lane stores what it loaded with the same repeat and vector element.
struct StoreShared {
  SharedAccess to;
  Token from;
};
/// cp.async: from global to shared memory beside the warp, in the group the next CommitGroup closes.
struct CopyAsync {
  GlobalAccess from;
  SharedAccess to;
};
/// cp.async.commit_group.
struct CommitGroup {};
/// cp.async.wait_group: until at most `pending` of the most recent groups are incomplete.
struct WaitGroup {
  int pending = 0;
};
/// TMA: one bulk tensor copy of a rows x columns box into a stage of a tile; its bytes complete on `done`. Elements
/// outside the buffer arrive as zeros and still count.
struct BulkCopy {
  BufferId buffer;
  Layout row;
  Layout column;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  TileId tile;
  Layout stage;
  BarrierSlot done;
};
/// mbarrier.arrive, with expect_tx of `expect` bytes. One arrival a warp.
struct BarrierArrive {
  BarrierSlot at;
  Bytes expect;
};
/// mbarrier.try_wait loop: until phase number `phase` of the slot has completed. Phases count from 0; a negative phase
/// is complete from the start.
struct BarrierWait {
  BarrierSlot at;
  Layout phase;
};

/// Where arithmetic runs.
enum class Pipe : std::uint8_t { fma, alu, sfu, tensor };
inline constexpr std::size_t pipe_count = 4;
[[nodiscard]] std::string_view name(Pipe pipe);

/// Shape of one tensor-core instruction, as the warp issues it.
struct MmaShape {
  int m = 16, n = 8, k = 16;
  bool operator==(const MmaShape&) const = default;
};

/// c += a b over the warp's fragments: FFMAs on the fma pipe, or mma.sync on the tensor pipe. Every pair of an `a`
/// element (i, k) and a `b` element (k, j) of equal k contributes to c (i, j). `count` says how many instructions that
/// is. Chained: it needs the first, not the last, of a preceding Multiply into the same `c` to be complete.
struct Multiply {
  Pipe pipe = Pipe::tensor;
  Token a, b, c;
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  MmaShape shape;  ///< tensor pipe only
};
/// c = alpha c + beta source, on the fma pipe. Without a source, c = alpha c.
struct Scale {
  Token c;
  std::optional<Token> source;
  double alpha = 1;
  double beta = 0;
};
/// Other arithmetic: no meaning for the twin. Index and loop arithmetic is `overhead`: exempt from serial issue.
struct Arithmetic {
  Pipe pipe = Pipe::alu;
  std::vector<Token> reads;
  std::optional<Token> writes;
  bool overhead = false;
};
/// bar.sync over all warps of the CTA; one that has exited counts as missing.
struct CtaBarrier {};

using Action = std::variant<LoadGlobal, StoreGlobal, LoadShared, StoreShared, CopyAsync, CommitGroup, WaitGroup,
                            BulkCopy, BarrierArrive, BarrierWait, Multiply, Scale, Arithmetic, CtaBarrier>;

/// What an Action is called in listings, traces and errors: "LDG", "LDGSTS", "HMMA" ...
[[nodiscard]] std::string_view name(const Action& action);

/// A run of `count` like warp instructions. With a guard, the run happens only where the bound holds (the guard may
/// depend on warp, block and loop indices, not on lanes); skipping costs nothing.
struct Operation {
  Action action;
  std::int64_t count = 1;
  std::optional<Bound> guard;
};

struct Statement;

/// `body`, `trips` times. Loops nest three deep; the innermost index is the highest loopN in use.
struct Loop {
  std::int64_t trips = 0;
  std::vector<Statement> body;
  bool steps_tiles = false;  ///< each trip finishes one k tile: Result's steady_cycles_per_tile counts these
};

struct Statement : std::variant<Operation, Loop> {
  using std::variant<Operation, Loop>::variant;
};

/// What one warp does, from its first instruction to its exit.
struct Program {
  std::vector<std::string> tokens;  ///< the fragments' names
  std::vector<Statement> body;

  /// A new fragment.
  Token token(std::string name);
};

/// Warp instructions one warp executes where every guard holds only as it does for `block_m`, `block_n`, `warp`: loops
/// and counts expanded. Zero-cost markers (none today) would not count.
[[nodiscard]] std::int64_t instruction_count(const Program& program, const Coordinates& at = {});

/// The program as a listing, like assembly: one operation a line, loops indented.
[[nodiscard]] std::string to_string(const Program& program);

}  // namespace gpusim
