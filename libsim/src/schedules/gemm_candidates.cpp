#include "gpusim/schedules/gemm_candidates.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "schedules/gemm_candidate_list.h"
#include "schedules/gemm_candidate_shapes.h"
#include "schedules/gemm_group_candidates.h"
#include "schedules/gemm_plan.h"
#include "schedules/gemm_request.h"

namespace gpusim::schedules {
namespace {

constexpr int copied_bytes = 64;  ///< a row of a k tile that warps copy
constexpr int dot_tile_k = 32;

/// Stages of a fixed tile that is none of a library's.
constexpr StageRange stages_of_copies{2, 5};
constexpr StageRange stages_of_registers{2, 2};
constexpr StageRange one_stage{1, 1};

class Candidates {
 public:
  Candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
             const std::optional<GemmTile>& tile, GemmLibrary library)
      : profile_(profile),
        problem_(problem),
        request_(request),
        tile_(tile),
        library_(library),
        list_(profile, problem, request, tile) {}

  /// cp.async: cuBLAS's kernels, each with the stages it is built for.
  void add_copying_warps() {
    if (tile_) return add_warps(of_mma(GemmVariant::async), {copied_bytes, swizzle_bytes}, stages_of_copies);
    const auto add = [&](const auto& kernels) {
      for (const MmaKernel& kernel : kernels)
        list_.add_sliced(of_kernel(GemmVariant::async, kernel), {kernel.stages, kernel.stages});
    };
    if (problem_.dtype == DType::fp8) return add(ada_fp8_kernels);
    if (has_ampere_int8()) return add_hopper_int8();
    add(ampere_kernels);
    if (problem_.dtype != DType::fp16) return;
    add(ampere_fp16_wide_kernels);
    // The older library names these too, but its times rise at multiples of 64 and 128 rows.
    if (!is_older(library_)) add(ampere_fp16_tall_kernels);
  }

  /// Copies by TMA, of rows as long as a swizzle, to warps of mma.sync: no library's.
  void add_bulk_copying_warps() {
    if (tile_) return add_warps(of_mma(GemmVariant::tma), {swizzle_bytes}, stages_of_copies);
    for (const MmaKernel& kernel : ampere_kernels)
      if (kernel.row_bytes == swizzle_bytes) list_.add_sliced(of_kernel(GemmVariant::tma, kernel), stages_of_copies);
  }

  /// LDG and STS.
  void add_loading_warps() { add_warps(of_mma(GemmVariant::tensor), {copied_bytes}, stages_of_registers); }

  /// Whether the library has CTAs of one warp for the product, whatever else would be faster: profiles name
  /// cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1, times of an L40S say where.
  [[nodiscard]] bool takes_one_warp() const {
    constexpr std::int64_t most_rows = 16;
    constexpr std::int64_t least_k = 512;
    constexpr std::int64_t split_k = 4096;  // from here on k is cut into slices
    return library_ == GemmLibrary::cublas_12_ada && !tile_ && size_of(problem_.dtype) == 2 && problem_.batch == 1 &&
           problem_.m > 1 && problem_.m <= most_rows && problem_.k >= least_k && problem_.k < split_k;
  }

  /// WMMA without padding, in one stage: fragments are read a word at a time, and the next tile is copied only once
  /// this one is done with.
  void add_one_warp() {
    constexpr int side = 16;
    constexpr int tile_k = 128;
    GemmTiling tiling;
    tiling.variant = GemmVariant::tensor;
    tiling.instruction = tensor_instruction(profile_, problem_);
    tiling.tile = {side, side, tile_k};
    tiling.warp_tile = {side, side};
    tiling.ldmatrix = false;
    tiling.shared_a = tiling.shared_b = SharedLayout::plain;
    list_.add_whole(tiling, one_stage);
  }

  /// DP4A: words of four along k, read ahead a word of each row and column at a time, copied by LDG.32 as cuBLAS's
  /// igemm kernels are named for (ldg4).
  void add_dot_products() {
    GemmTiling tiling;
    tiling.variant = GemmVariant::simt;
    tiling.instruction = {};
    tiling.fragment_k = products_of_a_dot;
    tiling.pair_lanes = true;
    tiling.double_buffer = true;
    tiling.prefetch = true;
    const auto add = [&](const auto& shapes) {
      for (const DotShape& shape : of_tile(tile_, shapes, DotShape{0, 0, dot_tile_k, {}})) {
        tiling.tile = {shape.m, shape.n, shape.k};
        tiling.thread_tile = shape.part;
        tiling.vector_a = tiling.vector_b = products_of_a_dot;
        list_.add_whole(tiling, stages_of_registers);
      }
    };
    if (problem_.n <= short_side)
      add(dot_shapes_few_columns);
    else if (problem_.m <= short_side)
      add(dot_shapes_few_rows);
    else
      add(dot_shapes);
  }

