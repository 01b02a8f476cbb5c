// An automatic choice at the clock that the board's limit leaves each candidate.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/tune.h"
#include "gpusim/under_power.h"

namespace gpusim::tune_under_power_test {

using schedules::GemmProblem;

namespace {

constexpr GemmProblem small{.m = 256, .n = 512, .k = 512};

}  // namespace

TEST_CASE("under power trials are compared at the clock that it leaves each") {
  const Gpu gpu(load_profile("t4"));
  GemmChoiceOptions options{.simulated = 3, .within = 0.5};
  const GemmChoice at_boost = choose_gemm(gpu, small, options);
  CHECK_FALSE(at_boost.trials.front().clock_mhz);
  options.watts = [](double) { return 1e6; };
  const GemmChoice free = choose_gemm(gpu, small, options);
  CHECK(free.trials.front().clock_mhz == 1590);
  CHECK(*free.trials.front().simulated_us == doctest::Approx(*at_boost.trials.front().simulated_us));
  options.watts = [](double us) {
    CHECK(us > 0);
    return 30.;
  };
  const GemmChoice held = choose_gemm(gpu, small, options);
  REQUIRE(held.trials.front().clock_mhz);
  CHECK(*held.trials.front().clock_mhz < 1200);
  int compared = 0;
  for (const GemmTrial& each : held.trials)
    for (const GemmTrial& before : free.trials)
      if (each.simulated_us && before.simulated_us && each.choices == before.choices && each.tiling.split_k == 1) {
        CHECK(*each.simulated_us ==
              doctest::Approx(*before.simulated_us * 1590 / static_cast<double>(*each.clock_mhz)));
        ++compared;
      }
  CHECK(compared > 0);
  CHECK(choice_json(held).find("\"clock_mhz\": " + std::to_string(*held.trials.front().clock_mhz)) !=
        std::string::npos);
  CHECK(choice_text(held, 1).find("each at the clock that power leaves it") != std::string::npos);
  CHECK(choice_csv(held).starts_with("rank,summary,quick_us,simulated_us,clock_mhz,m,n,k,"));

  const Gpu without(load_profile("textbook-2023"));
  const GemmProblem in_fp32{.m = 64, .n = 64, .k = 64, .dtype = DType::fp32};
  CHECK_FALSE(
      choose_gemm(without, in_fp32, {.simulated = 2, .within = 10, .watts = options.watts}).trials.front().clock_mhz);
}

TEST_CASE("under power what is between the kernels of a product in slices takes as long as before") {
  const Gpu gpu(load_profile("t4"));
  GemmChoiceOptions options{.simulated = 2, .within = 0.5};
  options.request.split_k = 2;
  const GemmChoice free = choose_gemm(gpu, small, options);
  options.watts = [](double) { return 30.; };
  const GemmTrial held = choose_gemm(gpu, small, options).trials.front();
  REQUIRE(held.clock_mhz);
  const double between = static_cast<double>(gpu.profile().launch.gap_ns) / 1000;
  const auto before = std::find_if(free.trials.begin(), free.trials.end(),
                                   [&](const GemmTrial& each) { return each.choices == held.choices; });
  REQUIRE(before != free.trials.end());
  REQUIRE(before->simulated_us);
  CHECK(*held.simulated_us - between ==
        doctest::Approx((*before->simulated_us - between) * 1590 / static_cast<double>(*held.clock_mhz)));
}

TEST_CASE("what a board may draw in a run's time is a number above 0") {
  const Gpu gpu(load_profile("t4"));
  const Schedule product = schedules::gemm({.m = 256, .n = 512, .k = 512, .dtype = DType::fp32},
                                           {.tile = {128, 128, 8}, .variant = schedules::GemmVariant::simt});
  for (const double watts : {std::nan(""), 0.0})
    CHECK_THROWS_WITH_AS((void)run_under_power(gpu, {product}, {}, [&](double) { return watts; }),
                         "watts: must be a number above 0", ScheduleError);
  const auto no_limit = [](double) { return std::numeric_limits<double>::infinity(); };
  CHECK(run_under_power(gpu, {product}, {}, no_limit).clock_mhz == 1590);
}

}  // namespace gpusim::tune_under_power_test
