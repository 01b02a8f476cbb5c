// The schedule a measured GEMM is simulated with.
#pragma once

#include <string>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "gpusim/validate.h"

namespace gpusim::validate {

struct GemmChoice {
  Schedule schedule;
  std::string description;  ///< "async 128x128x32, 4 stages; split-K 9 left out"
};

/// With the tile its notes give where that fits the GPU, else 128x128x32; all else as schedules::choose() has it.
/// Throws ScheduleError when the GPU or the schedules cannot do it.
[[nodiscard]] GemmChoice choose_gemm(const MeasuredGemm& row, const Profile& profile);

}  // namespace gpusim::validate
