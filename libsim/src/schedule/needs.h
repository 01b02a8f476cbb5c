// What one CTA takes of an SM.
#pragma once

#include <algorithm>
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

/// CTAs whose registers an SM holds. Each sub-partition has its part of them, and a warp has all of its own in one:
/// what is left of several parts holds no further warp. The first CTA is let in if the SM's registers are enough for
/// it, as its producer is a single warp where hardware would have a warp group that gives most of its registers back.
[[nodiscard]] inline Limited<std::int64_t> ctas_by_registers(const Schedule& schedule, const Profile& profile) {
  const std::int64_t per_warp = registers_per_warp(schedule.registers_per_thread, profile);
  if (profile.sm.registers.is_unlimited() || registers_per_cta(schedule, profile) == 0) return {};
  const std::int64_t there = profile.sm.registers.value();
  const std::int64_t parts = profile.sm.sub_partitions;
  const std::int64_t ctas = there / parts / per_warp * parts / warps_per_cta(schedule);
  return std::max(ctas, std::min<std::int64_t>(there / registers_per_cta(schedule, profile), 1));
}

}  // namespace gpusim::schedule
