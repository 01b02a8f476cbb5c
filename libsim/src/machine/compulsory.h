// What DRAM has to move, however a run goes.
#pragma once

#include <span>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"
#include "machine/memory_map.h"

namespace gpusim::machine {

/// Of each kernel (KernelResult::compulsory_bytes).
[[nodiscard]] std::vector<Bytes> compulsory_bytes(std::span<const Schedule> schedules, const MemoryMap& memory,
                                                  const Profile& profile);

}  // namespace gpusim::machine
