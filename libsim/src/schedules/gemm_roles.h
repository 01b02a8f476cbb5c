// The warp roles of each GEMM variant.
#pragma once

#include <vector>

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

[[nodiscard]] std::vector<Role> gemm_roles(const GemmPlan& plan);
/// The mbarriers those roles use.
[[nodiscard]] std::vector<Barrier> gemm_barriers(const GemmPlan& plan);

}  // namespace gpusim::schedules
