// The part of a Layout that changes while a program runs: block and loop coordinates. Lowering takes lane, warp and
// repeat out; what is left is evaluated once an instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/layout.h"

namespace gpusim::sm {

/// Whether a coordinate is fixed by who runs the instruction, not by when.
[[nodiscard]] constexpr bool is_within_warp(Coordinate source) {
  return source == Coordinate::lane || source == Coordinate::warp || source == Coordinate::repeat;
}

class Base {
 public:
  Base() = default;
  /// The block and loop terms of `layout`, and its offset.
  explicit Base(const Layout& layout) : offset_(layout.offset()) {
    for (const Term& term : layout.terms())
      if (!is_within_warp(term.source)) add(term);
  }
  /// The warp's terms too, for what a warp does as one and lowering does not tell warps apart in.
  [[nodiscard]] static Base of_warp(const Layout& layout) {
    Base base(layout);
    for (const Term& term : layout.terms())
      if (term.source == Coordinate::warp) base.add(term);
    return base;
  }

  [[nodiscard]] std::int64_t operator()(const Coordinates& at) const {
    std::int64_t sum = offset_;
    for (const Term& term : plain_) sum += at[static_cast<std::size_t>(term.source)] * term.stride;
    for (const Term& term : digits_) sum += value_of(term, at);
    return sum;
  }

 private:
  void add(const Term& term) {
    const bool is_plain = term.divisor == 1 && term.modulus == 0 && term.shift == 0;
    (is_plain ? plain_ : digits_).push_back(term);
  }

  std::int64_t offset_ = 0;
  std::vector<Term> plain_;
  std::vector<Term> digits_;
};

/// Runs the operation where value < limit. Depends on warp too, so it keeps the whole layout.
struct Guard {
  Layout value;
  std::int64_t limit = 0;
  [[nodiscard]] bool holds(const Coordinates& at) const { return value(at) < limit; }
};

}  // namespace gpusim::sm
