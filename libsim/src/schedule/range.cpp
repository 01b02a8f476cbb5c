#include "schedule/range.h"

#include <algorithm>

namespace gpusim::schedule {
namespace {

struct Digits {
  std::int64_t lowest;
  std::int64_t highest;
};

Digits digits_of(const Term& term, const Space& space) {
  const auto source = static_cast<std::size_t>(term.source);
  Digits digits{(space.lowest[source] + term.shift) / term.divisor,
                (space.highest[source] + term.shift) / term.divisor};
  if (term.modulus == 0) return digits;
  const bool wraps = digits.lowest / term.modulus != digits.highest / term.modulus;
  if (wraps) return {0, term.modulus - 1};
  return {digits.lowest % term.modulus, digits.highest % term.modulus};
}

}  // namespace

Range range_of(const Layout& layout, const Space& space) {
  Range range{static_cast<double>(layout.offset()), static_cast<double>(layout.offset())};
  for (const Term& term : layout.terms()) {
    const Digits digits = digits_of(term, space);
    const double low = static_cast<double>(digits.lowest) * static_cast<double>(term.stride);
    const double high = static_cast<double>(digits.highest) * static_cast<double>(term.stride);
    range.lowest += std::min(low, high);
    range.highest += std::max(low, high);
  }
  return range;
}

}  // namespace gpusim::schedule
