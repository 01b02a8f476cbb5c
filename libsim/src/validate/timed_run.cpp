#include "validate/timed_run.h"

#include <cmath>

#include "gpusim/estimate/power.h"

namespace gpusim::validate {

bool is_near_clock(std::int64_t clock_mhz, std::int64_t other_mhz) {
  constexpr double apart = 0.05;
  return std::abs(static_cast<double>(clock_mhz) / static_cast<double>(other_mhz) - 1) <= apart;
}

TimedRun timed_run_of(const Launches& launches, Result result) {
  TimedRun run{std::move(result), 0, 0};
  run.clock_mhz = run.result.clock_mhz;
  const std::vector<KernelResult>& kernels = run.result.kernels;
  for (std::size_t i = launches.kernels.size() - launches.timed; i < kernels.size(); ++i) {
    const Cycles whole = kernels[i].launch + kernels[i].cycles + kernels[i].drain;
    run.us += static_cast<double>(whole.count()) / static_cast<double>(run.clock_mhz);
  }
  return run;
}

TimedRun timed_run(const Gpu& gpu, const Launches& launches, const RunOptions& options) {
  return timed_run_of(launches, gpu.run(launches.kernels, options));
}

TimedRun timed_under_power(TimedRun first, const Gpu& gpu, const Launches& launches, RunOptions options,
                           const std::function<double(double us)>& watts) {
  if (!gpu.profile().power || first.result.termination == Termination::stopped) return first;
  const auto clock_of = [&](const TimedRun& run) {
    const bool is_stopped = run.result.termination == Termination::stopped;
    return is_stopped ? run.clock_mhz : estimate::clock_under_power(run.result, watts(run.us));
  };
  const auto run_at = [&](std::int64_t clock_mhz) {
    options.clock_mhz = clock_mhz;
    return timed_run(gpu, launches, options);
  };
  TimedRun run = std::move(first);
  const std::int64_t clock = settle_clock(run, clock_of, run_at);
  run.us *= estimate::time_ratio(run.result, clock);
  run.clock_mhz = clock;
  return run;
}

}  // namespace gpusim::validate
