#include "schedules/gemm_candidate_list.h"

#include <algorithm>
#include <array>
#include <limits>

#include "schedules/gemm_plan.h"
#include "schedules/gemm_request.h"

namespace gpusim::schedules {
namespace {

constexpr std::array splits{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};
constexpr int least_k_tiles = 4;  ///< of a slice
constexpr int most_waves = 6;     ///< of slices, a CTA an SM

}  // namespace

std::int64_t CandidateList::tiles(const GemmTiling& tiling) const {
  const GemmProblem tiled = tiled_problem(problem_, tiling);
  return pieces(tiled.m, tiling.tile.m) * pieces(tiled.n, tiling.tile.n) * tiled.batch;
}

void CandidateList::fix_k(GemmTiling& tiling) const {
  if (tile_ && tile_->k > 0) tiling.tile.k = tile_->k;
}

void CandidateList::add_whole(GemmTiling tiling, StageRange stages) {
  fix_k(tiling);
  add_in_slices(tiling, request_.split_k.value_or(1), stages);
}

void CandidateList::add_sliced(GemmTiling tiling, StageRange stages) {
  fix_k(tiling);
  if (request_.split_k) return add_in_slices(tiling, *request_.split_k, stages);
  const std::int64_t k_tiles = pieces(problem_.k, tiling.tile.k);
  for (const int split : splits) {
    if (split > 1 && (tiles(tiling) * split > most_waves * profile_.sm.count || k_tiles / split < least_k_tiles))
      return;
    if (pieces(k_tiles, pieces(k_tiles, split)) == split) add_in_slices(tiling, split, stages);
  }
}

void CandidateList::add_in_slices(GemmTiling tiling, int split, StageRange stages) {
  tiling.split_k = split;
  if (split > 1 && tiling.ctas > 0) {
    tiling.ctas = 0;  // each slice has a CTA of its own
    tiling.pingpong = false;
    if (tiles(tiling) * split <= profile_.sm.count) {
      tiling.order = TileOrder::row;  // in one wave all orders are the same
      tiling.group = GemmTiling{}.group;
    }
  }
  if (add_deepest(tiling, stages) || tiling.epilogue != Epilogue::staged) return;
  tiling.epilogue = Epilogue::direct;  // shared memory does not hold the tile of C, or of its partial sums
  static_cast<void>(add_deepest(tiling, stages));
}

int CandidateList::most_stages(const GemmTiling& tiling) const {
  if (!tiling.stage_a || !tiling.stage_b || problem_.sparse || profile_.shared.capacity.is_unlimited())
    return std::numeric_limits<int>::max();
  const std::int64_t stage = std::int64_t{tiling.tile.m + tiling.tile.n} * tiling.tile.k * size_of(problem_.dtype);
  return static_cast<int>(profile_.shared.capacity.value().count() / std::max<std::int64_t>(stage, 1));
}

bool CandidateList::add_deepest(GemmTiling tiling, StageRange stages) {
  if (request_.stages) {
    tiling.stages = *request_.stages;
    return add_if_it_fits(tiling);
  }
  for (tiling.stages = std::min(stages.most, most_stages(tiling)); tiling.stages >= stages.least; --tiling.stages)
    if (add_if_it_fits(tiling)) return true;
  return false;
}

/// What was asked for, of this tile and variant.
GemmRequest CandidateList::request_of(const GemmTiling& tiling) const {
  GemmRequest request = request_;
  request.tile = tiling.tile;
  request.variant = tiling.variant;
  return request;
}

bool CandidateList::allows(std::string_view where, const GemmTiling& tiling) const {
  const GemmRequest request = request_of(tiling);
  const std::vector<Problem> problems = planning_problems(problem_, with_request(tiling, request), request);
  return std::none_of(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.where == where; });
}

bool CandidateList::can_store_matrices(const GemmTiling& tiling) const {
  return tiling.epilogue == Epilogue::tma && size_of(leaving_type(problem_, tiling)) == half_bytes;
}

bool CandidateList::add_if_it_fits(const GemmTiling& tiling) {
  const GemmRequest request = request_of(tiling);
  GemmTiling fixed = with_request(tiling, request);
  if (!request.stmatrix && !can_store_matrices(fixed)) fixed.stmatrix = false;
  if (!request.epilogue_columns && fixed.epilogue != Epilogue::tma) fixed.epilogue_columns = 0;
  if (!request.interleave && fixed.interleave) fixed.interleave = allows("interleave", fixed);
  try {
    if (!gemm_problems(problem_, fixed, request).empty()) return false;
    if (request_.persistent) fixed.ctas = persistent_ctas(profile_, problem_, fixed);
    const Schedule schedule = gemm(problem_, fixed);
    if (!check(schedule, profile_).empty()) return false;
    if (digests_.insert(digest(schedule)).second) found_.push_back(fixed);
    return true;
  } catch (const ScheduleError&) {
    return false;
  }
}

}  // namespace gpusim::schedules
