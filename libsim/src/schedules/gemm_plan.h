// How a GEMM is shared out: k tiles, warps, and what each warp and lane computes. Everything gemm() needs to write
// programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/schedules/gemm.h"
#include "sizes.h"

namespace gpusim::schedules {

/// Whether an operand is stored the other way round: A with m along its rows, B with k.
[[nodiscard]] constexpr bool is_a_transposed(GemmLayout layout) {
  return layout == GemmLayout::tn || layout == GemmLayout::tt;
}
[[nodiscard]] constexpr bool is_b_transposed(GemmLayout layout) {
  return layout == GemmLayout::nt || layout == GemmLayout::tt;
}

/// Bytes: of a register; that a lane moves at most at a time, and that are kept together in shared memory; of the
/// widest swizzle.
inline constexpr int register_bytes = 4;
inline constexpr int vector_bytes = 16;
inline constexpr int widest_swizzle = 128;
/// The 8 x 8 matrices that ldmatrix and mma deal out, a row of one to four lanes.
inline constexpr int matrix_rows = 8;
inline constexpr int quad = 4;
/// A 16-bit element: the widest that can be transposed on its way.
inline constexpr int half_bytes = 2;

/// Of a product as it is tiled, whether wgmma can read both matrices: it turns elements of 16 bits, and of 4 bytes an A
/// that passes through registers.
[[nodiscard]] constexpr bool groups_can_read(DType dtype, GemmLayout layout) {
  if (size_of(dtype) == half_bytes) return true;
  return size_of(dtype) == register_bytes ? is_b_transposed(layout) : layout == GemmLayout::nt;
}
[[nodiscard]] constexpr bool passes_through_registers(const GemmProblem& tiled) {
  return size_of(tiled.dtype) != half_bytes && is_a_transposed(tiled.layout);
}
/// Whether wgmma can read the matrices of the product's transpose alone.
[[nodiscard]] bool needs_swap(const GemmProblem& problem);

/// How many pieces of at most `most` an extent is cut into.
[[nodiscard]] constexpr std::int64_t pieces(std::int64_t extent, std::int64_t most) {
  return (extent + most - 1) / most;
}

/// Indices into the schedule's buffers: C's is the workspace where slices of k are added up by a kernel.
inline constexpr BufferId buffer_a{0};
inline constexpr BufferId buffer_b{1};
inline constexpr BufferId buffer_c{2};
inline constexpr BufferId buffer_bias{3};
/// What of a lane is not in registers, spilled or on its way: the last of the buffers.
inline constexpr const char* local_memory = "local";
/// And into its tiles in shared memory, where both operands are staged; GemmPlan says where not.
inline constexpr TileId tile_a{0};
inline constexpr TileId tile_b{1};

/// A rows x columns block.
struct Extent {
  int rows = 0;
  int columns = 0;
  bool operator==(const Extent&) const = default;
};

inline constexpr int pingpong_groups = 2;

/// How the k tiles of A or B get from memory to what multiplies them.
struct OperandPlan {
  bool transposed = false;         ///< in memory: A k x m, B n x k
  bool shared_transposed = false;  ///< in shared memory; where not staged, as in memory
  bool staged = true;              ///< through shared memory at all
  Extent memory;                   ///< one k tile as it lies in memory
  Extent shared;                   ///< and in shared memory
  Bytes pitch;                     ///< of its rows there
  Swizzle swizzle = Swizzle::none;
  int copy_vector = 1;    ///< elements a lane moves from memory at a time
  int store_vector = 1;   ///< and stores to shared memory
  bool in_words = false;  ///< simt of int8: shared memory has words of four along k
  int block_rows = 1;     ///< of memory, which a lane loads one after the other and packs into words
  int copy_lanes = 0;     ///< simt: along a row of the copied tile, each with a run; 0: neighbouring vectors
  int side_by_side = lanes_per_warp;  ///< of these at most so many of a row
  int read_vector = 1;                ///< simt: elements of its fragment a lane reads at a time

