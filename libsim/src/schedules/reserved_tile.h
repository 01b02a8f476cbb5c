// Shared memory that a kernel asks for and never touches: less of it is left for other CTAs, and for L1.
#pragma once

#include "gpusim/schedule.h"

namespace gpusim::schedules {

inline constexpr int most_reserved = 1 << 20;  ///< bytes

/// Rounded up to whole lines.
[[nodiscard]] inline SharedTile reserved_tile(int bytes) {
  constexpr int line = 128;
  return {"reserved", (bytes + line - 1) / line, line / 4, DType::fp32, 1, Bytes(line)};
}

}  // namespace gpusim::schedules
