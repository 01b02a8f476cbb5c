// How a matrix product (gpusim/schedules/gemm.h) is cut, and what of it is a kernel's choice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/schedule.h"

namespace gpusim::schedules {

enum class GemmVariant : std::uint8_t { naive, coalesced, simt, tensor, async, tma, wgmma };
[[nodiscard]] constexpr std::array<std::string_view, 7> names_of(GemmVariant) {
  return {"naive", "coalesced", "simt", "tensor", "async", "tma", "wgmma"};
}
[[nodiscard]] std::string_view name(GemmVariant variant);
[[nodiscard]] std::optional<GemmVariant> gemm_variant_named(std::string_view text);

struct GemmTile {
  int m = 128, n = 128, k = 32;
  bool operator==(const GemmTile&) const = default;
};

/// Rows and columns of a part of the tile. 0 x 0: chosen.
struct GemmShape {
  int m = 0, n = 0;
  bool operator==(const GemmShape&) const = default;
};

/// How an operand's tile lies in shared memory.
enum class SharedLayout : std::uint8_t {
  automatic,  ///< free of conflicts for the variant: simt pads rows along k and what is turned, the others swizzle
  plain,
  padded,     ///< rows an odd number of 16-byte chunks apart (simt with 4-byte reads of what is not turned: of banks)
  swizzle32,  ///< XOR swizzle over so many bytes
  swizzle64,
  swizzle128,
};
[[nodiscard]] constexpr std::array<std::string_view, 6> names_of(SharedLayout) {
  return {"automatic", "plain", "padded", "swizzle32", "swizzle64", "swizzle128"};
}
/// Which elements of a thread's tile it has, along one side (simt).
enum class ElementOrder : std::uint8_t {
  automatic,   ///< columns in vectors; rows too where A has them along the rows of shared memory, else strided
  strided,     ///< single elements, as many apart as there are threads along the side
  vectors,     ///< vectors of 16 bytes, strided
  contiguous,  ///< one run
};
[[nodiscard]] constexpr std::array<std::string_view, 4> names_of(ElementOrder) {
  return {"automatic", "strided", "vectors", "contiguous"};
}
/// How C leaves the registers.
enum class Epilogue : std::uint8_t {
  direct,  ///< as the multiplication left it
  staged,  ///< through shared memory, whole rows at a time
  tma,     ///< through shared memory, with bulk stores
};
[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(Epilogue) { return {"direct", "staged", "tma"}; }
/// Which CTAs of a cluster bring an operand that some of them share.
enum class MulticastBy : std::uint8_t {
  each,   ///< each a part of its rows, for all of them
  first,  ///< the first of them all of it
};
[[nodiscard]] constexpr std::array<std::string_view, 2> names_of(MulticastBy) { return {"each", "first"}; }
/// How slices of k become one C.
enum class SplitReduction : std::uint8_t {
  kernel,   ///< fp32 partial products in a workspace, added up by a second kernel
  atomics,  ///< added to C, which begins as zeros, at L2
};
[[nodiscard]] constexpr std::array<std::string_view, 2> names_of(SplitReduction) { return {"kernel", "atomics"}; }

/// How the product is cut and scheduled. gemm() takes it as it stands; choose() fills one in for a GPU.
struct GemmTiling {
  GemmTile tile;
  GemmVariant variant = GemmVariant::async;
  /// Buffers in shared memory. async, tma, wgmma: 2 and more; simt: 1, with prefetch 2 as well, else 2 and more with
  /// cp.async; tensor: 1, with prefetch 2 as well. 0: 4, of simt and tensor 1.
  int stages = 0;
  bool specialize = false;  ///< tma, wgmma: a producer warp issues the copies and fills every free buffer
  int fragment_k = 0;    ///< k elements read from shared memory at a time; 0: 16 bytes for simt, tile.k for the others
  int registers = 0;     ///< a thread; 0: estimate_registers
  int reserved = 0;      ///< bytes of shared memory, in whole lines of 128, that a CTA asks for beside what it uses
  MmaShape instruction;  ///< tensor variants; wgmma: n 0 is the whole of the warp group's tile, at most 256

  GemmShape warp_tile;    ///< of C, one warp's; 0 x 0: shared out as squarely as possible
  GemmShape thread_tile;  ///< simt: of C, one thread's
  /// simt, tensor, async: groups of warps that each have the CTA's whole tile of C as accumulators and multiply their
  /// part of each k tile (CUTLASS's sliced-K, cuBLAS's sliced1x4); tiles of warps and threads are one group's. All
  /// warps copy. In the end the groups' sums are added up through shared memory (docs/schedules.md)
  int cta_slices = 1;
  ElementOrder order_m = ElementOrder::automatic;
  ElementOrder order_n = ElementOrder::automatic;
  /// simt: the lanes of a warp are numbered two rows down before the next column (CUTLASS's RowMajorInterleaved<2>), so
  /// that reads of 16 bytes of either operand find neighbours, or next but one, at the same place, and quarters of the
  /// warp are served together. false: along the row
  bool pair_lanes = false;
  int vector_a = 0;  ///< elements a lane moves at a time from global memory; 0: 16 bytes where rows allow it
  int vector_b = 0;
  /// simt: threads of the CTA, at most 32, that copy the tile side by side along its rows in memory, each a run of
  /// neighbouring elements, vector by vector, of neighbouring rows (CLBlast's MDIMA and NDIMB). 0: neighbouring lanes
  /// copy neighbouring vectors
  int copy_lanes_a = 0;
  int copy_lanes_b = 0;
  int read_a = 0;  ///< simt: elements of a fragment of A a lane reads from shared memory at a time; 0: 16 bytes
  int read_b = 0;
  SharedLayout shared_a = SharedLayout::automatic;
  SharedLayout shared_b = SharedLayout::automatic;
  /// simt, tensor: A lies in shared memory with m along its rows, whatever its layout in memory
  bool transpose_a = false;
  bool transpose_b = false;  ///< the same: B with n along its rows
  bool stage_a = true;       ///< simt, tensor: through shared memory; else fragments are read from global memory
  bool stage_b = true;
  /// simt, through registers: threads that a tile has no vector for load one all the same, of the rows that follow it
  /// in memory, and do not store it (kernels whose threads ask where a vector goes, but not whether to load it)
  bool overfetch = false;
  /// simt, tensor, through registers: each loaded vector is stored to local memory and loaded back before it goes on,
  /// and an operand's before the next one's are loaded (what compilers make of a vector whose elements are written by
  /// an index)
  bool through_local = false;
  /// simt: an FFMA takes what the one before it read from the reuse cache. false: each reads three operands, half of
  /// them from either register bank, as where warps take turns after every FFMA
  bool reuse_operands = true;
  bool prefetch = false;  ///< simt, tensor: the next tile is loaded into registers while this one is multiplied
  /// tensor without prefetch: loads of a lane that are on their way to registers at a time; the next begin when these
  /// have been stored, as in a loop that is not unrolled. 0: a whole tile's
  int load_batch = 0;
  /// naive, coalesced, simt: integer instructions of a warp for each k tile, before its loads, beyond the steps of
  /// pointers and loop that there always are: places worked out anew, in 64 bits, compared with the matrix's sides.
  /// tensor, async: the same, shared out over the tile's steps, before their fragments are read. As many as the
  /// compiler made; 0: none, as in a library
  int index_overhead = 0;
  bool double_buffer = false;  ///< fragments of the next step are read while this step's are multiplied
  /// simt with double_buffer: steps through a tile's k in one iteration of the compiler's loop, a part of them all.
  /// Fragments are read ahead inside an iteration alone, the first of the next when it is done. 0: all of them
  int unroll = 0;
  /// With double_buffer: async of 2 stages and more, tensor with prefetch, and simt with both, read the next tile's
  /// first fragments while this one's last are multiplied, where its steps are even in number. false: each begins anew
  bool carry_over = true;
  /// tensor, async with double_buffer: what a step reads is issued among its multiplications, as ptxas has CUTLASS's
  /// loops, and, where fragments carry over, what it copies; with 3 stages and more copies are then spread over all
  /// steps of a tile but the last. With prefetch loads (but those through local memory) are among those of the first
  /// half of the steps, each waited for alone where they are few enough. Else both come before the multiplications,
  /// copies in the first step. simt with double_buffer: copies that pass registers by are shared out among all steps of
  /// a tile; with prefetch and carry_over loads are among the first half of the steps, and stores among the others but
  /// the last
  bool interleave = false;
  /// simt, tensor, async: what L2 lacks of A and B comes from DRAM in whole lines (.L2::128B, from sm_75 on)
  bool whole_lines = false;
  bool ldmatrix = true;  ///< tensor, async, tma; false: fragments are read by 32-bit LDS
  int matrices_a = 4;    ///< 8x8 matrices of A that an ldmatrix reads at most: 4, 2 or 1
  int matrices_b = 4;
  /// wgmma: CTAs work out C's transpose, B and A with their own transposed (CUTLASS's swap of A and B): the tile's
  /// rows, those of clusters, consumers and tile orders lie along n, its columns along m, and what is told of A here is
  /// B's. So the operand that may pass through registers, whose k need not lie along its rows, is B. Bulk stores take
  /// C's tile as C lies, turned on its way to shared memory
  bool swap_ab = false;
  int consumers = 1;  ///< wgmma: warp groups that multiply; they share the tile along m
  /// wgmma with specialize and `ctas`: two consumer groups, each with tiles of its own, which they take in turns: one
  /// multiplies while the other's C leaves (CUTLASS's ping-pong kernels; "warpgroupsize1x1x1" with 384 threads in
  /// cuBLAS 12). A tile is one group's
  bool pingpong = false;
  /// wgmma: the sums of each k tile are added to others, in fp32 and on the FMA pipe, as DeepGEMM and CUTLASS do with
  /// fp8, whose tensor cores sum in fewer bits, or whose blocks have a scale each; 64 rows of a group at a time, so
  /// that only theirs are there twice (of a sparse A all). Of GemmProblem::block_scales, with the blocks' factors
  bool promote = false;
  /// tma, wgmma with specialize: consumers arrive at the mbarrier of a full stage too, as wait(arrive()) of
  /// cuda::barrier does, so that none begins a k tile before all have come to it
  bool consumers_arrive = false;
  int producer_registers = 0;  ///< wgmma with specialize: setmaxnreg; 0: none
  int consumer_registers = 0;
  GemmShape cluster{1, 1};  ///< CTAs along m and n
  bool multicast = true;  ///< wgmma, tma in a cluster: CTAs that share an operand bring it for all of them, as follows
  MulticastBy multicast_by = MulticastBy::each;
  std::int64_t ctas = 0;     ///< persistent CTAs that walk the tiles; 0: one for each tile
  bool consecutive = false;  ///< persistent: neighbouring tiles
  TileOrder order = TileOrder::row;
  std::int64_t group = 8;  ///< of TileOrder::grouped
  int split_k = 1;
  SplitReduction reduction = SplitReduction::kernel;
  /// With `ctas`: all k tiles dealt evenly. Parts of tiles are added by atomics, to a C of fp32 to which nothing else
  /// is done, else to a workspace of which gemm_kernels' second kernel makes C
  bool stream_k = false;
  Epilogue epilogue = Epilogue::direct;
  /// wgmma with Epilogue::tma: C leaves so many columns at a time, through two buffers of as many that take turns
  /// (CUTLASS's EpilogueTile), which leaves the stages more of shared memory. 0: all of them, through one
  int epilogue_columns = 0;
  /// wgmma with Epilogue::tma, of elements of 16 bits: registers reach shared memory as 8x8 matrices, a row of 16 bytes
  /// a lane's address (stmatrix, with swap_ab its .trans). Else by STS, of pairs, or with swap_ab of single elements
  bool stmatrix = false;
};

}  // namespace gpusim::schedules
