#include "validate/gemm_wave.h"

#include <algorithm>
#include <cmath>

#include "gpusim/estimate/roofline.h"
#include "gpusim/schedule.h"

namespace gpusim::validate {
namespace {

using schedules::GemmProblem;
using schedules::GemmShape;
using schedules::GemmTiling;

constexpr std::int64_t further_k_tiles = 3;  ///< of the shorter length, beyond the stages
constexpr std::int64_t beyond_hidden = 2;    ///< of the shorter, times those that stores hide
constexpr std::int64_t long_k_tiles = 16;    ///< of the longer, and twice the shorter's at least
constexpr std::int64_t least_k_tiles = 32;   ///< of a whole worth cutting
constexpr int fewer_waves = 2;
constexpr int more_waves = 4;
constexpr std::int64_t least_waves = more_waves;  ///< of a whole worth cutting

std::int64_t pieces_of(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step; }

double real(std::int64_t value) { return static_cast<double>(value); }

/// K tiles whose arithmetic takes as long as C takes to DRAM. Where k is shorter than that the stores say how long a
/// wave takes, and a further k tile costs nothing.
std::int64_t k_tiles_hidden(const estimate::Roofline& whole, std::int64_t k_tiles) {
  if (whole.compute_us <= 0) return 0;
  return static_cast<std::int64_t>(std::ceil(whole.memory_us * real(k_tiles) / whole.compute_us));
}

}  // namespace

double GemmWave::whole(const Simulate& simulate) const {
  const auto of = [&](std::int64_t length, int count) {
    GemmProblem shorter = part;
    shorter.k = length;
    return static_cast<double>(simulate(shorter, count * ctas + rest).count());
  };
  const auto all_waves = [&](std::int64_t length) {
    const double of_fewer = of(length, fewer_waves);
    const double of_more = of(length, more_waves);
    const double a_wave = std::max((of_more - of_fewer) / (more_waves - fewer_waves), peak_cycles * real(length));
    return of_more + real(waves - more_waves) * a_wave;
  };
  const std::int64_t longer = typical_part().k;
  const double of_shorter = all_waves(part.k);
  const double of_longer = all_waves(longer);
  const double grown = (of_longer - of_shorter) / real(longer - part.k);
  return of_longer + std::max(grown, peak_cycles * real(waves)) * real(k - longer);
}

GemmProblem GemmWave::typical_part() const {
  GemmProblem longer = part;
  longer.k = std::min(k, std::max(2 * part.k, long_k_tiles * k_tile));
  return longer;
}

bool GemmWave::saves() const { return (fewer_waves + more_waves) * (part.k + typical_part().k) < waves * k; }

double GemmWave::typical_whole(double us) const {
  const auto share = [](std::int64_t all, std::int64_t of) {
    return static_cast<double>(all) / static_cast<double>(of);
  };
  return us * share(waves * ctas + rest, ctas) * share(k, typical_part().k);
}

std::optional<GemmWave> wave_of(const GemmProblem& problem, const GemmTiling& tiling, const Profile& profile) {
  const bool alike = problem.batch == 1 && tiling.split_k == 1 && tiling.ctas == 0 && !tiling.stream_k &&
                     tiling.cluster == GemmShape{1, 1};
  if (!alike || pieces_of(problem.k, tiling.tile.k) < least_k_tiles) return std::nullopt;
  const std::int64_t sms = profile.sm.count;
  const Schedule schedule = gemm(problem, tiling);
  const std::int64_t resident = std::max(occupancy(schedule, profile).ctas, 1);
  const GemmProblem tiled = tiled_problem(problem, tiling);
  const std::int64_t ctas = pieces_of(tiled.m, tiling.tile.m) * pieces_of(tiled.n, tiling.tile.n);
  if (ctas < least_waves * sms * resident) return std::nullopt;

  GemmWave wave;
  wave.k = problem.k;
  wave.waves = ctas / (sms * resident);
  wave.rest = ctas % (sms * resident);
  wave.ctas = sms * resident;
  wave.k_tile = tiling.tile.k;
  wave.part = problem;
  const std::int64_t passes = problem.beta != 0 ? 2 : 1;  // read and written
  const Bytes result(passes * problem.m * problem.n * size_of(result_type(problem)));
  const estimate::Roofline whole = estimate::roofline(schedule.work, result, profile, profile.clock.boost_mhz);
  if (!std::isfinite(whole.compute_us)) return std::nullopt;
  const std::int64_t hidden = k_tiles_hidden(whole, pieces_of(problem.k, tiling.tile.k));
  const std::int64_t k_tiles = std::max(std::max(tiling.stages, 1) + further_k_tiles, beyond_hidden * hidden);
  wave.part.k = k_tiles * tiling.tile.k;
  if (2 * wave.part.k > wave.k) return std::nullopt;
  wave.peak_cycles =
      whole.compute_us * real(profile.clock.boost_mhz) * real(wave.ctas) / (real(ctas) * real(problem.k));
  return wave;
}

}  // namespace gpusim::validate
