#include "validate/gemm_choice.h"

#include <optional>

#include "gpusim/schedules/gemm.h"
#include "validate/gemm_batch.h"
#include "validate/gemm_notes.h"

namespace gpusim::validate {
namespace {

using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmTile;
using schedules::GemmTiling;
using schedules::GemmVariant;

constexpr GemmTile default_tile{128, 128, 32};

bool is_staged(GemmVariant variant) { return variant == GemmVariant::async || variant == GemmVariant::tma; }

std::string text_of(const GemmTile& tile) {
  return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
}

GemmProblem problem_of(const MeasuredGemm& row) {
  for (const DType type : {row.input, row.accumulate})
    if (!is_storable(type))
      throw ScheduleError({Problem{"dtype", "no schedule has " + std::string(name(type)) + " matrices"}});
  GemmProblem problem;
  problem.m = row.m;
  problem.n = row.n;
  problem.k = row.k;
  problem.dtype = row.input;
  problem.accumulate = row.accumulate;
  return problem;
}

GemmTiling tiling_with(const GemmTile& tile, const GemmProblem& problem, const Profile& profile) {
  GemmRequest request;
  request.tile = tile;
  return schedules::choose(profile, problem, request);
}

/// Nothing when the tile does not fit.
std::optional<GemmTiling> tiling_if_it_fits(const GemmTile& tile, const GemmProblem& problem, const Profile& profile) {
  try {
    return tiling_with(tile, problem, profile);
  } catch (const ScheduleError&) {
    return std::nullopt;
  }
}

/// The tile of the notes. Kernels that note a short k step keep several of them in shared memory; only the staged
/// variants do so here, and the others get the default step.
GemmTile tile_of(const NotedTile& noted, GemmVariant variant) {
  return {noted.m, noted.n, is_staged(variant) ? noted.k.value_or(default_tile.k) : default_tile.k};
}

}  // namespace

GemmChoice choose_gemm(const MeasuredGemm& row, const Profile& profile) {
  const GemmProblem problem = problem_of(row);
  std::optional<GemmTiling> tiling;
  std::string remark;
  if (const auto noted = noted_tile(row.schedule_notes, row.m, row.n)) {
    const std::vector<GemmVariant> able = schedules::variants(profile, problem.dtype, problem.accumulate);
    if (!able.empty()) {
      const GemmTile tile = tile_of(*noted, able.front());
      tiling = tiling_if_it_fits(tile, problem, profile);
      if (!tiling) remark += "; noted tile " + text_of(tile) + " does not fit";
    }
  }
  if (!tiling) tiling = tiling_with(default_tile, problem, profile);
  if (const std::int64_t split = noted_split(row.schedule_notes); split > 1)
    remark += "; split-K " + std::to_string(split) + " left out";

  std::string description = std::string(schedules::name(tiling->variant)) + " " + text_of(tiling->tile);
  if (is_staged(tiling->variant)) description += ", " + std::to_string(tiling->stages) + " stages";
  return {batched_gemm(problem, *tiling, row.batch), description + remark};
}

}  // namespace gpusim::validate
