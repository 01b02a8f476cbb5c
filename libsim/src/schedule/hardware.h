// What a schedule's programs use that a GPU may lack.
#pragma once

#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// Adds each lack to `problems` once, however often it is used.
void hardware_problems(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems);

}  // namespace gpusim::schedule
