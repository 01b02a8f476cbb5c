// Registers a thread of a planned GEMM needs.
#pragma once

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// As estimate_registers().
[[nodiscard]] int registers_for(const GemmPlan& plan);

}  // namespace gpusim::schedules
