#include "validate/timed_run.h"

#include <cmath>

#include "gpusim/estimate/power.h"

namespace gpusim::validate {

bool is_near_clock(std::int64_t clock_mhz, std::int64_t other_mhz) {
  constexpr double apart = 0.12;
  return std::abs(static_cast<double>(clock_mhz) / static_cast<double>(other_mhz) - 1) <= apart;
}

TimedRun timed_run(const Gpu& gpu, const Launches& launches, const RunOptions& options) {
  TimedRun timed{gpu.run(launches.kernels, options), 0, 0};
  timed.clock_mhz = timed.result.clock_mhz;
  const std::vector<KernelResult>& kernels = timed.result.kernels;
  for (std::size_t i = launches.kernels.size() - launches.timed; i < kernels.size(); ++i) {
    const Cycles whole = kernels[i].launch + kernels[i].cycles + kernels[i].drain;
    timed.us += static_cast<double>(whole.count()) / static_cast<double>(timed.clock_mhz);
  }
  return timed;
}

TimedRun timed_run_under_power(const Gpu& gpu, const Launches& launches, RunOptions options,
                               const std::function<double(double us)>& watts) {
  TimedRun timed = timed_run(gpu, launches, options);
  if (!gpu.profile().power || timed.result.termination == Termination::stopped) return timed;
  const std::int64_t clock = estimate::clock_under_power(timed.result, watts(timed.us));
  if (!is_near_clock(clock, timed.clock_mhz)) {
    options.clock_mhz = clock;
    return timed_run(gpu, launches, options);
  }
  timed.us *= estimate::time_ratio(timed.result, clock);
  timed.clock_mhz = clock;
  return timed;
}

}  // namespace gpusim::validate
