// Kernels run as a measurement has them: at a clock that is given, or at what the board's power leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gpusim/gpu.h"

namespace gpusim::validate {

struct TimedRun {
  Result result;
  std::int64_t clock_mhz = 0;  ///< of `us`; the result's, or one near it
  double us = 0;               ///< of the timed kernels, each from the dispatcher's start to its last store
};

/// Kernels of which the last `timed` are timed; those before leave L2 as it is.
struct Launches {
  std::vector<Schedule> kernels;
  std::size_t timed = 0;
};

/// All of them are timed.
[[nodiscard]] inline Launches timed_launches(std::vector<Schedule> kernels) {
  const std::size_t count = kernels.size();
  return {std::move(kernels), count};
}

/// Whether a run at one clock tells its time at another, SM cycles staying as they are: up to 5 % apart. Else it is to
/// be run there (told from 10 and 19 % off, products on L40S and H100 came out 1.1 and 2.8 % long).
[[nodiscard]] bool is_near_clock(std::int64_t clock_mhz, std::int64_t other_mhz);

/// At `options.clock_mhz`, or boost.
[[nodiscard]] TimedRun timed_run(const Gpu& gpu, const Launches& launches, const RunOptions& options);

/// What a run of them tells.
[[nodiscard]] TimedRun timed_run_of(const Launches& launches, Result result);

/// At the clock at which they draw, on average, what `watts` says of kernels of so many microseconds; looked for from
/// the clock of `first`, a run of them. As it is when the profile says nothing of power.
[[nodiscard]] TimedRun timed_under_power(TimedRun first, const Gpu& gpu, const Launches& launches, RunOptions options,
                                         const std::function<double(double us)>& watts);

}  // namespace gpusim::validate
