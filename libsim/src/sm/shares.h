// What instructions that enter a unit together take of it, shared out among them, without the processor's division.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "core/divisor.h"
#include "core/server.h"
#include "gpusim/units.h"

namespace gpusim::sm {

/// Equal parts of what `count` instructions take together.
class Parts {
 public:
  /// `count` must not be negative; of none there is one part.
  explicit Parts(std::int64_t count)
      : by_(count < std::ssize(known) ? known[static_cast<std::size_t>(count)] : divisor(count)) {}

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(by_.value()); }
  /// Rounded down.
  [[nodiscard]] std::int64_t of(std::int64_t whole) const {
    return static_cast<std::int64_t>(by_.quotient(static_cast<std::uint64_t>(whole)));
  }

 private:
  /// More than a queue of memory instructions has places are seldom together.
  static constexpr std::size_t most_known = 32;

  static constexpr core::Divisor divisor(std::int64_t count) {
    return core::Divisor(static_cast<std::uint64_t>(std::max(count, std::int64_t{1})));
  }
  static const std::array<core::Divisor, most_known + 1> known;

  core::Divisor by_;
};

inline constexpr std::array<core::Divisor, Parts::most_known + 1> Parts::known = [] {
  std::array<core::Divisor, most_known + 1> all;
  for (std::size_t count = 0; count < all.size(); ++count) all[count] = divisor(static_cast<std::int64_t>(count));
  return all;
}();

/// Each of them takes an equal part of a grant, in whole cycles.
class Shares {
 public:
  Shares(const core::Grant& grant, const Parts& parts) : count_(parts.count()), end_(grant.start) {
    const std::int64_t span = (grant.end - grant.start).count();
    part_ = Cycles(parts.of(span));
    rest_ = span - part_.count() * count_;
  }
  /// When the next one's is over.
  Cycle next() {
    end_ += part_;
    left_ += rest_;
    if (left_ >= count_) {
      left_ -= count_;
      end_ += Cycles(1);
    }
    return end_;
  }

 private:
  std::int64_t count_;
  Cycle end_;
  Cycles part_;
  std::int64_t rest_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace gpusim::sm
