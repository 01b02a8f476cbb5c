// The power of a loop, from runs of few of its trips.
#pragma once

#include <cstdint>

#include "gpusim/result.h"

namespace gpusim::estimate {

struct LoopUnderPower {
  std::int64_t clock_mhz = 0;
  double time_ratio = 1;  ///< of its time there to that at the runs' clock
};

/// A run that is `begun` once and `times` what `longer` has beyond it, at the highest clock up to highest_clock() at
/// which it draws no more than `watts`. Both are of one profile, which has a power section, and at one clock. Where
/// `longer` took no longer than `begun` it is all there is to go by.
[[nodiscard]] LoopUnderPower loop_under_power(const Result& begun, const Result& longer, double times, double watts);

}  // namespace gpusim::estimate
