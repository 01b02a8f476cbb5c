#include "gpusim/under_power.h"

#include <cstdlib>

#include "gpusim/estimate/power.h"

namespace gpusim {
namespace {

/// What L2 or DRAM limits takes fewer cycles at a lower clock and so draws more than the run before said: each finds a
/// clock below the last, and the steps get smaller.
constexpr int most_runs = 6;
constexpr std::int64_t near_percent = 1;

bool are_near(std::int64_t a, std::int64_t b) { return std::abs(a - b) * 100 <= near_percent * b; }

}  // namespace

Result run_under_power(const Gpu& gpu, const std::vector<Schedule>& schedules, const RunOptions& options,
                       const std::function<double(double us)>& watts) {
  const Profile& profile = gpu.profile();
  RunOptions at = options;
  if (!profile.power) at.clock_mhz = profile.clock.boost_mhz;
  Result result = gpu.run(schedules, at);
  for (int runs = 1; runs < most_runs && result.termination != Termination::stopped; ++runs) {
    const auto drawn = estimate::power(result);
    if (!drawn) break;
    const std::int64_t clock = estimate::clock_under_power(result, watts ? watts(drawn->us) : drawn->limit_watts);
    if (clock == result.clock_mhz || (runs > 1 && are_near(clock, result.clock_mhz))) break;
    at.clock_mhz = clock;
    result = gpu.run(schedules, at);
  }
  return result;
}

}  // namespace gpusim
