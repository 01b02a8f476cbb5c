#include "schedules/gemm_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "schedules/gemm_registers.h"

namespace gpusim::schedules {
namespace {

/// Accumulators a lane should hold at most before more warps share the tile.
constexpr int most_accumulators_simt = 64;
constexpr int most_accumulators_tensor = 128;
constexpr int default_warps = 8;
constexpr int most_warps = 16;

/// What `warps` each would have to be a multiple of: an instruction, or enough elements for 32 lanes.
struct Grain {
  int rows = 1;
  int columns = 1;
  int elements = 1;
};

Grain grain_of(const GemmTiling& tiling) {
  if (tiling.variant == GemmVariant::simt) return {1, 1, lanes_per_warp};
  return {tiling.instruction.m, tiling.instruction.n, lanes_per_warp};
}

/// The grid of so many warps whose tiles are nearest to square, rows being the longer side; none when they cannot
/// share.
std::optional<Extent> warp_grid(const GemmTile& tile, int warps, const Grain& grain) {
  std::optional<Extent> best;
  int best_perimeter = 0;
  for (int rows = 1; rows <= warps; rows *= 2) {
    const Extent grid{rows, warps / rows};
    if (tile.m % grid.rows != 0 || tile.n % grid.columns != 0) continue;
    const Extent share{tile.m / grid.rows, tile.n / grid.columns};
    if (share.rows % grain.rows != 0 || share.columns % grain.columns != 0) continue;
    if (share.rows * share.columns % grain.elements != 0) continue;
    const int perimeter = share.rows + share.columns;
    if (best && perimeter >= best_perimeter) continue;
    best = grid;
    best_perimeter = perimeter;
  }
  return best;
}

/// Eight warps where they can share the tile; more for large tiles, fewer for small ones.
std::optional<Extent> choose_warps(const GemmTiling& tiling) {
  const Grain grain = grain_of(tiling);
  const int most = tiling.variant == GemmVariant::simt ? most_accumulators_simt : most_accumulators_tensor;
  const bool large = tiling.tile.m * tiling.tile.n > most * default_warps * lanes_per_warp;
  for (int warps = large ? most_warps : default_warps; warps >= 1; warps /= 2)
    if (const auto grid = warp_grid(tiling.tile, warps, grain)) return grid;
  return std::nullopt;
}

/// The grid of 32 lanes whose tiles are nearest to square, columns being the longer side.
std::optional<Extent> lane_grid(const Extent& warp_tile) {
  std::optional<Extent> best;
  int best_perimeter = 0;
  for (int rows = lanes_per_warp; rows >= 1; rows /= 2) {
    const Extent grid{rows, lanes_per_warp / rows};
    if (warp_tile.rows % grid.rows != 0 || warp_tile.columns % grid.columns != 0) continue;
    const int perimeter = warp_tile.rows / grid.rows + warp_tile.columns / grid.columns;
    if (best && perimeter >= best_perimeter) continue;
    best = grid;
    best_perimeter = perimeter;
  }
  return best;
}

int default_fragment_k(const GemmProblem& problem, const GemmTiling& tiling) {
  if (tiling.variant != GemmVariant::simt) return tiling.tile.k;
  return std::gcd(16 / size_of(problem.dtype), tiling.tile.k);
}

}  // namespace

GemmPlan plan_gemm(const GemmProblem& problem, const GemmTiling& tiling) {
  std::vector<Problem> problems = gemm_problems(problem, tiling);
  if (!problems.empty()) throw ScheduleError(std::move(problems));

  GemmPlan plan;
  plan.problem = problem;
  plan.tiling = tiling;
  plan.k_tiles = (problem.k + tiling.tile.k - 1) / tiling.tile.k;
  if (tiling.fragment_k == 0) plan.tiling.fragment_k = default_fragment_k(problem, tiling);
  if (tiling.variant == GemmVariant::simt || tiling.variant == GemmVariant::tensor) plan.tiling.stages = 1;

  const std::string cannot_share = to_string(tiling.tile) + " cannot be shared by warps of 32 lanes";
  const std::optional<Extent> warps = choose_warps(tiling);
  if (!warps) throw ScheduleError({Problem{"tile", cannot_share + "; sides that are multiples of 32 can"}});
  plan.warps = *warps;
  plan.warp_tile = {tiling.tile.m / warps->rows, tiling.tile.n / warps->columns};
  if (tiling.variant == GemmVariant::simt) {
    const std::optional<Extent> lanes = lane_grid(plan.warp_tile);
    if (!lanes) throw ScheduleError({Problem{"tile", cannot_share + "; sides that are multiples of 32 can"}});
    plan.lanes = *lanes;
    plan.thread_tile = {plan.warp_tile.rows / lanes->rows, plan.warp_tile.columns / lanes->columns};
  }
  if (tiling.registers == 0) plan.tiling.registers = registers_for(plan);
  return plan;
}

}  // namespace gpusim::schedules
