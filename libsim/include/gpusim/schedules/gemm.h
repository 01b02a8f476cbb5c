// Matrix multiplication: C = act(alpha A B + beta C + bias), as GPU kernels write it.
//
// A CTA computes one tile.m x tile.n block of C (swap_ab: of its transpose), walking k in steps of tile.k. Variants
// differ in how a tile reaches what multiplies it:
//   naive      a thread an element of C, neighbouring threads along m: every operand from global memory, uncoalesced
//   coalesced  the same, neighbouring threads along n
//   simt       LDG -> registers -> STS, barrier, LDS, FFMA; with stages, cp.async instead of LDG and STS
//   tensor     LDG -> registers -> STS, barrier, ldmatrix, mma.sync
//   async      cp.async into `stages` buffers, stages - 1 tiles in flight ahead of the one computed, mma.sync
//   tma        bulk tensor copies completing on mbarriers, mma.sync; with `specialize`, a warp of its own issues them
//   wgmma      bulk tensor copies, wgmma reading both operands from shared memory, or A, where its k lies across the
//              rows of 4-byte elements, from registers; with `specialize`, a producer warp and `consumers` warp groups
//
// Matrices are row-major as the layout has them: n as C = A B wants it (A m x k, B k x n), t transposed (A k x m,
// B n x k). Edges: rows of every buffer begin at 16-byte multiples (pitch >= columns), vectors may read that padding,
// rows and columns outside the matrix are predicated off.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/gemm_tiling.h"

namespace gpusim::schedules {

/// Layout of A, then B; BLAS's names for a row-major C.
enum class GemmLayout : std::uint8_t { nn, nt, tn, tt };
[[nodiscard]] constexpr std::array<std::string_view, 4> names_of(GemmLayout) { return {"nn", "nt", "tn", "tt"}; }
[[nodiscard]] std::string_view name(GemmLayout layout);
[[nodiscard]] std::optional<GemmLayout> gemm_layout_named(std::string_view text);

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::fp16;  ///< of A and B
  DType accumulate = DType::fp32;
  std::optional<DType> result = {};  ///< of C and bias; none: that of A and B
  double alpha = 1;
  double beta = 0;
  GemmLayout layout = GemmLayout::nn;
  std::int64_t batch = 1;             ///< products of equal shape, one matrix of each operand after another
  std::int64_t batch_interleave = 1;  ///< 1, or N >= batch: row i of A, as it lies, and C of product z is row i N + z
  bool bias = false;                  ///< a vector of n elements is added to every row
  Activation activation = Activation::none;
  bool sparse = false;  ///< A is 2:4 sparse: half of it is stored
  /// wgmma of fp8: each 1 x 128 block of A, along k, and each 128 x 128 block of B has a factor of fp32 (DeepGEMM)
  bool block_scales = false;
};

[[nodiscard]] constexpr DType result_type(const GemmProblem& problem) { return problem.result.value_or(problem.dtype); }

/// The product whose rows and columns the tiling cuts: the problem, or with swap_ab its transpose, in which m and n, A
/// and B have changed places. Its own inverse.
[[nodiscard]] GemmProblem tiled_problem(const GemmProblem& problem, const GemmTiling& tiling);

/// The schedule. Throws ScheduleError when the problem or tiling makes no sense on any GPU (zero or overflowing sizes,
/// a tile the warps cannot share); what a particular GPU cannot hold is check()'s to say.
[[nodiscard]] Schedule gemm(const GemmProblem& problem, const GemmTiling& tiling = {});

/// All kernels of the product, in order: gemm(), and where a kernel adds up slices of k, or finishes the tiles that
/// stream_k cut, that one.
[[nodiscard]] std::vector<Schedule> gemm_kernels(const GemmProblem& problem, const GemmTiling& tiling = {});

