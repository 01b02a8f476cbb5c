#include "gpusim/estimate/power.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "support/sample_result.h"

namespace gpusim::estimate_power_test {

namespace {

constexpr double us = 1043.0 / 500;  ///< of the sample: cycles, launch and drain at 500 MHz

PowerSpec spec() {
  PowerSpec power;
  power.limit_w = 100;
  power.burst_percent = 150;
  power.reaction_ms = 10;
  power.static_w = 10;
  power.voltage_mhz = 500;
  power.floor_mhz = 250;
  power.floor_voltage_percent = 60;
  power.sm_cycle_pj = 100;
  power.instruction_pj = 200;
  power.fma_pj = 300;
  power.tensor_fma_fj = 400;
  power.shared_byte_fj = 5000;
  power.l2_byte_fj = 6000;
  power.dram_byte_fj = 7000;
  return power;
}

Result sample(const PowerSpec& power = spec()) {
  Result result = testing::sample_result();
  result.profile.power = power;
  result.profile.clock.boost_mhz = 500;
  result.servers.push_back({"sm.shared", "wavefronts", 8, Rate::per_cycle(1), 200, 200, 0});
  result.servers.push_back({"sm.tma_write", "wavefronts", 8, Rate::per_cycle(2), 40, 20, 0});
  result.servers.push_back({"sm.fma", "instructions", 32, Rate::per_cycle(1), 50, 50, 0});
  return result;
}

/// Watts by name.
std::map<std::string, double, std::less<>> watts(const estimate::PowerEstimate& drawn) {
  std::map<std::string, double, std::less<>> by_name;
  for (const estimate::EnergyTerm& term : drawn.terms) by_name.emplace(term.name, term.watts);
  return by_name;
}

/// `picojoules` over the sample's time.
doctest::Approx over_time(double picojoules) { return doctest::Approx(picojoules * 1e-6 / us); }

}  // namespace

TEST_CASE("each count takes its energy, and the terms add up") {
  const auto drawn = estimate::power(sample());
  REQUIRE(drawn);
  const auto by_name = watts(*drawn);
  CHECK(drawn->clock_mhz == 500);
  CHECK(drawn->us == doctest::Approx(us));
  CHECK(drawn->limit_watts == 100);
  CHECK(by_name.at("static") == doctest::Approx(10));
  CHECK(by_name.at("clocks") == over_time(6000.0 * 100));
  CHECK(by_name.at("instructions") == over_time(700.0 * 200));
  CHECK(by_name.at("fma") == over_time(50.0 * 300));
  CHECK(by_name.at("tensor") == over_time(0.75e6 * 0.4));
  CHECK(by_name.at("shared") == over_time((200.0 + 40.0) * 128 * 5));
  CHECK(by_name.at("l2") == over_time(1000.0 * 32 * 6));
  CHECK(by_name.at("dram") == over_time(16'000.0 * 7));
  double sum = 0;
  for (const auto& [name, value] : by_name) sum += value;
  CHECK(drawn->watts == doctest::Approx(sum));
}

TEST_CASE("narrow operands take their share of a 16-bit multiply-add's energy") {
  Result result = sample();
  const double wide = watts(estimate::power(result).value()).at("tensor");
  result.kernels[0].work.input = DType::fp8;
  CHECK(watts(estimate::power(result).value()).at("tensor") == doctest::Approx(wide / 2));
  result.profile.power->tensor_fp8_percent = 70;  // sums are as wide as ever
  CHECK(watts(estimate::power(result).value()).at("tensor") == doctest::Approx(wide * 0.7));
  result.kernels[0].work.input = DType::int8;
  CHECK(watts(estimate::power(result).value()).at("tensor") == doctest::Approx(wide / 2));
}

TEST_CASE("zeros of a sparse A are not multiplied") {
  Result result = sample();
  const double dense = watts(estimate::power(result).value()).at("tensor");
  result.kernels[0].work.sparse = true;
  CHECK(watts(estimate::power(result).value()).at("tensor") == doctest::Approx(dense / 2));
}

TEST_CASE("the scale is of the chip, not of its memory") {
  PowerSpec twice = spec();
  twice.scale_percent = 200;
  const auto one = watts(estimate::power(sample()).value());
  const auto two = watts(estimate::power(sample(twice)).value());
  CHECK(two.at("l2") == doctest::Approx(2 * one.at("l2")));
  CHECK(two.at("dram") == doctest::Approx(one.at("dram")));
  CHECK(two.at("static") == doctest::Approx(one.at("static")));
}

TEST_CASE("voltage falls in a line to its floor, energy with its square") {
  Result result = sample();
  result.servers.clear();  // DRAM sets no least time
  const auto energy = [&](std::int64_t clock) { return estimate::power(result, clock)->terms[2].millijoules; };
  CHECK(energy(375) == doctest::Approx(energy(500) * 0.8 * 0.8));
  CHECK(energy(250) == doctest::Approx(energy(500) * 0.6 * 0.6));
  CHECK(energy(100) == doctest::Approx(energy(250)));
}

TEST_CASE("another clock is one that a GPU may have") {
  const Result result = sample();
  for (const std::int64_t mhz : {std::int64_t{0}, fastest_mhz + 1}) {
    CHECK_THROWS_WITH_AS((void)estimate::power(result, mhz), "clock: a clock is 1 to 100000 MHz", ScheduleError);
    CHECK_THROWS_AS((void)estimate::time_ratio(result, mhz), ScheduleError);
  }
  CHECK(estimate::power(result, fastest_mhz));
}

TEST_CASE("SM cycles stay at another clock, and DRAM gives no more than it gave") {
  const Result result = sample();  // its channels are busy for 0.8 of the time
  CHECK(estimate::power(result, 250)->us == doctest::Approx(2 * us));
  CHECK(estimate::power(result, 1000)->us == doctest::Approx(0.8 * us));
  CHECK(estimate::time_ratio(result, 250) == doctest::Approx(2));
  CHECK(estimate::time_ratio(result, 1000) == doctest::Approx(0.8));
}

TEST_CASE("the clock under power is the highest that draws no more") {
  const Result result = sample();
  const double less = (10 + estimate::power(result)->watts) / 2;  // between static power and all
  const std::int64_t clock = estimate::clock_under_power(result, less);
  CHECK(clock > 1);
  CHECK(clock < 500);
  CHECK(estimate::power(result, clock)->watts <= less);
  CHECK(estimate::power(result, clock + 1)->watts > less);
  CHECK(estimate::clock_under_power(result, 1e9) == 500);
  CHECK(estimate::clock_under_power(result, 1) == 1);
}

TEST_CASE("a loop's power is that of its beginning and, as often as it goes on, of what a longer run has beyond it") {
  const Result begun = sample();
  Result longer = sample();  // twice the cycles, a trip's work on the fp32 pipe alone
  for (KernelResult& kernel : longer.kernels) kernel.cycles = kernel.cycles + kernel.cycles;
  longer.servers.back().work = 5000;
  const double watts = (10 + estimate::power(begun)->watts) / 2;
  const auto clock_of = [&](double times) { return estimate::loop_under_power(begun, longer, times, watts).clock_mhz; };
  CHECK(clock_of(0) == estimate::clock_under_power(begun, watts));
  CHECK(clock_of(1) == estimate::clock_under_power(longer, watts));
  CHECK(clock_of(100) != clock_of(1));
  CHECK(estimate::loop_under_power(begun, longer, 1, watts).time_ratio ==
        doctest::Approx(estimate::time_ratio(longer, clock_of(1))));
  // No time of its own: what the longer run draws is all there is.
  CHECK(estimate::loop_under_power(longer, longer, 7, watts).clock_mhz == clock_of(1));
  CHECK(estimate::loop_under_power(begun, longer, 3, 1e9).clock_mhz == 500);
}

TEST_CASE("a board is held at a number of watts above 0; infinity is no limit") {
  Result result = sample();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto refuses = [&](double watts) {
    CHECK_THROWS_WITH_AS((void)estimate::clock_under_power(result, watts), "watts: must be a number above 0",
                         ScheduleError);
    CHECK_THROWS_AS((void)estimate::loop_under_power(result, result, 1, watts), ScheduleError);
  };
  for (const double watts : {0.0, -1.0, -infinity, std::nan("")}) refuses(watts);
  CHECK(estimate::clock_under_power(result, infinity) == 500);
  CHECK(estimate::loop_under_power(result, result, 1, infinity).clock_mhz == 500);
  result.profile.power.reset();
  refuses(-1);
}

TEST_CASE("a board may go beyond the boost clock of its data sheet where power allows") {
  PowerSpec further = spec();
  further.max_mhz = 600;
  const Result result = sample(further);
  CHECK(estimate::highest_clock(result.profile) == 600);
  CHECK(estimate::clock_under_power(result, 1e9) == 600);
  CHECK(estimate::clock_under_power(result, estimate::power(result, 550)->watts) == 550);
}

TEST_CASE("a run with tensor cores goes no higher than they do") {
  PowerSpec power = spec();
  power.tensor_max_mhz = 450;
  Result result = sample(power);
  REQUIRE(result.kernels.at(0).work.pipe == Pipe::tensor);
  CHECK(estimate::highest_clock(result) == 450);
  CHECK(estimate::highest_clock(result.profile) == 500);
  CHECK(estimate::clock_under_power(result, 1e9) == 450);
  result.kernels.push_back(result.kernels.at(0));
  result.kernels.at(0).work.pipe = Pipe::fma;  // one of several is enough
  CHECK(estimate::highest_clock(result) == 450);
  result.kernels.pop_back();
  CHECK(estimate::highest_clock(result) == 500);
  CHECK(estimate::clock_under_power(result, 1e9) == 500);
}

TEST_CASE("tensor cores without a limit of their own, or one above the board's, have the board's") {
  for (const std::int64_t limit : {0, 600}) {
    PowerSpec power = spec();
    power.tensor_max_mhz = limit;
    CHECK(estimate::highest_clock(sample(power)) == 500);
  }
}

TEST_CASE("what is allowed falls from the burst to the limit") {
  CHECK(estimate::allowed_watts(spec(), 0) == doctest::Approx(150));
  CHECK(estimate::allowed_watts(spec(), 10'000) == doctest::Approx(100 + 50 * std::exp(-1)));
  CHECK(estimate::allowed_watts(spec(), 1e9) == doctest::Approx(100));
}

TEST_CASE("without power in the profile nothing is said, and the boost clock holds") {
  Result result = sample();
  result.profile.power.reset();
  CHECK_FALSE(estimate::power(result));
  CHECK(estimate::time_ratio(result, 250) == 1);
  CHECK(estimate::clock_under_power(result, 1) == 500);
}

}  // namespace gpusim::estimate_power_test
