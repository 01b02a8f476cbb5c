#include "validate/anchor_size.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "binary_units.h"

namespace gpusim::validate {

namespace {
constexpr double kibibyte = 1024;
}

double bytes_from(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (error == std::errc{}) {
    if (unit.empty()) return number;
    for (const BinaryUnit& each : binary_units)
      if (unit == each.name) return std::ldexp(number, each.shift);
  }
  throw std::logic_error("an anchor has '" + std::string(text) + "' where it needs a size");
}

std::string whole_kibibytes(double bytes) { return std::to_string(std::llround(bytes / kibibyte)) + "KiB"; }

}  // namespace gpusim::validate
