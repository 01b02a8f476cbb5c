// The kernel that finishes the tiles which stream_k cut.
#pragma once

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// C's cut tiles from the workspace that gemm() added their parts to.
[[nodiscard]] Schedule fix_up_tiles(const GemmPlan& plan);

}  // namespace gpusim::schedules
