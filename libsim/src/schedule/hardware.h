// What a schedule's programs use that a GPU may lack.
#pragma once

#include <string>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// The shapes of tensor instructions that the GPU has for a pair of types, as "m16n8k16, m16n8k8"; empty: none.
[[nodiscard]] std::string shapes_text(const Profile& profile, DType input, DType accumulate);

/// Adds each lack to `problems` once, however often it is used.
void hardware_problems(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems);

}  // namespace gpusim::schedule
