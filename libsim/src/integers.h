// Whole numbers rounded: to quotients and to powers of two.
#pragma once

#include <bit>
#include <cstdint>

namespace gpusim {

[[nodiscard]] constexpr std::int64_t divided_up(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}
/// The next power of 2 that is not smaller.
[[nodiscard]] constexpr std::int64_t power_of_two_from(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}
/// The last one that is not greater.
[[nodiscard]] constexpr std::int64_t power_of_two_up_to(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

}  // namespace gpusim
