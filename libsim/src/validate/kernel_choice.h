// The kernels a measured row is simulated with: its own, shared out as the library that wrote it does.
#pragma once

#include <string>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "gpusim/validate_kernels.h"

namespace gpusim::validate {

struct ChosenKernels {
  std::vector<Schedule> kernels;     ///< one after the other
  std::vector<std::string> written;  ///< buffers that hold results
  std::string description;           ///< "softmax 4096x1024 fp32, as PyTorch"
};

/// Throws ScheduleError where there is no schedule, or none of the GPU's.
[[nodiscard]] ChosenKernels kernels_of(const MeasuredKernel& row, const Profile& profile);

}  // namespace gpusim::validate
