// What the probes read off a run.
#include "probe/observers.h"

#include <doctest/doctest.h>

namespace gpusim::probe_observers_test {

using namespace gpusim::probe;

TEST_CASE("a stopwatch hears one warp of one kernel and its operation alone") {
  Stopwatch watch("LDG", KernelId(1));
  watch.operation_issued(KernelId(0), {}, "LDG", Cycle(5));
  watch.operation_issued(KernelId(1), {CtaId(0), 1}, "LDG", Cycle(6));
  watch.operation_issued(KernelId(1), {}, "ALU", Cycle(7));
  for (const int at : {100, 150, 170, 190}) watch.operation_issued(KernelId(1), {}, "LDG", Cycle(at));
  CHECK(watch.laps().size() == 4);
  CHECK(watch.per_lap(0) == doctest::Approx((190.0 - 100) / 3));
  CHECK(watch.per_lap(1) == doctest::Approx(20));
  CHECK_THROWS_AS((void)watch.per_lap(3), std::logic_error);
}

TEST_CASE("a rate is over the last half of the time in which all issue") {
  RateMeter meter("UTMALDG");
  // Two CTAs: one copy each in 100 cycles at first, in 50 from cycle 400; the second begins 20 later and goes on
  // longer.
  for (int at = 0; at < 400; at += 100) meter.operation_issued({}, {CtaId(0), 0}, "UTMALDG", Cycle(at));
  for (int at = 400; at <= 800; at += 50) meter.operation_issued({}, {CtaId(0), 0}, "UTMALDG", Cycle(at));
  for (int at = 20; at < 400; at += 100) meter.operation_issued({}, {CtaId(1), 0}, "UTMALDG", Cycle(at));
  for (int at = 420; at <= 1020; at += 50) meter.operation_issued({}, {CtaId(1), 0}, "UTMALDG", Cycle(at));
  CHECK(meter.while_all_issue() == doctest::Approx(2.0 / 50).epsilon(0.02));
}

TEST_CASE("starts by slot count whole turns, whatever the slots' phase") {
  RateMeter meter;
  // Two slots that start together every 300 cycles.
  for (int turn = 0; turn < 10; ++turn)
    for (int slot = 0; slot < 2; ++slot) meter.cta_started({}, {}, SmId(3), Cycle(300 * turn + slot));
  CHECK(meter.starts_per_cycle(2, 1.0 / 3) == doctest::Approx(2.0 / 300));
}

TEST_CASE("a meter that saw too little says so") {
  RateMeter meter;
  meter.cta_started({}, {}, SmId(0), Cycle(0));
  CHECK_THROWS_AS((void)meter.starts_per_cycle(2, 0.3), std::logic_error);
}

}  // namespace gpusim::probe_observers_test
