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

/// What L2 limits takes fewer cycles at a lower clock, and draws more there than was thought: until the clock that
/// `clock_of` finds is near the outcome's it is run again there, four times at most. The last one found.
template <class Outcome, class ClockOf, class RunAt>
std::int64_t settle_clock(Outcome& outcome, const ClockOf& clock_of, const RunAt& run_at) {
  constexpr int most_again = 4;
  std::int64_t clock = clock_of(outcome);
  for (int again = 0; again < most_again && !is_near_clock(clock, outcome.clock_mhz); ++again) {
    outcome = run_at(clock);
    clock = clock_of(outcome);
  }
  return clock;
}

/// At `options.clock_mhz`, or boost.
[[nodiscard]] TimedRun timed_run(const Gpu& gpu, const Launches& launches, const RunOptions& options);

/// What a run of them tells.
[[nodiscard]] TimedRun timed_run_of(const Launches& launches, Result result);

/// At the clock at which they draw, on average, what `watts` says of kernels of so many microseconds; looked for from
/// the clock of `first`, a run of them. As it is when the profile says nothing of power.
[[nodiscard]] TimedRun timed_under_power(TimedRun first, const Gpu& gpu, const Launches& launches, RunOptions options,
                                         const std::function<double(double us)>& watts);

}  // namespace gpusim::validate
