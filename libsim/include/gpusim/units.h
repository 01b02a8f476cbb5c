// Quantities of the model: cycles, bytes, and exact rates.
//
// Time is counted in whole SM cycles. A Cycle is a point on the clock, Cycles is a duration; adding two points does not
// compile. Other clock domains and fractional bandwidths are exact rational Rates; no floating-point number decides
// when anything happens.
//
//   using namespace gpusim::literals;
//   const Cycle done = start + 34_cycles;
//   const Rate slice = Rate::ratio(64 * 1605, 2520);     // 64 B per L2 clock at 1605 MHz, seen from a 2520 MHz SM
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gpusim {

/// The highest clock there is, in MHz: beyond any GPU's, and far from where latencies in cycles overflow.
inline constexpr std::int64_t fastest_mhz = 100'000;

/// A count with a unit. Two quantities mix only when their Tag is the same.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, std::int64_t factor) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator*(std::int64_t factor, Quantity a) { return a * factor; }
  /// How many times b fits into a, rounded down.
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t parts) { return Quantity(a.count_ / parts); }

 private:
  std::int64_t count_ = 0;
};

using Cycles = Quantity<struct CyclesTag>;  ///< a duration in SM cycles
using Bytes = Quantity<struct BytesTag>;    ///< an amount of memory

/// A point in time, in SM cycles since the run began.
class Cycle {
 public:
  constexpr Cycle() = default;
  constexpr explicit Cycle(std::int64_t count) : count_(count) {}

  /// Later than every cycle a run can reach.
  [[nodiscard]] static constexpr Cycle never() { return Cycle(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  constexpr auto operator<=>(const Cycle&) const = default;

  friend constexpr Cycle operator+(Cycle at, Cycles duration) { return Cycle(at.count_ + duration.count()); }
  friend constexpr Cycle operator-(Cycle at, Cycles duration) { return Cycle(at.count_ - duration.count()); }
  friend constexpr Cycles operator-(Cycle end, Cycle start) { return Cycles(end.count_ - start.count_); }
  constexpr Cycle& operator+=(Cycles duration) {
    count_ += duration.count();
    return *this;
  }

 private:
  std::int64_t count_ = 0;
};

/// An exact rate: `amount` per `period` cycles, or unlimited. The amount's unit (instructions, bytes, wavefronts) is
/// the owner's. Always in lowest terms, so equal rates compare equal.
class Rate {
 public:
  /// One per cycle.
  constexpr Rate() = default;

  [[nodiscard]] static constexpr Rate unlimited() {
    Rate rate;
    rate.amount_ = 1;
    rate.period_ = 0;
    return rate;
  }
  [[nodiscard]] static constexpr Rate per_cycle(std::int64_t amount) { return ratio(amount, 1); }
  [[nodiscard]] static constexpr Rate one_every(std::int64_t cycles) { return ratio(1, cycles); }
  /// `amount` per `period` cycles. Throws std::logic_error unless both are positive.
  [[nodiscard]] static constexpr Rate ratio(std::int64_t amount, std::int64_t period) {
    if (amount <= 0 || period <= 0) throw std::logic_error("a rate is a ratio of two positive numbers");
    const std::int64_t divisor = std::gcd(amount, period);
    Rate rate;
    rate.amount_ = amount / divisor;
    rate.period_ = period / divisor;
    return rate;
  }

  [[nodiscard]] constexpr bool is_unlimited() const { return period_ == 0; }
  [[nodiscard]] constexpr std::int64_t amount() const { return amount_; }
  /// 0 when unlimited.
  [[nodiscard]] constexpr std::int64_t period() const { return period_; }
  /// For people: amount per cycle. Infinity when unlimited.
  [[nodiscard]] constexpr double per_cycle() const {
    return is_unlimited() ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(amount_) / static_cast<double>(period_);
  }

  constexpr bool operator==(const Rate&) const = default;

  /// The rate of `parts` units of this rate side by side.
  friend constexpr Rate operator*(Rate rate, std::int64_t parts) {
    return rate.is_unlimited() ? rate : ratio(rate.amount_ * parts, rate.period_);
  }
  /// One of `parts` equal shares of this rate.
  friend constexpr Rate operator/(Rate rate, std::int64_t parts) {
    return rate.is_unlimited() ? rate : ratio(rate.amount_, rate.period_ * parts);
  }

 private:
  std::int64_t amount_ = 1;
  std::int64_t period_ = 1;
};

/// A number that may have no limit: capacities, queue lengths, slots.
template <class T>
class Limited {
 public:
  constexpr Limited() = default;
  constexpr Limited(T value) : value_(value), limited_(true) {}  // NOLINT: a plain number is a limit
  [[nodiscard]] static constexpr Limited unlimited() { return Limited(); }

  [[nodiscard]] constexpr bool is_unlimited() const { return !limited_; }
  /// The limit. Throws std::logic_error when there is none.
  [[nodiscard]] constexpr T value() const {
    if (!limited_) throw std::logic_error("an unlimited number has no value");
    return value_;
  }
  [[nodiscard]] constexpr T value_or(T other) const { return limited_ ? value_ : other; }
  /// Whether `amount` fits.
  [[nodiscard]] constexpr bool admits(T amount) const { return !limited_ || amount <= value_; }

  constexpr bool operator==(const Limited&) const = default;

 private:
  T value_{};
  bool limited_ = false;
};

namespace literals {
constexpr Cycles operator""_cycles(unsigned long long count) { return Cycles(static_cast<std::int64_t>(count)); }
constexpr Bytes operator""_B(unsigned long long count) { return Bytes(static_cast<std::int64_t>(count)); }
constexpr Bytes operator""_KiB(unsigned long long count) { return Bytes(static_cast<std::int64_t>(count) << 10); }
constexpr Bytes operator""_MiB(unsigned long long count) { return Bytes(static_cast<std::int64_t>(count) << 20); }
constexpr Bytes operator""_GiB(unsigned long long count) { return Bytes(static_cast<std::int64_t>(count) << 30); }
}  // namespace literals

}  // namespace gpusim
