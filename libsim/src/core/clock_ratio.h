// Rates of other clock domains, seen from this one. Exact.
#pragma once

#include <cstdint>

#include "gpusim/units.h"

namespace gpusim::core {

/// `gb_per_s` (10^9 bytes a second) in bytes per cycle of a `mhz` clock.
[[nodiscard]] constexpr Rate bytes_per_cycle(Rate gb_per_s, std::int64_t mhz) {
  return gb_per_s.is_unlimited() ? gb_per_s : Rate::ratio(gb_per_s.amount() * 1000, gb_per_s.period() * mhz);
}

/// `duration` counted at `from_mhz`, in cycles of a `to_mhz` clock, rounded to the nearest.
[[nodiscard]] constexpr Cycles rescale(Cycles duration, std::int64_t from_mhz, std::int64_t to_mhz) {
  return Cycles((duration.count() * to_mhz + from_mhz / 2) / from_mhz);
}

}  // namespace gpusim::core