  void add_simt(bool asynchronous) {
    GemmTiling tiling;
    tiling.variant = GemmVariant::simt;
    tiling.instruction = {};
    tiling.fragment_k = 1;
    tiling.pair_lanes = true;
    tiling.double_buffer = true;
    // Turing has the hint, too, but its library runs kernels made for Volta.
    tiling.whole_lines = asynchronous && fetches_whole_lines(profile_);
    const int slices = request_.cta_slices.value_or(1);  // as much k for each
    for (const CandidateShape& shape : of_tile(tile_, thread_shapes, {}))
      for (const int k : {8, 16}) {
        tiling.tile = {shape.m, shape.n, k * slices};
        tiling.thread_tile = shape.part;
        // Fragments are read as vectors along m and n, as cuBLAS and CUTLASS have it.
        tiling.transpose_a = !is_a_transposed(problem_.layout) && can_turn(request_.stage_a);
        tiling.transpose_b = is_b_transposed(problem_.layout) && can_turn(request_.stage_b);
        tiling.prefetch = true;
        list_.add_sliced(tiling, stages_of_registers);
        if (!asynchronous) continue;
        GemmTiling copied = tiling;
        copied.prefetch = false;
        if (size_of(problem_.dtype) < register_bytes)  // cp.async moves no single elements of these
          copied.transpose_a = copied.transpose_b = false;
        copied.interleave = true;  // ptxas issues copies among products
        list_.add_sliced(copied, {2, 4});
      }
  }

  /// Words of DP4A lie as they are read, and what is not staged is read as it lies in memory.
  [[nodiscard]] bool can_turn(std::optional<bool> staged) const {
    return problem_.dtype != DType::int8 && staged.value_or(true);
  }

  /// What was fixed, as choose() takes it.
  void add_chosen(std::optional<GemmVariant> variant) {
    GemmRequest request = request_;
    request.variant = variant;
    if (tile_) request.tile = {tile_->m, tile_->n, tile_->k > 0 ? tile_->k : GemmTile{}.k};
    list_.add(choose(profile_, problem_, request));
  }

  void add_warp_groups() { add_group_candidates(profile_, problem_, request_, tile_, library_, list_); }

  /// The library's own choice is looked for, not the fastest.
  [[nodiscard]] bool chooses() const {
    return library_ == GemmLibrary::cublas_12 || library_ == GemmLibrary::cublas_12_ada;
  }
  /// cuBLAS's integer kernels are Ampere's on Hopper, too.
  [[nodiscard]] bool has_ampere_int8() const {
    return problem_.dtype == DType::int8 && chooses() && profile_.tensor.wgmma;
  }

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::vector<GemmTiling> take() { return list_.take(); }

 private:
  /// What cuBLAS and CUTLASS do.
  [[nodiscard]] GemmTiling of_mma(GemmVariant variant) const {
    GemmTiling tiling;
    tiling.variant = variant;
    tiling.instruction = tensor_instruction(profile_, problem_);
    tiling.double_buffer = true;
    tiling.fragment_k = tiling.instruction.k;
    tiling.prefetch = variant == GemmVariant::tensor;
    tiling.whole_lines = tiling.interleave = variant == GemmVariant::async;
    tiling.specialize = variant == GemmVariant::tma;
    tiling.epilogue = Epilogue::staged;
    return tiling;
  }

  void add_hopper_int8() {
    for (const MmaKernel& kernel : hopper_int8_kernels)
      list_.add_whole(of_kernel(GemmVariant::async, kernel), {kernel.stages, kernel.stages});
  }

  [[nodiscard]] GemmTiling of_kernel(GemmVariant variant, const MmaKernel& kernel) const {
    return of_warps(of_mma(variant), {kernel.m, kernel.n, kernel.part}, kernel.row_bytes);
  }

  void add_warps(const GemmTiling& tiling, std::initializer_list<int> row_bytes, StageRange stages) {
    constexpr int least_side = 64;  // of cuBLAS's own
    for (const CandidateShape& shape : of_tile(tile_, warp_shapes, {})) {
      if (!tile_ && std::min(shape.m, shape.n) < least_side) continue;
      for (const int bytes : row_bytes) list_.add_sliced(of_warps(tiling, shape, bytes), stages);
    }
  }

  [[nodiscard]] GemmTiling of_warps(GemmTiling tiling, const CandidateShape& shape, int row_bytes) const {
    const int least_k = 2 * tiling.instruction.k * request_.cta_slices.value_or(1);
    tiling.tile = {shape.m, shape.n, std::max(row_bytes / size_of(problem_.dtype), least_k)};
    tiling.warp_tile = shape.part;
    const bool several_rows = pieces(problem_.m, shape.m) > 1;
    if (several_rows) tiling.order = TileOrder::grouped;
    tiling.group = grouped_rows;
    return tiling;
  }

