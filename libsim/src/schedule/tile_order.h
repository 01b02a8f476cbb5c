// Where the tiles of the output lie, by number.
#pragma once

#include <cstdint>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

struct TilePlace {
  std::int64_t m = 0;
  std::int64_t n = 0;
};

/// The tile of that number within its layer. Where clusters have a shape, their grid is numbered in the schedule's
/// order, and the tiles within each along m first.
[[nodiscard]] TilePlace place_of_tile(const Schedule& schedule, std::int64_t number);

}  // namespace gpusim::schedule
