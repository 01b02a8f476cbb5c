// 2:4 sparse matrices: of every four consecutive columns two are stored, one after another.
#pragma once

#include <cstdint>

namespace gpusim::functional {

/// The column that a stored one is. Metadata, which could say otherwise for each four, are no part of a program: here
/// it is always the first and the last.
[[nodiscard]] constexpr std::int64_t place_of_stored(std::int64_t column) { return column / 2 * 4 + column % 2 * 3; }

}  // namespace gpusim::functional
