// How often the loops of a schedule's CTAs walk.
#pragma once

#include <cstdint>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// The most that any CTA has; its items may have fewer k tiles each.
struct WalkTrips {
  std::int64_t items = 0;
  std::int64_t k_tiles = 0;      ///< of one item
  std::int64_t all_k_tiles = 0;  ///< of all items of a CTA: no CTA has more
};
[[nodiscard]] WalkTrips most_trips(const Schedule& schedule);

}  // namespace gpusim::schedule
