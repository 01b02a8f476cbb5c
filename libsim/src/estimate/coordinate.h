// One of a point's coordinates, to be set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpusim/layout.h"

namespace gpusim::estimate {

[[nodiscard]] inline std::int64_t& coordinate(Coordinates& at, Coordinate which) {
  return at[static_cast<std::size_t>(which)];
}

}  // namespace gpusim::estimate
