// Division by a number that is known before the run, without the processor's division.
#pragma once

#include <cstdint>

namespace gpusim::core {

class Divisor {
 public:
  constexpr Divisor() = default;
  /// `by` must be positive.
  constexpr explicit Divisor(std::uint64_t by) : by_(by), reciprocal_(all / by), most_(reciprocal_ - 1) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return by_; }

  /// number / value(), rounded down. Of numbers below the reciprocal the next number times the reciprocal, which is
  /// rounded down, errs by less than what is left to the next quotient (Robison 2005). Of larger ones the number times
  /// the reciprocal falls short by less than 1, and by 1 at most when it is rounded down.
  [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t number) const {
    if (number <= most_) return times_reciprocal(number + 1);
    const std::uint64_t at_least = times_reciprocal(number);
    return at_least + (number - at_least * by_ >= by_ ? 1 : 0);
  }
  [[nodiscard]] constexpr std::uint64_t remainder(std::uint64_t number) const {
    return number - quotient(number) * by_;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t all = ~std::uint64_t{0};

  [[nodiscard]] constexpr std::uint64_t times_reciprocal(std::uint64_t number) const {
    return static_cast<std::uint64_t>((static_cast<Wide>(number) * reciprocal_) >> 64);
  }

  std::uint64_t by_ = 1;
  std::uint64_t reciprocal_ = all;  ///< (2^64 - 1) / by_, rounded down
  std::uint64_t most_ = all - 1;    ///< for which the reciprocal alone is exact
};

}  // namespace gpusim::core
