// The roofline: the larger of arithmetic at peak and compulsory traffic at peak bandwidth.
#pragma once

#include <string>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

struct Roofline {
  double compute_us = 0;  ///< useful operations at the pipe's peak
  double memory_us = 0;   ///< compulsory bytes, at DRAM bandwidth
  double us = 0;          ///< the larger
  std::string bound;      ///< "compute" or "memory"
};

/// Of every buffer once, at `clock_mhz`. Throws ScheduleError when that is not 1 to fastest_mhz. A peak without limit
/// takes no time; one the GPU does not have takes infinitely long.
[[nodiscard]] Roofline roofline(const Schedule& schedule, const Profile& profile, std::int64_t clock_mhz);

/// The same for `work` and what DRAM must move for it (KernelResult::compulsory_bytes).
[[nodiscard]] Roofline roofline(const Work& work, Bytes compulsory, const Profile& profile, std::int64_t clock_mhz);

}  // namespace gpusim::estimate
