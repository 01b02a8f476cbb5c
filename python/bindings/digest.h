// Digests as JSON and the command line write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bindings {

/// 16 hexadecimal digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t digest) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; digest >>= 4) digits[i] = "0123456789abcdef"[digest & 15U];
  return digits;
}

}  // namespace bindings
