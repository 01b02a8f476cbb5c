// How warps share the CTA's tile, and lanes the warp's.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>

#include "schedules/gemm_cta_slices.h"
#include "sizes.h"

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

Grain grain_of(const GemmPlan& plan) {
  if (!plan.on_tensor_cores()) return {1, 1, lanes_per_warp};
  return {plan.tiling.instruction.m, plan.tiling.instruction.n, lanes_per_warp};
}

std::string extent_text(const Extent& extent) {
  return std::to_string(extent.rows) + "x" + std::to_string(extent.columns);
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

/// Eight warps where they can share the tile; more for large tiles, fewer for small ones. Of several slices eight in
/// all, or as many each as hold their accumulators.
std::optional<Extent> choose_warps(const GemmPlan& plan) {
  const Grain grain = grain_of(plan);
  const GemmTile& tile = plan.tiling.tile;
  const int most = plan.on_tensor_cores() ? most_accumulators_tensor : most_accumulators_simt;
  const auto needed = static_cast<unsigned>(pieces(std::int64_t{tile.m} * tile.n, std::int64_t{most} * lanes_per_warp));
  const int wanted = std::max(default_warps / plan.tiling.cta_slices, static_cast<int>(std::bit_ceil(needed)));
  for (int warps = std::min(wanted, most_warps); warps >= 1; warps /= 2)
    if (const auto grid = warp_grid(tile, warps, grain)) return grid;
  return std::nullopt;
}

/// The grid of 32 lanes over `block` whose tiles are nearest to square, columns being the longer side. With a thread
/// tile: the grid of such tiles that is nearest to square and divides the block.
std::optional<Extent> lane_grid(const Extent& block, const GemmShape& thread_tile) {
  const bool fixed = thread_tile.m > 0;
  std::optional<Extent> best;
  int best_perimeter = 0;
  for (int rows = lanes_per_warp; rows >= 1; rows /= 2) {
    const Extent grid{rows, lanes_per_warp / rows};
    const Extent step{grid.rows * std::max(thread_tile.m, 1), grid.columns * std::max(thread_tile.n, 1)};
    if (block.rows % step.rows != 0 || block.columns % step.columns != 0) continue;
    const int perimeter = fixed ? step.rows + step.columns : block.rows / grid.rows + block.columns / grid.columns;
    if (best && perimeter >= best_perimeter) continue;
    best = grid;
    best_perimeter = perimeter;
  }
  return best;
}

/// All warps of a warp group lie one below the other.
void plan_warpgroups(GemmPlan& plan) {
  plan.warps = {warps_per_group * plan.tiling.consumers, 1};
  plan.warp_tile = {plan.tiling.tile.m / plan.warps.rows, plan.tiling.tile.n};
}

/// The pieces of the tile that are nearest to what is wanted, and can be cut further.
std::string nearest_share(const GemmTile& tile, const GemmShape& wanted, const Grain& grain) {
  Extent nearest;
  const auto away = [&](const Extent& share) {
    return std::abs(share.rows - wanted.m) + std::abs(share.columns - wanted.n);
  };
  for (int rows = grain.rows; rows <= tile.m; rows += grain.rows)
    for (int columns = grain.columns; columns <= tile.n; columns += grain.columns) {
      const bool fits = tile.m % rows == 0 && tile.n % columns == 0 && rows * columns % grain.elements == 0 &&
                        tile.m / rows * (tile.n / columns) <= most_cta_threads / lanes_per_warp;
      if (fits && (nearest.rows == 0 || away({rows, columns}) < away(nearest))) nearest = {rows, columns};
    }
  return nearest.rows > 0 ? extent_text(nearest) + " would do" : "no piece of it can; another tile is needed";
}

bool plan_given_warp_tile(GemmPlan& plan, std::vector<Problem>& problems) {
  const GemmShape& wanted = plan.tiling.warp_tile;
  const GemmTile& tile = plan.tiling.tile;
  const Grain grain = grain_of(plan);
  const Extent share{wanted.m, wanted.n};
  if (tile.m % wanted.m != 0 || tile.n % wanted.n != 0) {
    problems.push_back({"warp_tile", "a tile of " + to_string(tile) + " cannot be cut into pieces of " +
                                         extent_text(share) + "; " + nearest_share(tile, wanted, grain)});
    return false;
  }
  if (wanted.m % grain.rows != 0 || wanted.n % grain.columns != 0 || wanted.m * wanted.n % grain.elements != 0) {
    const std::string grains = plan.on_tensor_cores()
                                   ? "whole instructions of " + extent_text({grain.rows, grain.columns})
                                   : std::string("32 equal parts");
    problems.push_back({"warp_tile", extent_text(share) + " cannot be cut into " + grains + "; " +
                                         nearest_share(tile, wanted, grain)});
    return false;
  }
  plan.warp_tile = share;
  plan.warps = {tile.m / wanted.m, tile.n / wanted.n};
  return true;
}

/// Warps as the thread tile has them: 32 of it, as nearly square as possible.
bool plan_given_thread_tile(GemmPlan& plan, std::vector<Problem>& problems) {
  const GemmShape& wanted = plan.tiling.thread_tile;
  const GemmTile& tile = plan.tiling.tile;
  const std::optional<Extent> lanes = lane_grid({tile.m, tile.n}, wanted);
  if (!lanes) {
    problems.push_back({"thread_tile", to_string(tile) + " is not shared by whole warps of threads of " +
                                           extent_text({wanted.m, wanted.n}) + "; sides that are multiples of " +
                                           std::to_string(8 * wanted.m) + " and " + std::to_string(4 * wanted.n) +
                                           " are"});
    return false;
  }
  plan.warp_tile = {lanes->rows * wanted.m, lanes->columns * wanted.n};
  plan.warps = {tile.m / plan.warp_tile.rows, tile.n / plan.warp_tile.columns};
  return true;
}

void plan_lanes(GemmPlan& plan, std::vector<Problem>& problems) {
  const GemmShape& wanted = plan.tiling.thread_tile;
  std::optional<Extent> lanes;
  if (wanted.m > 0) {
    const Extent grid{plan.warp_tile.rows / wanted.m, plan.warp_tile.columns / wanted.n};
    if (plan.warp_tile.rows % wanted.m == 0 && plan.warp_tile.columns % wanted.n == 0 &&
        grid.rows * grid.columns == lanes_per_warp)
      lanes = grid;
  } else {
    lanes = lane_grid(plan.warp_tile, {});
  }
  if (!lanes) {
    problems.push_back(
        {wanted.m > 0 ? "thread_tile" : "tile", "a warp's " + extent_text(plan.warp_tile) + " is not 32 threads' " +
                                                    (wanted.m > 0 ? extent_text({wanted.m, wanted.n}) : "equal parts") +
                                                    "; without a warp tile, one is chosen"});
    return;
  }
  if (plan.tiling.pair_lanes && (lanes->rows < 2 || lanes->columns < 2)) {
    problems.push_back({"pair_lanes", "the lanes of a warp are a grid of " + extent_text(*lanes) +
                                          ", which has no two rows and columns; thread_tile can give it some"});
    return;
  }
  plan.lanes = *lanes;
  plan.thread_tile = {plan.warp_tile.rows / lanes->rows, plan.warp_tile.columns / lanes->columns};
}

/// By the choice that makes them so many, and what would make them fewer.
void check_threads(const GemmPlan& plan, std::vector<Problem>& problems) {
  const int threads = plan.slice_warps() * lanes_per_warp;
  if (threads <= most_cta_threads) return check_slices_of_cta(plan, problems);
  const GemmTiling& tiling = plan.tiling;
  const std::string sum = std::to_string(threads) + " threads, " + std::to_string(threads - most_cta_threads) +
                          " more than a CTA can have; ";
  GemmShape fewer = tiling.thread_tile.m > 0 ? tiling.thread_tile : tiling.warp_tile;
  for (int left = threads; left > most_cta_threads; left = (left + 1) / 2)
    (fewer.m <= fewer.n ? fewer.m : fewer.n) *= 2;
  const std::string whole = to_string(tiling.tile);
  const std::string enough = std::to_string(fewer.m) + "x" + std::to_string(fewer.n);
  if (tiling.thread_tile.m > 0)
    problems.push_back({"thread_tile", "a tile of " + whole + " in pieces of " +
                                           extent_text({tiling.thread_tile.m, tiling.thread_tile.n}) + " is " + sum +
                                           enough + " would do"});
  else
    problems.push_back({"warp_tile", "a tile of " + whole + " in pieces of " +
                                         extent_text({tiling.warp_tile.m, tiling.warp_tile.n}) + " is " + sum + enough +
                                         " would do"});
}

}  // namespace

