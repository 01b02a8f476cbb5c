// A complete profile file to spoil in tests of reading.
#pragma once

#include <string>
#include <string_view>

#include "gpusim/profile_io.h"

namespace gpusim::test {

/// The built-in textbook machine as a file.
[[nodiscard]] inline std::string small_profile() { return to_json(load_profile("textbook-2023")); }

/// `text` with the first `from` replaced by `to`; "" (which no test expects) when there is none.
[[nodiscard]] inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

/// What parsing `text` is refused with; "" when it is not refused.
[[nodiscard]] inline std::string refusal(std::string_view text, std::string_view origin = "small.json") {
  try {
    (void)parse_profile(text, origin);
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "";
}

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace gpusim::test
