// Rates and durations of other clocks, in cycles of this one.
#include <doctest/doctest.h>

#include "core/clock_ratio.h"

namespace gpusim::core_clock_ratio_test {

TEST_CASE("bytes per second become bytes per cycle without rounding") {
  CHECK(core::bytes_per_cycle(Rate::per_cycle(1008), 2520) == Rate::ratio(1008 * 1000, 2520));
  CHECK(core::bytes_per_cycle(Rate::per_cycle(1008), 2520) == Rate::per_cycle(400));
  CHECK(core::bytes_per_cycle(Rate::ratio(15549, 10), 1410) == Rate::ratio(15549 * 100, 1410));
  CHECK(core::bytes_per_cycle(Rate::unlimited(), 1000).is_unlimited());
}

TEST_CASE("a duration keeps its nanoseconds at another clock, to the nearest cycle") {
  CHECK(core::rescale(Cycles(500), 1000, 1000) == Cycles(500));
  CHECK(core::rescale(Cycles(500), 1000, 2000) == Cycles(1000));
  CHECK(core::rescale(Cycles(500), 1410, 1065) == Cycles(378));  // 377.66
  CHECK(core::rescale(Cycles(3), 2, 1) == Cycles(2));            // 1.5
}

}  // namespace gpusim::core_clock_ratio_test
