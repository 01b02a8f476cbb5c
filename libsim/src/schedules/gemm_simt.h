// The program of naive, coalesced and simt: one role, every warp loads, multiplies and stores.
#pragma once

#include "gpusim/program.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

[[nodiscard]] Program simt_program(const GemmPlan& plan);

}  // namespace gpusim::schedules
