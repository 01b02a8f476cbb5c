// How small and how large a Layout can get.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/layout.h"

namespace gpusim::schedule {

/// Lowest and highest value of every coordinate; highest < lowest: the coordinate does not exist there.
struct Space {
  std::array<std::int64_t, coordinate_count> lowest{};
  std::array<std::int64_t, coordinate_count> highest{};

  void set(Coordinate coordinate, std::int64_t low, std::int64_t high) {
    lowest[static_cast<std::size_t>(coordinate)] = low;
    highest[static_cast<std::size_t>(coordinate)] = high;
  }
  [[nodiscard]] bool has(Coordinate coordinate) const {
    return highest[static_cast<std::size_t>(coordinate)] >= lowest[static_cast<std::size_t>(coordinate)];
  }
};

/// Bounds of a layout's value: exact when each coordinate appears in one term. Doubles, so that nothing overflows.
struct Range {
  double lowest = 0;
  double highest = 0;
};
[[nodiscard]] Range range_of(const Layout& layout, const Space& space);

}  // namespace gpusim::schedule
