#include "validate/gemm_wave.h"

#include <algorithm>

#include "gpusim/schedule.h"

namespace gpusim::validate {
namespace {

using schedules::GemmProblem;
using schedules::GemmShape;
using schedules::GemmTiling;

constexpr std::int64_t further_k_tiles = 3;   ///< of the longer part
constexpr std::int64_t least_k_tiles = 16;    ///< of a whole that is worth cutting
constexpr std::int64_t least_wave_parts = 2;  ///< and its waves

std::int64_t pieces_of(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step; }

/// The factor of `count` that is nearest to its root from below.
std::int64_t squarest_factor(std::int64_t count) {
  std::int64_t factor = 1;
  for (std::int64_t each = 1; each * each <= count; ++each)
    if (count % each == 0) factor = each;
  return factor;
}

}  // namespace

double GemmWave::whole(Cycles shorter, Cycles longer) const {
  const double a_k = static_cast<double>((longer - shorter).count()) / static_cast<double>(parts[1].k - parts[0].k);
  return waves * (static_cast<double>(shorter.count()) + a_k * static_cast<double>(k - parts[0].k));
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
  const std::int64_t stages = std::max(tiling.stages, 1);
  for (std::size_t i = 0; i < wave.parts.size(); ++i) {
    GemmProblem& part = wave.parts[i];
    part = problem;
    part.m = rows * tiling.tile.m;
    part.n = sms * resident / rows * tiling.tile.n;
    part.k = (stages + (i == 0 ? 0 : further_k_tiles)) * tiling.tile.k;
  }
  return wave;
}

}  // namespace gpusim::validate
