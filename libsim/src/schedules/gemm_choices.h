// A plan's choices as text, for people and for the Result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// Those every GEMM has, and of the others those that were made.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> gemm_choices(const GemmPlan& plan);

}  // namespace gpusim::schedules