  /// Stored across on its way to shared memory, an element at a time.
  [[nodiscard]] bool is_turned() const { return !in_words && shared_transposed != transposed; }
};

/// Slices of k leave partial products in a workspace, for gemm_kernels' second kernel.
[[nodiscard]] constexpr bool leaves_partials(const GemmTiling& tiling) {
  return tiling.split_k > 1 && tiling.reduction == SplitReduction::kernel;
}
/// Type of the elements that leave the CTA: of C, or of partial products.
[[nodiscard]] constexpr DType leaving_type(const GemmProblem& problem, const GemmTiling& tiling) {
  return leaves_partials(tiling) ? DType::fp32 : result_type(problem);
}

struct GemmPlan {
  GemmProblem problem;  ///< as it is tiled: with swap_ab, the transpose of the one posed
  GemmProblem posed;
  GemmTiling asked;   ///< as it was given
  GemmTiling tiling;  ///< every automatic choice resolved
  std::int64_t k_tiles = 0;
  std::int64_t slice_tiles = 0;  ///< k tiles of one slice of k; the last may have fewer
  Extent warps;                  ///< that compute: their grid over the CTA's tile, one slice's
  Extent warp_tile;              ///< of C, computed by one warp
  Extent lanes;                  ///< simt: grid of lanes over the warp's tile
  Extent thread_tile;            ///< simt: of C, computed by one lane
  OperandPlan a;
  OperandPlan b;
  OperandPlan metadata;    ///< wgmma of a sparse A: words of 32 bits, as gpusim::Metadata has them
  int metadata_words = 0;  ///< of a row, side by side; 0: A is dense, or multiplied by mma.sync
  int spilled = 0;  ///< simt: accumulators of a lane that come from local memory and go back for a step of k, or two
  int spill_slots = 0;  ///< and the places in local memory that they share in turn

  /// Of one of the CTA's slices, and of them all.
  [[nodiscard]] int slice_warps() const { return warps.rows * warps.columns; }
  [[nodiscard]] int compute_warps() const { return slice_warps() * tiling.cta_slices; }
  /// k of a k tile that each slice of the CTA multiplies.
  [[nodiscard]] int slice_k() const { return tiling.tile.k / tiling.cta_slices; }
  /// naive, coalesced and simt multiply on the FMA pipe.
  [[nodiscard]] bool on_tensor_cores() const { return tiling.variant >= GemmVariant::tensor; }
  /// simt of int8: DP4A, whose operands are words of four elements along k. In shared memory a row has the words of all
  /// rows of A, or columns of B, for four k: a tile of k / 4 by 4 m, or 4 n, elements.
  [[nodiscard]] bool has_dot_products() const {
    return tiling.variant == GemmVariant::simt && problem.dtype == DType::int8;
  }
  /// Without tensor cores, of fp16 sums: HFMA2. A register has two neighbouring elements of C, of a row where a thread
  /// has an even number of columns, else of a column; {1, 1} where both are odd: half of the lanes' work is lost.
  [[nodiscard]] bool has_half_sums() const { return !on_tensor_cores() && problem.accumulate == DType::fp16; }
  [[nodiscard]] Extent pair() const {
    if (!has_half_sums()) return {1, 1};
    if (thread_tile.columns % products_of_a_pair == 0) return {1, products_of_a_pair};
    return {thread_tile.rows % products_of_a_pair == 0 ? products_of_a_pair : 1, 1};
  }
  /// Products along k that a lane's instruction adds up, without tensor cores.
  [[nodiscard]] int products_at_once() const { return has_dot_products() ? products_of_a_dot : 1; }
  /// Bytes that a fragment has of each of its rows or columns for a step of k.
  [[nodiscard]] int fragment_bytes() const { return products_at_once() * size_of(problem.dtype); }
  /// Tiles go from memory to shared memory through registers, by LDG and STS.
  [[nodiscard]] bool through_registers() const {
    return tiling.variant == GemmVariant::tensor || (!on_tensor_cores() && (tiling.stages == 1 || tiling.prefetch));
  }
  /// Steps in which a warp reads its fragments of one k tile.
  [[nodiscard]] int fragment_steps() const { return slice_k() / tiling.fragment_k; }
  /// simt: those of an iteration of the loop over them.
  [[nodiscard]] int unrolled_steps() const {
    if (!tiling.double_buffer) return 1;
    return tiling.unroll > 0 ? tiling.unroll : fragment_steps();
  }
  /// Registers of a thread that hold its sums.
  [[nodiscard]] int sum_registers() const {
    if (!on_tensor_cores()) return accumulators() / (pair().rows * pair().columns);
    return (accumulators() * size_of(problem.accumulate) + register_bytes - 1) / register_bytes;
  }
  /// Elements of C that a lane accumulates.
  [[nodiscard]] int accumulators() const { return warp_tile.rows * warp_tile.columns / lanes_per_warp; }
  /// Those that it finishes and stores: the CTA's slices share the tile for that.
  [[nodiscard]] int result_elements() const { return accumulators() / tiling.cta_slices; }

