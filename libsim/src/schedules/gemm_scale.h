// What scaling, bias and activation cost, in instructions for each element.
#pragma once

#include <cstdint>

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedules {

/// On the FMA pipe.
[[nodiscard]] std::int64_t scale_instructions(const GemmProblem& problem);
/// On the SFU.
[[nodiscard]] std::int64_t special_instructions(Activation activation);

}  // namespace gpusim::schedules
