#include "view/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace gpusim::view {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string fixed(double number, int digits) {
  if (!std::isfinite(number)) return "-";
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, digits);
  return std::string(text.data(), end.ptr);
}

std::string percent(double ratio) { return std::isfinite(ratio) ? fixed(100 * ratio, 1) + " %" : "-"; }

std::string share(double part, double whole) { return whole == 0 ? "-" : percent(part / whole); }

std::string byte_count(double bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fixed(bytes, unit == 0 ? 0 : 2) + " " + std::string(units[unit]);
}

std::string duration(double microseconds) {
  if (microseconds >= 1e4) return fixed(microseconds / 1e3, 2) + " ms";
  return fixed(microseconds, microseconds < 10 ? 3 : 1) + " us";
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15U];
  return digits;
}

std::string fitted(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  return std::string(text.substr(0, width - 3)) + "...";
}

std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines;
  std::string line = margin;
  for (const std::string& each : words) {
    const std::string word = fitted(each, page_width - indent);
    const bool first = line.size() == indent;
    if (!first && line.size() + 1 + word.size() > page_width) {
      lines += line + "\n";
      line = margin + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  return lines + line + "\n";
}

}  // namespace gpusim::view
