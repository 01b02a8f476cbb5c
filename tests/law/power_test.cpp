// Laws of power: more clock draws more, boards without a limit boost, work that is not done takes no energy.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "gpusim/estimate/power.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/under_power.h"

namespace gpusim::power_test {

using namespace gpusim::schedules;

namespace {

/// On any GPU.
Schedule product() {
  return gemm({.m = 1024, .n = 1024, .k = 1024, .dtype = DType::fp32},
              {.tile = {128, 128, 8}, .variant = GemmVariant::simt});
}
Schedule tensor_product() { return gemm({.m = 1024, .n = 1024, .k = 1024}, {.tile = {128, 128, 32}}); }
Schedule stream() { return copy({.kind = StreamKind::triad, .elements = std::int64_t{1} << 22}); }

double watts_of(const estimate::PowerEstimate& drawn, std::string_view name) {
  for (const estimate::EnergyTerm& term : drawn.terms)
    if (term.name == name) return term.watts;
  return 0;
}

}  // namespace

TEST_CASE("every GPU says what it draws, within what its board may") {
  for (const ProfileName& names : list_profiles()) {
    const Profile profile = load_profile(names.name);
    CAPTURE(names.name);
    if (names.name.starts_with("textbook")) continue;
    REQUIRE(profile.power);
    CHECK(profile.power->static_w < profile.power->limit_w);
    CHECK(profile.power->floor_mhz < profile.power->voltage_mhz);
  }
}

TEST_CASE("a run under power draws what it may, whatever limits it") {
  const Gpu gpu(load_profile("h100-sxm"));
  // Of L2's slices, whose clock is their own: the clock that the run at boost finds would be 11 % of power too high.
  const GemmProblem problem{.m = 2048, .n = 2048, .k = 1024, .dtype = DType::bf16};
  const Schedule by_l2 =
      gemm(problem, choose(gpu.profile(), problem, {.tile = {256, 128, 64}, .variant = GemmVariant::wgmma}));
  const Result result = run_under_power(gpu, {by_l2});
  CHECK(result.clock_mhz < gpu.profile().clock.boost_mhz);
  CHECK(estimate::power(result).value().watts == doctest::Approx(700).epsilon(0.03));
}

TEST_CASE("power grows with the clock, for products and for streams") {
  for (const char* const name : {"v100-sxm2", "ampere", "hopper", "l4"}) {
    const Gpu gpu(load_profile(name));
    for (const Schedule& schedule : {product(), stream()}) {
      const Result result = gpu.run(schedule);
      CAPTURE(name);
      CAPTURE(schedule.name);
      double before = 0;
      for (std::int64_t clock = 300; clock <= gpu.profile().clock.boost_mhz; clock += 100) {
        const double now = estimate::power(result, clock).value().watts;
        CHECK(now > before);
        before = now;
      }
    }
  }
}

TEST_CASE("a board without a limit runs at boost, and one with less runs slower and longer") {
  Profile profile = load_profile("t4");
  profile.power->limit_w = 100'000;
  const Result free = run_under_power(Gpu(profile), {product()});
  CHECK(free.clock_mhz == profile.clock.boost_mhz);
  profile.power->limit_w = 40;
  const Result held = run_under_power(Gpu(profile), {product()});
  CHECK(held.clock_mhz < free.clock_mhz);
  CHECK(time_us(held) > time_us(free));
  const double drawn = estimate::power(held).value().watts;
  CHECK(std::abs(drawn / 40 - 1) < 0.05);
}

TEST_CASE("a stream takes no tensor energy, and more of memory than a product") {
  const Gpu gpu(load_profile("ampere"));
  const auto streaming = estimate::power(gpu.run(stream())).value();
  const auto multiplying = estimate::power(gpu.run(tensor_product())).value();
  CHECK(watts_of(streaming, "tensor") == 0);
  CHECK(watts_of(multiplying, "tensor") > 0);
  CHECK(watts_of(streaming, "dram") > watts_of(multiplying, "dram"));
}

TEST_CASE("skipping what repeats leaves the energy [long]") {
  const Gpu gpu(load_profile("ampere"));
  const Schedule large = gemm({.m = 2048, .n = 2048, .k = 2048}, {.tile = {128, 128, 32}});
  RunOptions every_cycle;
  every_cycle.exact = true;
  const Result skipped = gpu.run(large);
  const double exactly = estimate::power(gpu.run(large, every_cycle)).value().watts;
  REQUIRE_FALSE(exact(skipped));
  CHECK(std::abs(estimate::power(skipped).value().watts / exactly - 1) < 0.03);
}

}  // namespace gpusim::power_test
