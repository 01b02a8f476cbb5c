// Microseconds for people.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace gpusim::tune {

/// "214.3"
[[nodiscard]] inline std::string us_number(double us) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), us, std::chars_format::fixed, 1);
  return {text.data(), end};
}

/// "214.3 us"
[[nodiscard]] inline std::string us_text(double us) { return us_number(us) + " us"; }

}  // namespace gpusim::tune
