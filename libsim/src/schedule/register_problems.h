// What of a schedule's registers a GPU cannot hold.
#pragma once

#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

void register_problems(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems);

}  // namespace gpusim::schedule
