// Laws about choices that should not matter much: how long a request may be, and which SM is called the first.
//
// A long request gives its miss registers back together, when its last line has come. Where lines are not equally far,
// or meet at slices by chance, registers are held longer by it than by as many short ones. And SMs are not all alike
// where GPCs have different numbers of them.
#include <doctest/doctest.h>

#include "support/streams.h"

namespace gpusim::symmetry_test {

using namespace gpusim::testing;

namespace {

constexpr double tolerance = 0.05;

std::vector<MixedRun> products_and_streams() {
  constexpr L2State cold = L2State::cold, warm = L2State::warm;
  return {
      run_of("volta 256", {"volta", {.m = 256, .n = 256, .k = 256}}),
      run_of("turing 512", {"turing", {.m = 512, .n = 512, .k = 256}, {}, warm}),
      run_of("ampere 512", {"ampere", {.m = 512, .n = 512, .k = 512}, {}, warm}),
      run_of("ampere 1024 x 512", {"ampere", {.m = 1024, .n = 512, .k = 512}, {}, warm}),
      run_of("rtx3090 simt",
             {"rtx3090", {.m = 512, .n = 256, .k = 128, .dtype = DType::fp32}, {.variant = GemmVariant::simt}}),
      run_of("ada 768", {"ada", {.m = 768, .n = 768, .k = 256}}),
      run_of("ada small L2", {"ada",
                              {.m = 256, .n = 256, .k = 256, .beta = 1},
                              {.tile = {64, 64, 32}},
                              cold,
                              {"l2.slices=8", "dram.channels=4", "l2.capacity=32KiB"}}),
      run_of("hopper 1024", {"hopper", {.m = 1024, .n = 1024, .k = 512}}),
      run_of("hopper specialised", {"hopper", {.m = 768, .n = 768, .k = 512}, {.specialize = true}, warm}),
      stream("ampere", false, 2, cold),
      stream("ada", false, 8, warm),
      stream("hopper", false, 2, cold),
      stream("hopper", true, 4, warm),
  };
}

double cycles_of(const MixedRun& run, const machine::Tuning& tuning) {
  return static_cast<double>(cycles(run.run(tuning)).count());
}

}  // namespace

TEST_CASE("requests of up to 16 lines take within 5 % of the cycles that lines by themselves take") {
  for (const MixedRun& run : products_and_streams()) {
    CAPTURE(run.name);
    const double sixteen = cycles_of(run, {.burst = 16});
    CHECK(sixteen == doctest::Approx(cycles_of(run, {.burst = 1})).epsilon(tolerance));
    CHECK(sixteen == doctest::Approx(cycles_of(run, {.burst = 4})).epsilon(tolerance));
  }
}

TEST_CASE("SMs numbered the other way round take within 5 % of the cycles") {
  for (const MixedRun& run : products_and_streams()) {
    CAPTURE(run.name);
    CHECK(cycles_of(run, {.descending = true}) == doctest::Approx(cycles_of(run, {})).epsilon(tolerance));
  }
}

}  // namespace gpusim::symmetry_test
