#include "validate/gemm_wave.h"

#include <algorithm>
#include <cmath>

#include "gpusim/schedule.h"

namespace gpusim::validate {
namespace {

using schedules::GemmProblem;
using schedules::GemmShape;
using schedules::GemmTiling;

constexpr std::int64_t further_k_tiles = 3;  ///< of the second length; each later one is twice as long
constexpr std::int64_t most_k_tiles = 16;    ///< of the longest, unless the second has more
constexpr double same_pace = 0.1;
constexpr std::int64_t least_k_tiles = most_k_tiles;  ///< of a whole worth cutting: of another the longest is all
constexpr int simulated_waves = 2;                    ///< and one more
constexpr std::int64_t least_wave_parts = 3;          ///< in a whole worth cutting: their waves

std::int64_t pieces_of(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step; }

/// The factor of `count` that is nearest to its root from below.
std::int64_t squarest_factor(std::int64_t count) {
  std::int64_t factor = 1;
  for (std::int64_t each = 1; each * each <= count; ++each)
    if (count % each == 0) factor = each;
  return factor;
}

}  // namespace

double GemmWave::whole(const std::function<Cycles(const GemmProblem&)>& simulate) const {
  const auto of = [&](std::int64_t length, int parts) {
    GemmProblem several = part;
    several.k = length;
    several.m *= parts;
    return static_cast<double>(simulate(several).count());
  };
  const auto all_waves = [&](std::int64_t length) {
    const double of_fewer = of(length, simulated_waves);
    return of_fewer + (waves - simulated_waves) * (of(length, simulated_waves + 1) - of_fewer);
  };
  std::int64_t shorter = part.k;
  double of_shorter = all_waves(shorter);
  double pace = 0;  // cycles for each further k
  bool is_settled = false;
  const std::int64_t longest = std::min(k, std::max(part.k + further_k_tiles * k_tile, most_k_tiles * k_tile));
  while (!is_settled && shorter < longest) {
    const std::int64_t longer = std::min(longest, shorter == part.k ? part.k + further_k_tiles * k_tile : 2 * shorter);
    const double of_longer = all_waves(longer);
    const double before = pace;
    pace = (of_longer - of_shorter) / static_cast<double>(longer - shorter);
    is_settled = std::abs(pace - before) <= same_pace * pace;
    of_shorter = of_longer;
    shorter = longer;
  }
  return of_shorter + pace * static_cast<double>(k - shorter);
}

std::optional<GemmWave> wave_of(const GemmProblem& problem, const GemmTiling& tiling, const Profile& profile) {
  const bool alike = problem.batch == 1 && tiling.split_k == 1 && tiling.ctas == 0 && !tiling.stream_k &&
                     tiling.cluster == GemmShape{1, 1};
  if (!alike || pieces_of(problem.k, tiling.tile.k) < least_k_tiles) return std::nullopt;
  const std::int64_t sms = profile.sm.count;
  const std::int64_t resident = std::max(occupancy(gemm(problem, tiling), profile).ctas, 1);
  const std::int64_t ctas = pieces_of(problem.m, tiling.tile.m) * pieces_of(problem.n, tiling.tile.n);
  if (ctas < least_wave_parts * sms * resident) return std::nullopt;

  GemmWave wave;
  wave.k = problem.k;
  wave.waves = static_cast<double>(pieces_of(ctas, sms)) / static_cast<double>(resident);
  const std::int64_t rows = squarest_factor(sms * resident);
  wave.k_tile = tiling.tile.k;
  wave.part = problem;
  wave.part.m = rows * tiling.tile.m;
  wave.part.n = sms * resident / rows * tiling.tile.n;
  wave.part.k = std::max(tiling.stages, 1) * tiling.tile.k;
  return wave;
}

}  // namespace gpusim::validate
