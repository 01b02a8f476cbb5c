#include "validate/replay.h"

#include <doctest/doctest.h>

#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "validate/timed_run.h"

namespace gpusim::validate_replay_test {

using namespace gpusim::validate;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

std::vector<Schedule> product() { return {schedules::gemm({.m = 16, .n = 2048, .k = 512}, {.tile = {16, 64, 32}})}; }

}  // namespace

TEST_CASE("far from what L2 holds all is left of it or nothing, near it a part") {
  const Profile l40s = load_profile("l40s");  // 96 MiB
  CHECK(residence(80 * mebibyte, l40s) == Residence::all);
  CHECK(residence(98 * mebibyte, l40s) == Residence::part);
  CHECK(residence(120 * mebibyte, l40s) == Residence::nothing);
}

TEST_CASE("an L2 whose halves keep lines for each other is full sooner") {
  const Profile a100 = load_profile("a100-sxm-80gb");  // 40 MiB
  CHECK(residence(20 * mebibyte, a100) == Residence::all);
  CHECK(residence(32 * mebibyte, a100) == Residence::part);
  CHECK(residence(40 * mebibyte, a100) == Residence::nothing);
}

TEST_CASE("an L2 without end keeps all") {
  CHECK(residence(1000 * mebibyte, load_profile("textbook-2020")) == Residence::all);
}

TEST_CASE("copies take turns, what is not copied is the same in all launches") {
  const std::vector<Schedule> all = launches(product(), 2, {"B"});
  REQUIRE(all.size() == 6);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].buffers[0].name == "A");
    CHECK(all[i].buffers[1].name == "B." + std::to_string(i % 2));
    CHECK(all[i].buffers[2].name == "C");
  }
}

TEST_CASE("only the last launch is timed, and finds what those before it left") {
  const Gpu gpu(load_profile("a100-sxm-80gb"));
  RunOptions exact;
  exact.exact = true;
  const double cold = timed_run(gpu, timed_launches(product()), exact).us;
  const double again = timed_run(gpu, {launches(product(), 1, {}), 1}, exact).us;
  const double of_two = timed_run(gpu, {launches(product(), 1, {}), 2}, exact).us;
  CHECK(again < cold);
  CHECK(of_two == doctest::Approx(2 * again).epsilon(0.02));
}

TEST_CASE("a launch that begins cold comes after as many others as fill L2, and has what they wrote written first") {
  const Gpu gpu(load_profile("rtx3060"));  // 3 MiB
  const std::vector<Schedule> launch{schedules::gemm({.m = 512, .n = 512, .k = 256}, {.tile = {128, 128, 32}})};
  REQUIRE(footprint(launch) == mebibyte);
  const std::vector<Schedule> all = after_others(launch, gpu.profile());
  REQUIRE(all.size() == 3 + 1);
  CHECK(all.back().buffers == launch.front().buffers);
  CHECK(footprint(all) == 4 * mebibyte);
  const auto writes = [&](const std::vector<Schedule>& kernels) {
    return gpu.run(kernels).kernels.back().traffic.dram_write_bytes;
  };
  CHECK(writes(launch) == 0);
  // It brings 1 MiB, of what makes way half was written.
  CHECK(writes(all) == doctest::Approx(static_cast<double>(mebibyte) / 2).epsilon(0.25));
}

TEST_CASE("many launches of a small kernel are not simulated, and none where L2 has no end") {
  const std::vector<Schedule> launch{schedules::gemm({.m = 16, .n = 64, .k = 32}, {.tile = {16, 64, 32}})};
  CHECK(after_others(launch, load_profile("rtx3060")).size() == 64 + 1);
  CHECK(after_others(launch, load_profile("textbook-2020")).size() == 1);
}

TEST_CASE("after L2 was overwritten the more of it is dirty the longer DRAM takes to write it") {
  Profile profile = load_profile("h100-sxm");
  const int usual = dirty_percent_after_clearing(profile);
  CHECK(usual > 0);
  CHECK(usual < 100);
  set(profile, "dram.bandwidth_gb_per_s=400");
  CHECK(dirty_percent_after_clearing(profile) > usual);
  set(profile, "l2.capacity=2MiB");  // written within the time between two kernels
  CHECK(dirty_percent_after_clearing(profile) == 0);
  CHECK(dirty_percent_after_clearing(load_profile("textbook-2020")) == 0);
}

}  // namespace gpusim::validate_replay_test