void plan_threads(GemmPlan& plan, std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  const GemmTiling& tiling = plan.tiling;
  if (tiling.variant == GemmVariant::wgmma) return plan_warpgroups(plan);
  if (tiling.variant < GemmVariant::simt) {  // a warp is a column of naive threads, a row of coalesced ones, or several
    const bool naive = tiling.variant == GemmVariant::naive;
    const int along = std::min(naive ? tiling.tile.m : tiling.tile.n, lanes_per_warp);
    plan.lanes = naive ? Extent{along, lanes_per_warp / along} : Extent{lanes_per_warp / along, along};
    plan.warp_tile = plan.lanes;
    plan.thread_tile = {1, 1};
    plan.warps = {tiling.tile.m / plan.lanes.rows, tiling.tile.n / plan.lanes.columns};
    return;
  }
  if (tiling.warp_tile.m > 0) {
    if (!plan_given_warp_tile(plan, problems)) return;
  } else if (tiling.thread_tile.m > 0) {
    if (!plan_given_thread_tile(plan, problems)) return;
  } else {
    const std::optional<Extent> warps = choose_warps(plan);
    if (!warps) {
      problems.push_back({"tile", to_string(tiling.tile) +
                                      " cannot be shared by warps of 32 lanes; sides that are multiples of 32 can"});
      return;
    }
    plan.warps = *warps;
    plan.warp_tile = {tiling.tile.m / warps->rows, tiling.tile.n / warps->columns};
  }
  if (!plan.on_tensor_cores()) plan_lanes(plan, problems);
  if (problems.size() == before) check_threads(plan, problems);
}

}  // namespace gpusim::schedules
