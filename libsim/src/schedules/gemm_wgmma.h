// The warp roles of the wgmma variant: consumer warp groups that multiply, and, specialised, a producer that copies.
#pragma once

#include <vector>

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

[[nodiscard]] std::vector<Role> wgmma_roles(const GemmPlan& plan);

}  // namespace gpusim::schedules