  /// CTAs walk the tiles: the outermost loop is over their items, and the loop over k is the second.
  [[nodiscard]] bool persistent() const { return tiling.ctas > 0; }
  /// Copies run ahead of the loop over k in the program of all warps, not in that of a producer.
  [[nodiscard]] bool runs_ahead() const {
    return !tiling.specialize && (tiling.prefetch || (tiling.variant != GemmVariant::tensor && tiling.stages > 1));
  }
  /// Each item's pipeline begins anew, and so does its count of k tiles, which may end anywhere.
  [[nodiscard]] bool restarts_k() const { return tiling.stream_k && runs_ahead(); }
  /// Items differ in where their k begins, or in how long it is.
  [[nodiscard]] bool slices_k() const { return tiling.split_k > 1 || tiling.stream_k; }
  /// Partial products go to a workspace of fp32 for gemm_kernels' second kernel.
  [[nodiscard]] bool to_workspace() const { return leaves_partials(tiling); }
  /// Partial products are added to C at L2.
  [[nodiscard]] bool adds_atomically() const {
    return (tiling.stream_k && !fixes_up()) || (tiling.split_k > 1 && tiling.reduction == SplitReduction::atomics);
  }
  /// stream_k where C cannot take partial products, as it is not fp32 or something is left to do with the whole sum:
  /// they are added to a workspace, from which gemm_kernels' second kernel finishes the tiles that were cut.
  [[nodiscard]] bool fixes_up() const;
  /// stream_k cuts some tile: not all CTAs' shares of k tiles are whole tiles.
  [[nodiscard]] bool cuts_tiles() const;
  /// Some of a lane's values are in local memory.
  [[nodiscard]] bool has_local_memory() const { return spilled > 0 || tiling.through_local; }
  /// Type of the sums in that workspace.
  [[nodiscard]] DType partial_type() const {
    return size_of(problem.accumulate) < size_of(DType::fp32) ? DType::fp32 : problem.accumulate;
  }
  /// wgmma: blocks of 64 rows that a group has.
  [[nodiscard]] int row_blocks() const { return tiling.tile.m / tiling.consumers / wgmma_rows; }
  /// Of them those that it multiplies before it promotes their sums: without promotion, or with a sparse A, whose
  /// metadata serve them all, all.
  [[nodiscard]] int promoted_blocks() const { return tiling.promote && !problem.sparse ? 1 : row_blocks(); }
  /// wgmma: A reaches it through registers.
  [[nodiscard]] bool has_a_in_registers() const {
    return tiling.variant == GemmVariant::wgmma && passes_through_registers(problem);
  }
  /// wgmma moves a sparse A's metadata.
  [[nodiscard]] bool has_metadata() const { return metadata_words > 0; }
  [[nodiscard]] bool has_block_scales() const { return problem.block_scales; }
  /// That workspace among the buffers, and metadata or scales: after C and the bias.
  [[nodiscard]] BufferId partials() const { return BufferId{problem.bias ? 4 : 3}; }
  [[nodiscard]] BufferId metadata_buffer() const { return BufferId{partials().index() + (fixes_up() ? 1 : 0)}; }
  /// Type of the elements that leave the CTA.
  [[nodiscard]] DType result_type() const { return leaving_type(problem, tiling); }
  [[nodiscard]] std::int64_t layers() const { return problem.batch * tiling.split_k; }
  /// Bias and activation, beta and alpha: what this kernel does to C before it stores it.
  [[nodiscard]] bool scales() const {
    return !to_workspace() &&
           (problem.alpha != 1 || problem.beta != 0 || problem.bias || problem.activation != Activation::none);
  }

