#include "gpusim/schedules/gemm_candidates.h"

#include <algorithm>
#include <array>
#include <set>

#include "schedules/gemm_candidate_shapes.h"
#include "schedules/gemm_plan.h"
#include "schedules/gemm_request.h"

namespace gpusim::schedules {
namespace {

constexpr int swizzle_bytes = 128;  ///< a row of a k tile that bulk copies bring
constexpr int copied_bytes = 64;    ///< a row of a k tile that warps copy
constexpr int dot_tile_k = 32;
constexpr int grouped_rows = 8;
constexpr std::array splits{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr int least_k_tiles = 4;  ///< of a slice

class Candidates {
 public:
  Candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
             const std::optional<GemmTile>& tile, GemmLibrary library)
      : profile_(profile), problem_(problem), request_(request), tile_(tile), library_(library) {}

  void add_warp_groups() {
    switch (library_) {
      case GemmLibrary::recent:
      case GemmLibrary::cublas_12_1:
      case GemmLibrary::cublas_12_ada:
        return add_cublas_groups();
      case GemmLibrary::vllm_fp8:
        return add_vllm_groups();
      case GemmLibrary::deep_gemm:
        return add_deep_gemm_groups();
      case GemmLibrary::cublas_10:
        return;  // before there was wgmma
    }
  }

  void add_warps(GemmVariant variant, std::initializer_list<int> row_bytes, int most_stages) {
    GemmTiling tiling;
    tiling.variant = variant;
    tiling.instruction = tensor_instruction(profile_, problem_);
    tiling.double_buffer = true;
    tiling.fragment_k = tiling.instruction.k;
    tiling.prefetch = variant == GemmVariant::tensor;
    // What cuBLAS and CUTLASS do.
    tiling.whole_lines = variant == GemmVariant::async;
    tiling.epilogue = Epilogue::staged;
    for (const CandidateShape& shape : wanted(mma_shapes, {})) {
      if (!tile_ && is_older() && !has_powers_of_two(shape)) continue;
      const int stages = shape.most_stages > 0 ? std::min(shape.most_stages, most_stages) : most_stages;
      for (const int bytes : row_bytes)
        if (shape.row_bytes == 0 || shape.row_bytes == bytes || row_bytes.size() == 1)
          add_sliced(of_warps(tiling, shape, bytes), stages);
    }
  }

  /// Whether the library has CTAs of one warp for the product, whatever else would be faster: profiles name
  /// cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1, times of an L40S say where.
  [[nodiscard]] bool takes_one_warp() const {
    constexpr std::int64_t most_rows = 16;
    constexpr std::int64_t least_k = 512;
    constexpr std::int64_t split_k = 4096;  // from here on k is cut into slices
    return library_ == GemmLibrary::cublas_12_ada && !tile_ && size_of(problem_.dtype) == 2 && problem_.batch == 1 &&
           problem_.m > 1 && problem_.m <= most_rows && problem_.k >= least_k && problem_.k < split_k;
  }

  /// WMMA without padding: fragments are read a word at a time, and the next tile only once this one is done with.
  void add_one_warp() {
    GemmTiling tiling;
    tiling.variant = GemmVariant::tensor;
    tiling.instruction = tensor_instruction(profile_, problem_);
    tiling.tile = {16, 16, 128};
    tiling.warp_tile = {16, 16};
    tiling.ldmatrix = false;
    tiling.shared_a = tiling.shared_b = SharedLayout::plain;
    add_whole(tiling, 1);
  }

  /// DP4A: words of four along k, read ahead a word of each row and column at a time, copied by LDG.32 as cuBLAS's
  /// igemm kernels are named for (ldg4).
  void add_dot_products() {
    GemmTiling tiling;
    tiling.variant = GemmVariant::simt;
    tiling.instruction = {};
    tiling.fragment_k = products_of_a_dot;
    tiling.double_buffer = true;
    tiling.prefetch = true;
    const auto add = [&](const auto& shapes) {
      for (const DotShape& shape : wanted(shapes, DotShape{0, 0, dot_tile_k, {}})) {
        tiling.tile = {shape.m, shape.n, shape.k};
        tiling.thread_tile = shape.part;
        tiling.vector_a = tiling.vector_b = products_of_a_dot;
        add_whole(tiling, 2);
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
    tiling.double_buffer = true;
    for (const CandidateShape& shape : wanted(thread_shapes, {}))
      for (const int k : {8, 16}) {
        tiling.tile = {shape.m, shape.n, k};
        tiling.thread_tile = shape.part;
        tiling.transpose_a = problem_.layout == GemmLayout::nn || problem_.layout == GemmLayout::nt;
        tiling.prefetch = true;
        add_sliced(tiling, 2);
        if (!asynchronous || problem_.layout == GemmLayout::nt) continue;
        tiling.transpose_a = false;
        tiling.prefetch = false;
        add_sliced(tiling, 4);
      }
  }

  /// What was fixed, as choose() takes it.
  void add_chosen(std::optional<GemmVariant> variant) {
    GemmRequest request = request_;
    request.variant = variant;
    if (tile_) request.tile = {tile_->m, tile_->n, tile_->k > 0 ? tile_->k : GemmTile{}.k};
    found_.push_back(choose(profile_, problem_, request));
  }

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::vector<GemmTiling> take() { return std::move(found_); }

 private:
  static constexpr int most_stages_of_groups = 7;

  void add_cublas_groups() {
    const bool older = is_older();
    for (const GroupShape& shape : wanted(group_shapes, other_groups())) {
      if (!tile_ && older && !has_powers_of_two(shape)) continue;
      GemmTiling tiling = of_groups(shape);
      tiling.double_buffer = shape.consumers == 1;  // several groups fill each other's waits
      for (const GemmShape& cluster : {GemmShape{1, 1}, GemmShape{2, 1}, GemmShape{1, 2}}) {
        tiling.cluster = cluster;
        for (const Epilogue epilogue : {Epilogue::tma, Epilogue::direct}) {
          tiling.epilogue = epilogue;
          add_sliced(older ? in_groups(tiling) : persistent(tiling), most_stages_of_groups);
        }
      }
    }
  }

  /// The first whose rows m does not exceed and whose k is no longer; without a cluster where the grid cannot be cut
  /// into whole ones.
  void add_vllm_groups() {
    const auto* const by_rows = std::find_if(vllm_shapes.begin(), vllm_shapes.end() - 1, [&](const VllmShape& each) {
      return problem_.m <= each.most_m && problem_.k >= each.least_k;
    });
    for (const GroupShape& shape : wanted(std::array{by_rows->shape}, other_groups())) {
      GemmTiling tiling = of_groups(shape);
      tiling.epilogue = Epilogue::tma;
      for (const GemmShape& cluster : {by_rows->cluster, GemmShape{1, 1}}) {
        tiling.cluster = cluster;
        if (empty()) add_whole(by_rows->walks ? persistent(tiling) : tiling, most_stages_of_groups);
      }
    }
  }

  void add_deep_gemm_groups() {
    std::vector<GroupShape> shapes;
    for (const int rows : {wgmma_rows, 2 * wgmma_rows})
      for (int columns = 16; columns <= 128; columns += 16) shapes.push_back({rows, columns, rows / wgmma_rows});
    if (tile_) shapes = {other_groups()};
    for (const GroupShape& shape : shapes) {
      GemmTiling tiling = of_groups(shape);
      tiling.promote = problem_.accumulate == DType::fp32;
      tiling.epilogue = Epilogue::tma;
      for (const GemmShape& cluster : {GemmShape{1, 1}, GemmShape{2, 1}, GemmShape{1, 2}}) {
        tiling.cluster = cluster;
        add_whole(persistent(tiling), most_stages_of_groups);
      }
    }
  }

  /// How warp groups share a tile that no library has.
  [[nodiscard]] GroupShape other_groups() const {
    const int by_two = tile_ && tile_->m % (2 * wgmma_rows) == 0 ? 2 : 1;
    return {tile_ ? tile_->m : 0, tile_ ? tile_->n : 0, by_two};
  }

  [[nodiscard]] GemmTiling of_groups(const GroupShape& shape) const {
    GemmTiling tiling;
    tiling.variant = GemmVariant::wgmma;
    tiling.tile = {shape.m, shape.n, swizzle_bytes / size_of(problem_.dtype)};
    tiling.consumers = shape.consumers;
    tiling.specialize = true;
    tiling.instruction = {};
    return tiling;
  }

  /// Those of the fixed tile, or `other` with its sides when there are none.
  template <class Shape, std::size_t count>
  [[nodiscard]] std::vector<Shape> wanted(const std::array<Shape, count>& shapes, Shape other) const {
    std::vector<Shape> found;
    for (const Shape& shape : shapes)
      if (!tile_ || (shape.m == tile_->m && shape.n == tile_->n)) found.push_back(shape);
    if (!found.empty()) return found;
    other.m = tile_->m;
    other.n = tile_->n;
    return {other};
  }

  [[nodiscard]] GemmTiling of_warps(GemmTiling tiling, const CandidateShape& shape, int row_bytes) const {
    tiling.tile = {shape.m, shape.n, std::max(row_bytes / size_of(problem_.dtype), 2 * tiling.instruction.k)};
    tiling.warp_tile = shape.part;
    const bool several_rows = pieces(problem_.m, shape.m) > 1;
    if (several_rows) tiling.order = TileOrder::grouped;
    tiling.group = grouped_rows;
    return tiling;
  }

  /// Whose tiles have sides that are powers of two.
  [[nodiscard]] bool is_older() const {
    return library_ == GemmLibrary::cublas_12_1 || library_ == GemmLibrary::cublas_10;
  }

  template <class Shape>
  [[nodiscard]] static bool has_powers_of_two(const Shape& shape) {
    return (shape.m & (shape.m - 1)) == 0 && (shape.n & (shape.n - 1)) == 0;
  }

  [[nodiscard]] static GemmTiling in_groups(GemmTiling tiling) {
    tiling.order = TileOrder::grouped;
    tiling.group = grouped_rows;
    return tiling;
  }

  /// One CTA for each SM, in whole clusters, that walks the tiles in groups.
  [[nodiscard]] GemmTiling persistent(GemmTiling tiling) const {
    const std::int64_t size = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
    tiling.ctas = std::min(profile_.sm.count / size * size, tiles(tiling) / size * size);
    return in_groups(tiling);
  }

  [[nodiscard]] std::int64_t tiles(const GemmTiling& tiling) const {
    return pieces(problem_.m, tiling.tile.m) * pieces(problem_.n, tiling.tile.n) * problem_.batch;
  }

  /// In as many slices of k as were asked for, else whole.
  void add_whole(GemmTiling tiling, int most_stages) {
    if (tile_ && tile_->k > 0) tiling.tile.k = tile_->k;
    add_in_slices(tiling, request_.split_k.value_or(1), most_stages);
  }

  /// Whole and, where tiles are fewer than SMs, in slices of k.
  void add_sliced(GemmTiling tiling, int most_stages) {
    if (tile_ && tile_->k > 0) tiling.tile.k = tile_->k;
    if (request_.split_k) {
      add_in_slices(tiling, *request_.split_k, most_stages);
      return;
    }
    const std::int64_t k_tiles = pieces(problem_.k, tiling.tile.k);
    for (const int split : splits) {
      if (split > 1 && (tiles(tiling) * split > 2 * profile_.sm.count || k_tiles / split < least_k_tiles)) return;
      if (pieces(k_tiles, pieces(k_tiles, split)) == split) add_in_slices(tiling, split, most_stages);
    }
  }

  void add_in_slices(GemmTiling tiling, int split, int most_stages) {
    tiling.split_k = split;
    if (split > 1 && tiling.ctas > 0) {
      tiling.ctas = 0;  // one wave of slices has nothing to walk
      tiling.order = TileOrder::row;
      tiling.group = GemmTiling{}.group;
    }
    if (add_deepest(tiling, most_stages) || tiling.epilogue != Epilogue::staged) return;
    tiling.epilogue = Epilogue::direct;  // shared memory does not hold the tile of C, or of its partial sums
    static_cast<void>(add_deepest(tiling, most_stages));
  }

  /// With the stages that were asked for, or as many as fit.
  [[nodiscard]] bool add_deepest(GemmTiling tiling, int most_stages) {
    if (request_.stages) {
      tiling.stages = *request_.stages;
      return add_if_it_fits(tiling);
    }
    const int least = std::min(most_stages, 2);
    for (tiling.stages = most_stages; tiling.stages >= least; --tiling.stages)
      if (add_if_it_fits(tiling)) return true;
    return false;
  }

  [[nodiscard]] bool add_if_it_fits(const GemmTiling& tiling) {
    GemmRequest request = request_;
    request.tile = tiling.tile;
    request.variant = tiling.variant;
    GemmTiling fixed = with_request(tiling, request);
    try {
      if (!gemm_problems(problem_, fixed, request).empty()) return false;
      if (request_.persistent) fixed = choose_ctas(fixed);
      const Schedule schedule = gemm(problem_, fixed);
      if (!check(schedule, profile_).empty()) return false;
      if (digests_.insert(digest(schedule)).second) found_.push_back(fixed);
      return true;
    } catch (const ScheduleError&) {
      return false;
    }
  }

  [[nodiscard]] GemmTiling choose_ctas(GemmTiling tiling) const {
    tiling.ctas = persistent_ctas(profile_, problem_, tiling);
    return tiling;
  }

  const Profile& profile_;
  const GemmProblem& problem_;
  const GemmRequest& request_;
  const std::optional<GemmTile>& tile_;
  GemmLibrary library_;
  std::vector<GemmTiling> found_;
  std::set<std::uint64_t> digests_;  ///< of those found: what is fixed may make them equal
};

}  // namespace

std::vector<GemmTiling> gemm_candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                                        const std::optional<GemmTile>& tile, GemmLibrary library) {
  if (std::vector<Problem> problems = request_problems(profile, problem, request); !problems.empty())
    throw ScheduleError(std::move(problems));
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
  if (candidates.takes_one_warp() && wanted(GemmVariant::tensor, true)) {
    candidates.add_one_warp();
    if (!candidates.empty()) return candidates.take();
  }
  const bool groups = has(GemmVariant::wgmma);
  const bool copies = has(GemmVariant::async);
  const bool tensor = has(GemmVariant::tensor);
  if (wanted(GemmVariant::wgmma, groups)) candidates.add_warp_groups();
  // wgmma takes 16-bit operands in any layout, others with k along their rows only.
  if (wanted(GemmVariant::async, candidates.empty()))
    candidates.add_warps(GemmVariant::async, {copied_bytes, swizzle_bytes}, 5);
  if (wanted(GemmVariant::tensor, !copies)) candidates.add_warps(GemmVariant::tensor, {copied_bytes}, 2);
  if (wanted(GemmVariant::simt, !tensor) && !dot_products) candidates.add_simt(profile.async_copy.has_value());
  std::vector<GemmTiling> found = candidates.take();
  if (!found.empty()) return found;
  candidates.add_chosen(request.variant);
  return candidates.take();
}

}  // namespace gpusim::schedules
