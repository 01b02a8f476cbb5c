// Registers a thread of a planned GEMM needs.
#pragma once

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// As estimate_registers(). Of simt, what an instruction cannot name is spilled, once the fragments are as small as
/// they can be.
void plan_registers(GemmPlan& plan);

/// In how many pieces C is read back for beta. More than one when it does not fit into the registers that the
/// multiplication leaves: two pieces then do.
[[nodiscard]] int source_pieces(const GemmPlan& plan);

}  // namespace gpusim::schedules
