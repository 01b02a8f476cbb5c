// How the tiles of A and B lie in memory and in shared memory, and in what pieces they move.
#pragma once

#include <vector>

#include "gpusim/error.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// Fills in plan.a and plan.b, the tiling's vectors, reads and shared layouts. Appends what cannot be.
void plan_operands(GemmPlan& plan, std::vector<Problem>& problems);

}  // namespace gpusim::schedules
