// Division by reciprocal alone: the same quotients as the processor's.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "core/divisor.h"

namespace gpusim::core_divisor_test {

using core::Divisor;

namespace {

constexpr std::uint64_t most_32 = 0xFFFFFFFFU;

void check_same(std::uint64_t number, std::uint64_t by) {
  const Divisor divisor(by);
  CAPTURE(number);
  CAPTURE(by);
  CHECK(divisor.quotient(number) == number / by);
  CHECK(divisor.remainder(number) == number % by);
}

}  // namespace

TEST_CASE("quotients are right beside multiples of the divisor, where rounding would show") {
  for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7},
                                 std::uint64_t{320}, std::uint64_t{641}, std::uint64_t{65537}, most_32 - 1, most_32})
    for (const std::uint64_t times : {std::uint64_t{0}, std::uint64_t{1}, most_32 / by / 2, most_32 / by})
      for (const std::uint64_t beside : {std::uint64_t{0}, std::uint64_t{1}, by - 1})
        check_same(by * times + beside, by);
}

TEST_CASE("quotients are right where the reciprocal alone no longer says them") {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{266},
                                 std::uint64_t{33523}, most_32, most_32 + 1, most_32 + 2, all / 2, all - 1, all}) {
    const std::uint64_t reciprocal = all / by;
    for (const std::uint64_t number : {reciprocal - 1, reciprocal, reciprocal / by * by, reciprocal / by * by - 1})
      check_same(number, by);
  }
}

TEST_CASE("quotients are right for any numbers, of 32 bits and beyond") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t number = random() >> random() % 64;
    check_same(number, 1 + (random() >> random() % 64) % (number + 2));
  }
}

TEST_CASE("a divisor of more than 32 bits divides numbers smaller and larger than itself") {
  constexpr std::uint64_t by = std::uint64_t{5} << 40;
  check_same(by - 1, by);
  check_same(by, by);
  check_same(3 * by + 2, by);
}

}  // namespace gpusim::core_divisor_test
