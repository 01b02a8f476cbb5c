// 2:4 sparse matrices: of every four consecutive columns two are stored, one after another.
#pragma once

#include <cstdint>

namespace gpusim::functional {

inline constexpr std::int64_t four = 4;
inline constexpr std::int64_t stored_of_four = 2;
/// Stored elements that a word of metadata places, two bits each.
inline constexpr std::int64_t stored_of_word = 16;

/// The column that a stored one is where a program has no metadata, which could say otherwise for each four: here it is
/// always the first and the last.
[[nodiscard]] constexpr std::int64_t place_of_stored(std::int64_t column) { return column / 2 * 4 + column % 2 * 3; }

/// The place among four that a word of metadata gives a stored column.
[[nodiscard]] constexpr std::int64_t place_in_word(double word, std::int64_t stored) {
  const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(word));
  return bits >> (2 * (stored % stored_of_word)) & 3U;
}

}  // namespace gpusim::functional