  const Profile& profile_;
  const GemmProblem& problem_;
  const GemmRequest& request_;
  const std::optional<GemmTile>& tile_;
  GemmLibrary library_;
  CandidateList list_;
};

/// Where cuBLAS 12 takes large tiles whatever else would be faster: as if a CTA cost nothing beside its products, of
/// which a short k has few. Times of A100 and H100 say so (aiconfigurator, k of 32 to 128).
class ShortK {
 public:
  ShortK(const Profile& profile, const GemmProblem& problem) : sms_(profile.sm.count), problem_(problem) {}

  /// Leaves the large ones of `found`, if there are any.
  void choose(std::vector<GemmTiling>& found) const {
    constexpr std::int64_t longest = 128;
    constexpr std::int64_t narrowest = 64;
    if (problem_.k > longest || std::min(problem_.m, problem_.n) < narrowest || size_of(problem_.dtype) != 2) return;
    const auto is_large = [&](const GemmTiling& tiling) { return is_taken(tiling); };
    if (std::any_of(found.begin(), found.end(), is_large))
      found.erase(std::remove_if(found.begin(), found.end(), std::not_fn(is_large)), found.end());
  }

 private:
  [[nodiscard]] bool is_taken(const GemmTiling& tiling) const {
    const GemmTile& tile = tiling.tile;
    const GemmProblem tiled = tiled_problem(problem_, tiling);
    constexpr int large = 128 * 256;
    constexpr std::int64_t waves = 2;
    return tile.m * tile.n >= large && pieces(tiled.m, tile.m) * pieces(tiled.n, tile.n) * tiled.batch >= waves * sms_;
  }

  std::int64_t sms_;
  const GemmProblem& problem_;
};

/// Of what is fixed in all candidates; the tile's k may be 0.
std::vector<Problem> fixed_problems(const GemmProblem& problem, const GemmRequest& request,
                                    const std::optional<GemmTile>& tile) {
  GemmTiling fixed = with_request({}, request);
  fixed.tile = tile.value_or(GemmTile{});
  if (fixed.tile.k == 0) fixed.tile.k = GemmTile{}.k;
  return range_problems(problem, fixed);
}

}  // namespace

std::vector<GemmTiling> gemm_candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                                        const std::optional<GemmTile>& tile, GemmLibrary library) {
  for (std::vector<Problem> problems :
       {fixed_problems(problem, request, tile), request_problems(profile, problem, request)})
    if (!problems.empty()) throw ScheduleError(std::move(problems));
  const std::vector<GemmVariant> there = variants(profile, problem.dtype, problem.accumulate);
  const auto has = [&](GemmVariant each) { return std::find(there.begin(), there.end(), each) != there.end(); };
  const auto wanted = [&](GemmVariant each, bool by_default) {
    return has(each) && (request.variant ? *request.variant == each : by_default);
  };
  Candidates candidates(profile, problem, request, tile, library);
  const bool dot_products =
      problem.dtype == DType::int8 &&
      (!has(GemmVariant::tensor) || library == GemmLibrary::cublas_10 || request.variant == GemmVariant::simt);
  if (dot_products && wanted(GemmVariant::simt, true)) {
    candidates.add_dot_products();
    if (!candidates.empty()) return candidates.take();
  }
  const bool groups = has(GemmVariant::wgmma);
  const bool copies = has(GemmVariant::async);
  if (copies && !groups && candidates.takes_one_warp() && wanted(GemmVariant::tensor, true)) {
    candidates.add_one_warp();
    if (!candidates.empty()) return candidates.take();
  }
  const bool tensor = has(GemmVariant::tensor);
  if (wanted(GemmVariant::wgmma, groups && !candidates.has_ampere_int8())) candidates.add_warp_groups();
  // wgmma takes 16-bit operands in any layout, of 4 bytes one at most with k across its rows, others none.
  if (wanted(GemmVariant::async, candidates.empty())) candidates.add_copying_warps();
  if (wanted(GemmVariant::tma, false)) candidates.add_bulk_copying_warps();
  if (wanted(GemmVariant::tensor, !copies)) candidates.add_loading_warps();
  if (wanted(GemmVariant::simt, !tensor) && !dot_products) candidates.add_simt(profile.async_copy.has_value());
  std::vector<GemmTiling> found = candidates.take();
  if (candidates.chooses() && !tile) ShortK(profile, problem).choose(found);
  if (!found.empty()) return found;
  const bool of_groups = !request.variant && request.swap_ab.value_or(false) && groups;
  candidates.add_chosen(of_groups ? GemmVariant::wgmma : request.variant);
  return candidates.take();
}

}  // namespace gpusim::schedules
