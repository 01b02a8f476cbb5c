// The warp roles of the wgmma variant: consumer warp groups that multiply, and, specialised, a producer that copies.
#pragma once

#include <vector>

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// Instructions by which a warp reads the metadata of a k tile: one for each 64 rows of its group and k whose words lie
/// side by side.
[[nodiscard]] int metadata_loads(const GemmPlan& plan);

[[nodiscard]] std::vector<Role> wgmma_roles(const GemmPlan& plan);

}  // namespace gpusim::schedules
