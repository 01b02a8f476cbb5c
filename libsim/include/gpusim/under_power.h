// A run at the clock that the board's power leaves it.
//
//   const auto result = gpusim::run_under_power(gpu, {schedule});
//   result.clock_mhz;                          // 1740, of a boost clock of 1980
//   estimate::power(result)->watts;            // 698, of a limit of 700
#pragma once

#include <functional>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/run_options.h"

namespace gpusim {

/// Runs the schedules at the highest clock up to estimate::highest_clock() at which they draw no more, on average, than
/// `watts` says of a run of so many microseconds; without it than the board's limit for long. They run once at
/// `options.clock_mhz` (boost when there is none), then at the clock that estimate::clock_under_power() finds from
/// that, when it is another, and so on until the next would be within a per cent, six times at most: what L2 limits
/// takes fewer cycles at a lower clock. The power is then within a few per cent of what was asked. Without a power
/// section in the profile the clock is the boost clock. Throws what Gpu::run throws, and, after the first run,
/// ScheduleError when `watts` says no number above 0; infinity is no limit.
[[nodiscard]] Result run_under_power(const Gpu& gpu, const std::vector<Schedule>& schedules,
                                     const RunOptions& options = {},
                                     const std::function<double(double us)>& watts = {});

}  // namespace gpusim
