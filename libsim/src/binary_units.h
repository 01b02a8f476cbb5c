// Sizes in text: KiB, MiB and GiB, and how others write them.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace gpusim {

struct BinaryUnit {
  std::string_view name;
  int shift;

  /// "M", "MB" or "MiB" for "MiB", in any case.
  [[nodiscard]] bool is_meant_by(std::string_view text) const {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    const std::string letter(name.substr(0, 1));
    const std::array<std::string, 3> forms{letter, letter + "B", std::string(name)};
    return std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
      return std::equal(text.begin(), text.end(), form.begin(), form.end(), same);
    });
  }
};
inline constexpr std::array<BinaryUnit, 3> binary_units{{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};

/// "6MiB" for "6MB", "6 mib" or "6M"; "" for what ends in no such unit.
[[nodiscard]] inline std::string in_binary_unit(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view unit = text.substr(end);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const BinaryUnit& each : binary_units)
    if (each.is_meant_by(unit)) return std::string(text.substr(0, end)) + std::string(each.name);
  return "";
}

}  // namespace gpusim
