#include "gpusim/estimate/roofline.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/textbook_machine.h"

namespace gpusim::estimate_roofline_test {

namespace {

const Work product{.flops = 2e6, .pipe = Pipe::tensor, .input = DType::fp16, .accumulate = DType::fp32};

Profile limited() {
  Profile profile = testing::textbook_machine();
  profile.tensor.modes[0].peak_fma_per_clk = Rate::per_cycle(125);
  profile.dram.bandwidth_gb_per_s = Rate::per_cycle(10);
  return profile;
}

}  // namespace

TEST_CASE("compute time is operations at the pipe's peak, memory time all buffers at DRAM's bandwidth") {
  const auto line = estimate::roofline(product, Bytes(10'000), limited(), 500);
  CHECK(line.compute_us == doctest::Approx(2e6 / (8 * 125 * 2 * 500)));
  CHECK(line.memory_us == doctest::Approx(10'000 / 10e3));
  CHECK(line.us == doctest::Approx(line.compute_us));
  CHECK(line.bound == "compute");
}

TEST_CASE("the larger of the two bounds") {
  const auto line = estimate::roofline(product, Bytes(100'000), limited(), 500);
  CHECK(line.us == doctest::Approx(100'000 / 10e3));
  CHECK(line.bound == "memory");
}

TEST_CASE("compute time follows the clock, memory time does not") {
  const auto slow = estimate::roofline(product, Bytes(10'000), limited(), 250);
  const auto fast = estimate::roofline(product, Bytes(10'000), limited(), 500);
  CHECK(slow.compute_us == doctest::Approx(2 * fast.compute_us));
  CHECK(slow.memory_us == doctest::Approx(fast.memory_us));
}

TEST_CASE("a schedule's compulsory traffic is every buffer once") {
  Schedule schedule;
  schedule.work = product;
  schedule.buffers = {{"A", 100, 32, 32, DType::fp16}, {"B", 10, 32, 32, DType::fp32}};
  const auto line = estimate::roofline(schedule, limited(), 500);
  CHECK(line.memory_us == doctest::Approx((100 * 32 * 2 + 10 * 32 * 4) / 10e3));
}

TEST_CASE("no limit takes no time; types the GPU lacks never end") {
  CHECK(estimate::roofline(product, Bytes(10'000), testing::textbook_machine(), 500).us == 0);
  const Work lacking{.flops = 1, .pipe = Pipe::tensor, .input = DType::fp8, .accumulate = DType::fp32};
  CHECK(std::isinf(estimate::roofline(lacking, Bytes(0), limited(), 500).us));
}

TEST_CASE("a clock is one that a GPU may have") {
  for (const std::int64_t mhz : {std::int64_t{0}, std::int64_t{-5}, fastest_mhz + 1})
    CHECK_THROWS_WITH_AS((void)estimate::roofline(product, Bytes(1), limited(), mhz),
                         "clock: a clock is 1 to 100000 MHz", ScheduleError);
  CHECK(estimate::roofline(product, Bytes(1), limited(), fastest_mhz).us > 0);
}

}  // namespace gpusim::estimate_roofline_test
