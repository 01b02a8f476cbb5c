#include "tune/gemm_piece.h"

#include <algorithm>
#include <utility>

namespace gpusim::tune {
namespace {

using schedules::GemmProblem;
using schedules::GemmTiling;

// One wave: a simulated epilogue costs as much as a dozen k tiles.
constexpr std::int64_t least_k = 4;      ///< k tiles beyond the pipeline's filling
constexpr std::int64_t further_k = 16;   ///< k tiles more, over which a tile's time is taken
constexpr std::int64_t worth_while = 2;  ///< times as many k tiles of CTAs must be left out
constexpr std::int64_t few_waves = 3;    ///< in which the last, incomplete one weighs too much: k alone is cut

std::int64_t pieces(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step; }
std::int64_t whole_multiple(std::int64_t value, std::int64_t step) {
  return std::max(value / step, std::int64_t{1}) * step;
}

/// Tiles along m and n, and products.
struct Grid {
  std::int64_t m, n, batch;
  [[nodiscard]] std::int64_t tiles() const { return m * n * batch; }
};

Grid grid_of(const GemmProblem& problem, const GemmTiling& tiling) {
  const GemmProblem tiled = tiled_problem(problem, tiling);
  return {pieces(tiled.m, tiling.tile.m), pieces(tiled.n, tiling.tile.n), tiled.batch};
}

/// At most `most` tiles: whole products, else a band of as many rows as are numbered together.
Grid part_of(const Grid& whole, const GemmTiling& tiling, std::int64_t most) {
  if (whole.tiles() <= most) return whole;
  if (whole.m * whole.n <= most) return {whole.m, whole.n, std::max(most / (whole.m * whole.n), std::int64_t{1})};
  const std::int64_t m = std::min(whole.m, tiling.group);
  const std::int64_t n = std::min(whole.n, std::max(most / m, std::int64_t{1}));
  Grid part{std::min(whole.m, std::max(most / n, std::int64_t{1})), n, 1};
  if (part.m < whole.m) part.m = whole_multiple(part.m, tiling.cluster.m);
  if (part.n < whole.n) part.n = whole_multiple(part.n, tiling.cluster.n);
  return part;
}

}  // namespace

std::optional<GemmPiece> piece_of(const GemmProblem& problem, const GemmTiling& tiling, const Profile& profile) {
  if (tiling.stream_k) return std::nullopt;  // its items depend on all of k
  const Schedule schedule = gemm(problem, tiling);
  const std::int64_t wave =
      tiling.ctas > 0 ? tiling.ctas : profile.sm.count * std::max(occupancy(schedule, profile).ctas, 1);
  const Grid whole = grid_of(problem, tiling);
  const bool is_few = whole.tiles() * tiling.split_k <= few_waves * wave;
  const Grid part = is_few ? whole : part_of(whole, tiling, std::max(wave / tiling.split_k, std::int64_t{1}));

  const std::int64_t k_tiles = pieces(problem.k, tiling.tile.k);
  const std::int64_t few = tiling.split_k * (tiling.stages + least_k);
  const std::int64_t more = tiling.split_k * (tiling.stages + least_k + further_k);
  const bool shorter = (few + more) * worth_while <= k_tiles;
  const std::int64_t simulated = part.tiles() * (shorter ? few + more : k_tiles);
  if (simulated * worth_while > whole.tiles() * k_tiles) return std::nullopt;

  GemmPiece piece;
  const GemmProblem tiled = tiled_problem(problem, tiling);
  piece.m = std::min(tiled.m, part.m * tiling.tile.m);
  piece.n = std::min(tiled.n, part.n * tiling.tile.n);
  if (tiling.swap_ab) std::swap(piece.m, piece.n);
  piece.batch = part.batch;
  piece.k_short = shorter ? few * tiling.tile.k : problem.k;
  piece.k_long = shorter ? more * tiling.tile.k : problem.k;
  return piece;
}

GemmProblem problem_of(const GemmPiece& piece, std::int64_t k, const GemmProblem& whole) {
  GemmProblem problem = whole;
  problem.m = piece.m;
  problem.n = piece.n;
  problem.k = k;
  problem.batch = piece.batch;
  return problem;
}

GemmTiling tiling_of(const GemmPiece& piece, const GemmTiling& whole) {
  GemmTiling tiling = whole;
  if (tiling.ctas > 0) {
    const std::int64_t cluster = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
    const std::int64_t tiles = grid_of({.m = piece.m, .n = piece.n, .batch = piece.batch}, tiling).tiles();
    tiling.ctas = std::min(tiling.ctas, whole_multiple(tiles, cluster));
  }
  return tiling;
}

}  // namespace gpusim::tune
