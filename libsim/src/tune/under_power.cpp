#include "gpusim/under_power.h"

#include "gpusim/estimate/power.h"

namespace gpusim {

Result run_under_power(const Gpu& gpu, const std::vector<Schedule>& schedules, const RunOptions& options,
                       const std::function<double(double us)>& watts) {
  const Profile& profile = gpu.profile();
  RunOptions at = options;
  if (!profile.power) at.clock_mhz = profile.clock.boost_mhz;
  Result result = gpu.run(schedules, at);
  const auto drawn = estimate::power(result);
  if (!drawn || result.termination == Termination::stopped) return result;
  const double allowed = watts ? watts(drawn->us) : drawn->limit_watts;
  at.clock_mhz = estimate::clock_under_power(result, allowed);
  return *at.clock_mhz == result.clock_mhz ? result : gpu.run(schedules, at);
}

}  // namespace gpusim
