// The clocks that may be asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpusim/error.h"
#include "gpusim/units.h"

namespace gpusim {

/// Why `mhz` is no clock; nothing when it is one.
[[nodiscard]] inline std::optional<Problem> problem_of_clock(std::int64_t mhz) {
  if (mhz >= 1 && mhz <= fastest_mhz) return std::nullopt;
  return Problem{"clock", "a clock is 1 to " + std::to_string(fastest_mhz) + " MHz"};
}

/// Throws ScheduleError when `mhz` is no clock.
inline void require_clock(std::int64_t mhz) {
  if (const auto problem = problem_of_clock(mhz)) throw ScheduleError({*problem});
}

}  // namespace gpusim
