// Attention as its libraries run it.
#pragma once

#include "gpusim/profile.h"
#include "gpusim/validate_kernels.h"
#include "validate/kernel_choice.h"
#include "validate/kernel_library.h"
#include "validate/kernel_names.h"

namespace gpusim::validate {

/// Throws ScheduleError.
[[nodiscard]] ChosenKernels attention_kernels(const MeasuredKernel& row, const KernelName& name, KernelLibrary library,
                                              const Profile& profile);

}  // namespace gpusim::validate
