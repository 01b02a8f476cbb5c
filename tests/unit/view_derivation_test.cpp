#include "gpusim/view/derivation.h"

#include <doctest/doctest.h>

#include "support/sample_result.h"

namespace gpusim::view_derivation_test {

namespace {

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

estimate::CriticalPath worked_example() {
  return {.cta = {{"l2.latency", "global load served by L2", Cycles(200), 1},
                  {"shared.latency", "shared-memory load", Cycles(34), 8},
                  {"pipes.fma.latency", "FFMA", Cycles(4), 8}},
          .cta_cycles = Cycles(504),
          .waves = 1,
          .hand_over = Cycles(2),
          .total = Cycles(504)};
}

Result simulated(std::int64_t cycles) {
  Result result = testing::sample_result();
  result.kernels[0].cycles = Cycles(cycles);
  result.profile.provenance["l2.latency"] = {Method::textbook, "a book"};
  return result;
}

}  // namespace

TEST_CASE("the sum is written out, and each term has its field and how that is known") {
  const std::string page = view::derivation(simulated(504), worked_example());
  CHECK(has(page, "504 = 200 + 8*34 + 8*4"));
  CHECK(has(page, "1   200     200  global load served by L2  "));
  CHECK(has(page, "l2.latency         textbook"));
  CHECK(has(page, "8    34     272  shared-memory load  "));
  CHECK(has(page, "504  closed form"));
  CHECK(has(page, "504  simulated"));
  CHECK(has(page, "0  difference"));
}

TEST_CASE("where nothing was added, nothing is said about contention") {
  const std::string page = view::derivation(simulated(504), worked_example());
  CHECK_FALSE(has(page, "contention"));
}

TEST_CASE("waves and their hand-over are part of the sum") {
  estimate::CriticalPath path = worked_example();
  path.waves = 3;
  path.total = Cycles(3 * 504 + 2 * 2);
  const std::string page = view::derivation(simulated(3 * 504 + 2 * 2), path);
  CHECK(has(page, "1,512  3 waves of 504"));
  CHECK(has(page, "4  2*2, hand-over between waves: launch.cta_exit 1 + launch.cta_start 1 = 2"));
  CHECK(has(page, "1,516  closed form"));
}

TEST_CASE("what contention added is told hop by hop, with the busiest servers") {
  const std::string page = view::derivation(simulated(1000), worked_example());
  CHECK(has(page, "496  difference, 98.4 % of the closed form"));
  CHECK(has(page, "What contention added to reads"));
  CHECK(has(page, "sm.tensor"));
}

TEST_CASE("a simulation shorter than the closed form is explained") {
  CHECK(has(view::derivation(simulated(400), worked_example()), "Shorter than the closed form"));
}

TEST_CASE("a derivation is of one schedule") {
  Result several = simulated(504);
  several.kernels.push_back(several.kernels[0]);
  CHECK_THROWS_AS((void)view::derivation(several, worked_example()), std::logic_error);
}

}  // namespace gpusim::view_derivation_test