/// What the user fixed, member for member as in GemmTiling; the rest is chosen. What is fixed is used or refused, also
/// where it is GemmTiling's default: `carry_over = true` of simt, `group = 8` without the grouped order. Switches that
/// are false, and what is 0 or automatic, ask for nothing.
struct GemmRequest {
  GemmTile tile;  ///< GemmTile{}: the usual one, as deep as the instruction; of naive and coalesced 32x32x32
  std::optional<GemmVariant> variant;  ///< none: the best the GPU has: tma, async, tensor, simt
  std::optional<int> stages;           ///< none: what shared memory holds, at most 4
  std::optional<bool> specialize;
  std::optional<int> registers;
  std::optional<int> reserved;
  std::optional<int> fragment_k;
  std::optional<MmaShape> instruction;  ///< none: the GPU's own for the types
  std::optional<GemmShape> warp_tile;
  std::optional<GemmShape> thread_tile;
  std::optional<int> cta_slices;
  std::optional<ElementOrder> order_m;
  std::optional<ElementOrder> order_n;
  std::optional<bool> pair_lanes;
  std::optional<int> vector_a;
  std::optional<int> vector_b;
  std::optional<int> copy_lanes_a;
  std::optional<int> copy_lanes_b;
  std::optional<int> read_a;
  std::optional<int> read_b;
  std::optional<SharedLayout> shared_a;
  std::optional<SharedLayout> shared_b;
  std::optional<bool> transpose_a;
  std::optional<bool> transpose_b;
  std::optional<bool> stage_a;
  std::optional<bool> stage_b;
  std::optional<bool> overfetch;
  std::optional<bool> through_local;
  std::optional<bool> reuse_operands;
  std::optional<bool> whole_lines;
  std::optional<bool> prefetch;
  std::optional<int> load_batch;
  std::optional<int> index_overhead;
  std::optional<bool> double_buffer;
  std::optional<int> unroll;
  std::optional<bool> carry_over;
  std::optional<bool> interleave;
  std::optional<bool> ldmatrix;  ///< none: where the GPU has it
  std::optional<int> matrices_a;
  std::optional<int> matrices_b;
  std::optional<bool> swap_ab;  ///< none: where wgmma can multiply the layout in no other way
  std::optional<int> consumers;
  std::optional<bool> promote;
  std::optional<bool> pingpong;
  std::optional<bool> stmatrix;
  std::optional<bool> consumers_arrive;
  std::optional<int> producer_registers;
  std::optional<int> consumer_registers;
  std::optional<GemmShape> cluster;
  std::optional<bool> multicast;
  std::optional<MulticastBy> multicast_by;
  std::optional<std::int64_t> ctas;
  bool persistent = false;  ///< as many CTAs as the GPU holds at a time, at most one a tile; refused beside `ctas`
  std::optional<bool> consecutive;
  std::optional<TileOrder> order;
  std::optional<std::int64_t> group;
  std::optional<int> split_k;
  std::optional<SplitReduction> reduction;
  std::optional<bool> stream_k;
  std::optional<Epilogue> epilogue;
  std::optional<int> epilogue_columns;
};

/// The tiling for a GPU. Throws ScheduleError when the GPU lacks the dtype or variant (naming those it has) or the tile
/// does not fit (saying by how much, and what would).
[[nodiscard]] GemmTiling choose(const Profile& profile, const GemmProblem& problem, const GemmRequest& request = {});

/// fp16 with fp32 accumulation where the GPU multiplies it on tensor cores, else fp32 with fp32.
[[nodiscard]] std::pair<DType, DType> default_dtypes(const Profile& profile);

/// Variants this GPU can run on these types, best first.
[[nodiscard]] std::vector<GemmVariant> variants(const Profile& profile, DType input, DType accumulate);

/// Registers a thread the kernel needs: accumulators, the largest of fragments, staged vectors and C read back, and 16
/// for addresses and indices; rounded up to 8 (docs/schedules.md).
[[nodiscard]] int estimate_registers(const GemmProblem& problem, const GemmTiling& tiling);

}  // namespace gpusim::schedules
