// What one CTA takes of an SM.
#pragma once

#include <cstdint>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// Registers a warp is given for so many a thread: in granules.
[[nodiscard]] inline std::int64_t registers_per_warp(std::int64_t per_thread, const Profile& profile) {
  constexpr std::int64_t lanes = 32;
  const std::int64_t granule = profile.sm.register_granule;
  return (per_thread * lanes + granule - 1) / granule * granule;
}

/// Registers a CTA is given when it starts.
[[nodiscard]] inline std::int64_t registers_per_cta(const Schedule& schedule, const Profile& profile) {
  return registers_per_warp(schedule.registers_per_thread, profile) * warps_per_cta(schedule);
}

}  // namespace gpusim::schedule
