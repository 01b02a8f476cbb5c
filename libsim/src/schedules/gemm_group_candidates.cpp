#include "schedules/gemm_group_candidates.h"

#include <algorithm>
#include <array>

#include "schedules/deep_gemm.h"
#include "schedules/gemm_candidate_shapes.h"
#include "schedules/gemm_collect.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {
namespace {

constexpr StageRange stages_of_groups{2, 7};
/// Of shared memory that cuBLAS 13's kernels have beside their stages, whatever the tile (ref silicon, counted:
/// dynamic_shared of nvjet's kernels less their stages is 16,572 to 16,836).
constexpr int staged_bytes = 16 * 1024;
constexpr StageRange all_stages_of_groups{2, 16};  ///< as many as fit

class GroupCandidates {
 public:
  GroupCandidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                  const std::optional<GemmTile>& tile, GemmLibrary library, CandidateList& list, bool turns_c = false)
      : profile_(profile),
        turns_c_(turns_c),
        swap_ab_(turns_c || request.swap_ab.value_or(needs_swap(problem))),
        problem_(tiled(problem)),
        request_(request),
        tile_(tile),
        library_(library),
        list_(list) {}

  void add() {
    switch (library_) {
      case GemmLibrary::recent:
      case GemmLibrary::cublas_12_1:
      case GemmLibrary::cublas_12:
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

 private:
  [[nodiscard]] GemmProblem tiled(const GemmProblem& problem) const {
    GemmTiling tiling;
    tiling.swap_ab = swap_ab_;
    return tiled_problem(problem, tiling);
  }

  [[nodiscard]] std::vector<GroupShape> cublas_shapes(bool older) const {
    if (passes_through_registers(problem_)) return of_tile(tile_, group_shapes_through_registers, other_groups());
    if (turns_c_) return of_tile(tile_, swapped_group_shapes);
    return older ? of_tile(tile_, group_shapes_12_1, other_groups()) : of_tile(tile_, group_shapes, other_groups());
  }

  void add_cublas_groups() {
    // Of tf32 cuBLAS 13 still has the kernels of 12.1 (sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x128x32).
    const bool older = is_older(library_) || problem_.dtype == DType::tf32;
    const bool through_registers = passes_through_registers(problem_);
    const std::vector<GroupShape> shapes = cublas_shapes(older);
    for (GroupShape shape : shapes) {
      const bool in_turns = shape.consumers == 1 && may_take_turns(shape);
      if (!in_turns && shape.m % (2 * wgmma_rows) == 0) shape.consumers = std::max(shape.consumers, 2);
      GemmTiling tiling = of_groups(shape);
      // Groups that share a tile fill each other's waits.
      tiling.double_buffer = shape.consumers == 1 && !tiling.promote && can_double_buffer_groups(problem_, tiling.tile);
      tiling.pingpong = in_turns;
      for (const GemmShape& cluster : {GemmShape{1, 1}, GemmShape{2, 1}, GemmShape{1, 2}}) {
        tiling.cluster = cluster;
        for (const Epilogue epilogue : {Epilogue::tma, Epilogue::direct}) {
          if (epilogue == Epilogue::direct && (turns_c_ || request_.epilogue == Epilogue::tma)) continue;
          tiling.epilogue = epilogue;
          tiling.stmatrix = epilogue == Epilogue::tma;
          tiling.epilogue_columns = epilogue == Epilogue::tma ? in_pieces(shape) : 0;
          if (through_registers)  // profiles of 14 products name no sum of slices
            list_.add_whole(persistent(tiling), stages_of_groups);
          else
            list_.add_sliced(persistent(tiling), stages_of_groups);
        }
      }
    }
  }

  /// Whether a tile of one group may be taken in turns by two, as far as the request leaves them; slices of k never
  /// may.
  [[nodiscard]] bool may_take_turns(const GroupShape& shape) const {
    GemmTiling tiling = persistent(of_groups(shape));
    tiling.pingpong = true;
    return request_.pingpong.value_or(true) && list_.allows("pingpong", tiling);
  }

  /// The first whose rows m does not exceed and whose k is no longer; without a cluster where the grid cannot be cut
  /// into whole ones.
  void add_vllm_groups() {
    const auto* const by_rows = std::find_if(vllm_shapes.begin(), vllm_shapes.end() - 1, [&](const VllmShape& each) {
      return problem_.m <= each.most_m && problem_.k >= each.least_k;
    });
    for (const GroupShape& shape : of_tile(tile_, std::array{by_rows->shape}, other_groups())) {
      GemmTiling tiling = of_groups(shape);
      tiling.epilogue = Epilogue::tma;
      tiling.stmatrix = true;
      tiling.pingpong = by_rows->walks && shape.consumers == 1;
      tiling.double_buffer = tiling.pingpong && can_double_buffer_groups(problem_, tiling.tile);
      for (const GemmShape& cluster : {by_rows->cluster, GemmShape{1, 1}}) {
        tiling.cluster = cluster;
        if (list_.empty())
          list_.add_whole(by_rows->walks ? along_shorter_side(walking(tiling)) : tiling, all_stages_of_groups);
      }
    }
  }

  void add_deep_gemm_groups() {
    const DeepGemmLayout layout = deep_gemm_layout(problem_, profile_.sm.count);
    if (layout.n == 0 && !tile_) return;
    const int rows = std::max(layout.m, wgmma_rows);
    const GroupShape shape = tile_ ? other_groups() : GroupShape{rows, layout.n, rows > wgmma_rows ? 2 : 1};
    GemmTiling tiling = of_groups(shape);
    tiling.promote = problem_.accumulate == DType::fp32;
    tiling.epilogue = Epilogue::tma;
    tiling.stmatrix = true;
    // A side of an odd number of tiles has one that shares with none; here it is cut without clusters.
    for (const GemmShape& cluster : {layout.cluster, GemmShape{1, 1}}) {
      tiling.cluster = cluster;
      const bool shares = !(cluster == GemmShape{1, 1}) && request_.multicast.value_or(true);
      tiling.multicast_by = shares ? MulticastBy::first : MulticastBy::each;
      if (list_.empty()) list_.add_whole(persistent(tiling), all_stages_of_groups);
    }
  }

  /// How warp groups share a tile that no library has.
  [[nodiscard]] GroupShape other_groups() const {
    if (!tile_) return {};
    const auto divides = [&](int groups) { return tile_->m % (groups * wgmma_rows) == 0; };
    return {tile_->m, tile_->n, divides(2) ? 2 : divides(3) ? 3 : 1};
  }

  [[nodiscard]] GemmTiling of_groups(const GroupShape& shape) const {
    GemmTiling tiling;
    tiling.variant = GemmVariant::wgmma;
    tiling.tile = {shape.m, shape.n, swizzle_bytes / size_of(problem_.dtype)};
    list_.fix_k(tiling);
    tiling.consumers = shape.consumers;
    tiling.specialize = true;
    tiling.swap_ab = swap_ab_;
    tiling.promote = problem_.block_scales;
    tiling.instruction = {};
    return tiling;
  }

  /// Columns of which the rows of a tile make up two buffers of C, as large as the library's: those that divide the
  /// tile's. 0, the whole tile, where there is room for it, or no such piece.
  [[nodiscard]] int in_pieces(const GroupShape& shape) const {
    const int column_bytes = shape.m * size_of(result_type(problem_));
    if (shape.n * column_bytes <= staged_bytes) return 0;
    const int most = staged_bytes / 2 / column_bytes;
    const int step = piece_step(result_type(problem_), swap_ab_);
    for (int columns = most / step * step; columns > 0; columns -= step)
      if (shape.n % columns == 0 && columns < shape.n) return columns;
    return 0;
  }

  [[nodiscard]] static GemmTiling in_groups(GemmTiling tiling) {
    tiling.order = TileOrder::grouped;
    tiling.group = grouped_rows;
    return tiling;
  }

  /// CUTLASS's persistent tile scheduler left to itself (RasterOrderOptions::Heuristic, max_swizzle_size 1): tiles are
  /// numbered along the side that has fewer of them, in no groups.
  [[nodiscard]] GemmTiling along_shorter_side(GemmTiling tiling) const {
    const auto in_clusters = [](std::int64_t extent, int tile, int ctas) {
      return pieces(pieces(extent, tile), ctas) * ctas;
    };
    const bool fewer_rows = in_clusters(problem_.m, tiling.tile.m, tiling.cluster.m) <
                            in_clusters(problem_.n, tiling.tile.n, tiling.cluster.n);
    tiling.order = fewer_rows ? TileOrder::column : TileOrder::row;
    return tiling;
  }

  /// One CTA for each SM, in whole clusters, that walks the tiles.
  [[nodiscard]] GemmTiling walking(GemmTiling tiling) const {
    const std::int64_t size = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
    tiling.ctas = std::min(profile_.sm.count / size * size, list_.tiles(tiling) / size * size);
    return tiling;
  }

  [[nodiscard]] GemmTiling persistent(const GemmTiling& tiling) const { return in_groups(walking(tiling)); }

  const Profile& profile_;
  bool turns_c_;  ///< tiles with A and B swapped though the layout does not need it
  bool swap_ab_;
  GemmProblem problem_;  ///< as it is tiled
  const GemmRequest& request_;
  const std::optional<GemmTile>& tile_;
  GemmLibrary library_;
  CandidateList& list_;
};

}  // namespace

void add_group_candidates(const Profile& profile, const GemmProblem& problem, const GemmRequest& request,
                          const std::optional<GemmTile>& tile, GemmLibrary library, CandidateList& list) {
  GroupCandidates(profile, problem, request, tile, library, list).add();
  const bool has_swapped = library == GemmLibrary::recent || library == GemmLibrary::cublas_12;
  const bool can_swap = size_of(problem.dtype) < register_bytes && !problem.sparse && !problem.block_scales &&
                        problem.batch_interleave == 1 && request.swap_ab.value_or(true);
  if (has_swapped && can_swap) GroupCandidates(profile, problem, request, tile, library, list, true).add();
}

}  // namespace gpusim::schedules