  /// Where the tiles of B, and of C (staged epilogues), lie among the schedule's.
  [[nodiscard]] TileId b_tile() const { return TileId{a.staged ? 1 : 0}; }
  [[nodiscard]] TileId metadata_tile() const { return TileId{2}; }
  [[nodiscard]] TileId c_tile() const {
    return TileId{(a.staged ? 1 : 0) + (b.staged ? 1 : 0) + (has_metadata() ? 1 : 0) + (has_block_scales() ? 2 : 0)};
  }
  /// Columns of C that are in shared memory at a time (tma epilogue: in each of two buffers, unless it is all), and how
  /// many such pieces there are.
  [[nodiscard]] int leaving_columns() const {
    return tiling.epilogue_columns > 0 ? tiling.epilogue_columns : tiling.tile.n;
  }
  [[nodiscard]] int leaving_pieces() const { return tiling.tile.n / leaving_columns(); }
  /// Of the sums that the CTA's slices give each other.
  [[nodiscard]] TileId sums_tile() const {
    return TileId{c_tile().index() + (tiling.epilogue == Epilogue::direct ? 0 : 1)};
  }
};

/// k of one wgmma: 32 bytes of B, and as much again where A is sparse.
[[nodiscard]] constexpr int wgmma_k(const GemmProblem& problem) {
  return (problem.sparse ? 2 : 1) * wgmma_k_bytes / size_of(problem.dtype);
}

/// wgmma: whether a k tile can be multiplied while the one before still is. A fragment of A in registers is one step's:
/// of two steps the first's is free by then.
[[nodiscard]] constexpr bool can_double_buffer_groups(const GemmProblem& tiled, const GemmTile& tile) {
  return !passes_through_registers(tiled) || tile.k >= 2 * wgmma_k(tiled);
}

/// Throws ScheduleError when the problem or tiling makes no sense on any GPU.
[[nodiscard]] GemmPlan plan_gemm(const GemmProblem& problem, const GemmTiling& tiling);

/// Grids of warps over the tile and of lanes over the warp's; appends what cannot be.
void plan_threads(GemmPlan& plan, std::vector<Problem>& problems);

/// The problem's and the tiling's own problems, before any sharing out. What of the tiling was `given` must also have a
/// meaning, even where it is the default.
[[nodiscard]] std::vector<Problem> gemm_problems(const GemmProblem& posed, const GemmTiling& tiling,
                                                 const GemmRequest& given = {});

/// Those of numbers that are none: nothing else can be said of them.
[[nodiscard]] std::vector<Problem> range_problems(const GemmProblem& problem, const GemmTiling& tiling);

/// gemm_problems, and those of sharing out the tile as far as that can be told before the rest is chosen.
[[nodiscard]] std::vector<Problem> planning_problems(const GemmProblem& problem, const GemmTiling& tiling,
                                                     const GemmRequest& given);

/// k of the smallest step that a warp's multiplications can take.
[[nodiscard]] int least_step(const GemmProblem& problem, const GemmTiling& tiling);

/// "128x128x32"
[[nodiscard]] std::string to_string(const GemmTile& tile);

}  // namespace gpusim::schedules
