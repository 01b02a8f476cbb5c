// From readings to a verdict.
#include <doctest/doctest.h>

#include "support/anchor_probe.h"

namespace gpusim::anchor_check_test {

using namespace anchor_probe;

namespace {

double parameter(const ProbePoint& point, const std::string& key) { return std::stod(point.parameters.at(key)); }

/// A step from 30 to 200 cycles above `capacity` KiB.
Measure step_at(double capacity) {
  return reads([capacity](const ProbePoint& point) { return parameter(point, "footprint") > capacity ? 200 : 30; });
}

CheckSpec knee_between_16_and_1024_kib() {
  CheckSpec check = check_of_100();
  check.reading = Reading::knee;
  check.threshold = 0.2;
  check.sweep = "footprint";
  check.at = {"16KiB", "1MiB"};
  check.unit = "KiB";
  check.expected = {160, 190};
  return check;
}

}  // namespace

TEST_CASE("the error is in percent of what was published, and of the nearer end of a range") {
  CHECK(percent_error({100, 100}, 97) == doctest::Approx(-3));
  CHECK(percent_error({160, 190}, 209) == doctest::Approx(10));
  CHECK(percent_error({160, 190}, 152) == doctest::Approx(-5));
  CHECK(percent_error({160, 190}, 175) == 0);
}

TEST_CASE("a tolerance in percent and one in cycles hold at their edge and not beyond") {
  const Tolerance percent{0.05, true, "5%"};
  CHECK(is_within({100, 100}, percent, 105));
  CHECK_FALSE(is_within({100, 100}, percent, 105.1));
  CHECK(is_within({160, 190}, percent, 152));
  CHECK_FALSE(is_within({160, 190}, percent, 151.9));
  const Tolerance cycle{1, false, "1 cycle"};
  CHECK(is_within({23, 23}, cycle, 24));
  CHECK_FALSE(is_within({23, 23}, cycle, 24.1));
  CHECK(is_within({23, 23}, Tolerance{}, 23));
  CHECK_FALSE(is_within({23, 23}, Tolerance{}, 23.01));
}

TEST_CASE("a value within tolerance passes, one outside misses") {
  CHECK(run(check_of_100(), reads([](const ProbePoint&) { return 104; })).verdict == Verdict::pass);
  CHECK(run(check_of_100(), reads([](const ProbePoint&) { return 106; })).verdict == Verdict::miss);
}

TEST_CASE("what a profile's number was taken from is input, and a miss where it does not arrive") {
  CheckSpec check = check_of_100();
  check.input = "l1.latency";
  CHECK(run(check, reads([](const ProbePoint&) { return 104; })).verdict == Verdict::input);
  const AnchorCheck done = run(check, reads([](const ProbePoint&) { return 150; }));
  CHECK(done.verdict == Verdict::miss);
  CHECK(done.error == doctest::Approx(50));
}

TEST_CASE("what the GPU cannot run is a miss that says why") {
  const AnchorCheck done = run(check_of_100(), [](const Profile&, const ProbePoint&) -> ProbeReading {
    throw ScheduleError({Problem{"tma", "the GPU has none"}});
  });
  CHECK(done.verdict == Verdict::miss);
  CHECK_FALSE(done.simulated.has_value());
  CHECK(done.note.find("the GPU has none") != std::string::npos);
}

TEST_CASE("a quantity the probe does not read is a miss that names those it does") {
  CheckSpec check = check_of_100();
  check.read = "bandwidth";
  const AnchorCheck done = run(check, reads([](const ProbePoint&) { return 100; }));
  CHECK(done.note.find("it reads latency") != std::string::npos);
}

TEST_CASE("what no probe can measure is a miss without a value") {
  CheckSpec check = check_of_100();
  check.probe.clear();
  check.note = "not modelled";
  const AnchorCheck done = run(check, reads([](const ProbePoint&) { return 100; }));
  CHECK(done.verdict == Verdict::miss);
  CHECK_FALSE(done.simulated.has_value());
  CHECK(done.note == "not modelled");
}

TEST_CASE("an offset moves what is read to where the source begins to count") {
  CheckSpec check = check_of_100();
  check.offset = 2;
  CHECK(run(check, reads([](const ProbePoint&) { return 98; })).simulated == 100);
}

TEST_CASE("a difference and a ratio are against the same point with other parameters") {
  CheckSpec check = check_of_100();
  check.parameters = {{"k", "320"}, {"m", "3"}};
  check.against = {{"k", "20"}};
  const Measure linear = reads([](const ProbePoint& point) { return parameter(point, "k") * parameter(point, "m"); });
  check.reading = Reading::difference;
  CHECK(run(check, linear).simulated == 320 * 3 - 20 * 3);
  check.reading = Reading::ratio;
  CHECK(run(check, linear).simulated == 320 / 20);
}

TEST_CASE("a spread is the largest over the smallest of a sweep") {
  CheckSpec check = check_of_100();
  check.reading = Reading::spread;
  check.sweep = "k";
  check.at = {"4", "2", "5"};
  const AnchorCheck done = run(check, reads([](const ProbePoint& point) { return parameter(point, "k"); }));
  CHECK(done.simulated == 5.0 / 2);
}

TEST_CASE("a knee is found where latency has risen by a share of the step") {
  const AnchorCheck done = run(knee_between_16_and_1024_kib(), step_at(178));
  CHECK(*done.simulated == doctest::Approx(178).epsilon(0.01));
  CHECK(done.verdict == Verdict::pass);
  CHECK(run(knee_between_16_and_1024_kib(), step_at(256)).verdict == Verdict::miss);
}

TEST_CASE("a knee of few KiB is known to a whole one") {
  CHECK(*run(knee_between_16_and_1024_kib(), step_at(50)).simulated == doctest::Approx(50).epsilon(0.02));
  CHECK(*run(knee_between_16_and_1024_kib(), step_at(17)).simulated == doctest::Approx(17).epsilon(0.05));
}

TEST_CASE("the first of a sweep is the one at which the ratio reaches the threshold") {
  CheckSpec check = check_of_100();
  check.reading = Reading::first;
  check.threshold = 0.95;
  check.sweep = "sms";
  check.at = {"1", "2", "3", "4", "5"};
  check.against = {{"sms", "14"}};
  const Measure saturating =
      reads([](const ProbePoint& point) { return std::min(34 * parameter(point, "sms"), 110.0); });
  CHECK(run(check, saturating).simulated == 4);
}

TEST_CASE("a threshold no point of a sweep reaches is a miss") {
  CheckSpec check = check_of_100();
  check.reading = Reading::first;
  check.threshold = 0.95;
  check.sweep = "sms";
  check.at = {"1", "2"};
  check.against = {{"sms", "14"}};
  const AnchorCheck done = run(check, reads([](const ProbePoint& point) { return parameter(point, "sms"); }));
  CHECK(done.verdict == Verdict::miss);
  CHECK_FALSE(done.simulated.has_value());
}

TEST_CASE("clocks are MHz, or a clock of the profile") {
  const Profile ada = load_profile("rtx4090");
  std::vector<std::int64_t> clocks;
  const Measure note = reads([&](const ProbePoint& point) {
    clocks.push_back(point.clock_mhz.value());
    return 100;
  });
  for (const char* clock : {"", "boost", "base", "sustained", "1410"}) {
    CheckSpec check = check_of_100();
    check.clock = clock;
    run(check, note);
  }
  CHECK(clocks == std::vector<std::int64_t>{ada.clock.boost_mhz, ada.clock.boost_mhz, ada.clock.base_mhz,
                                            ada.clock.sustained_mhz, 1410});
}

}  // namespace gpusim::anchor_check_test
