// The kernel that adds up the slices of k.
#pragma once

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// C from the workspace that gemm() leaves behind.
[[nodiscard]] Schedule reduce_slices(const GemmPlan& plan);

}  // namespace gpusim::schedules
