// What one CTA takes of an SM.
#pragma once

#include <cstdint>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// Registers a CTA is given: each warp's rounded up to the granule.
[[nodiscard]] inline std::int64_t registers_per_cta(const Schedule& schedule, const Profile& profile) {
  constexpr std::int64_t lanes = 32;
  const std::int64_t granule = profile.sm.register_granule;
  const std::int64_t warp = (schedule.registers_per_thread * lanes + granule - 1) / granule * granule;
  return warp * warps_per_cta(schedule);
}

}  // namespace gpusim::schedule
