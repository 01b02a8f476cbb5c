// From a Schedule to what the SMs run: programs flattened, layouts split into what changes and what does not, tokens
// and rates looked up.
#pragma once

#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "machine/memory_map.h"
#include "sm/code.h"

namespace gpusim::machine {

/// `schedule` must pass check(schedule, profile).
[[nodiscard]] sm::Kernel lower(const Schedule& schedule, const Profile& profile, const MemoryMap& memory);

}  // namespace gpusim::machine
