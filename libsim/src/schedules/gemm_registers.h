// Registers a thread of a planned GEMM needs.
#pragma once

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// As estimate_registers(), where none are given. simt spills accumulators that these, or what an instruction can name,
/// do not hold beside addresses and one step's fragments. Appends a problem when fewer are given than that, or than a
/// tensor variant's accumulators are.
void plan_registers(GemmPlan& plan, std::vector<Problem>& problems);

/// In how many pieces C is read back for beta. More than one when it does not fit into the registers that the
/// multiplication leaves: two pieces then do.
[[nodiscard]] int source_pieces(const GemmPlan& plan);

}  // namespace gpusim::schedules
