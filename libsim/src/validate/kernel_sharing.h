// What the libraries' ways to share rows out have in common.
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>

#include "gpusim/dtype.h"

namespace gpusim::validate {

inline constexpr int lanes_of_warp = 32;
/// Of a lane's widest access.
inline constexpr std::int64_t access_bytes = 16;

[[nodiscard]] inline std::int64_t next_power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}
[[nodiscard]] inline std::int64_t last_power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}
[[nodiscard]] inline std::int64_t rounded_up_quotient(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}
/// Elements of the widest access that divide a row.
[[nodiscard]] inline int access_of(DType dtype, std::int64_t columns) {
  return static_cast<int>(std::gcd(columns, access_bytes / size_of(dtype)));
}

}  // namespace gpusim::validate
