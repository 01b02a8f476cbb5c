#include <doctest/doctest.h>

#include "gpusim/estimate/critical_path.h"
#include "support/cluster_programs.h"
#include "support/probe_machine.h"

namespace gpusim::estimate_multiply_test {

using testing::Probe;

namespace {

/// A probe machine with wgmma and clusters, whose instructions issue in no time.
Profile machine() {
  Profile profile = testing::probe_machine();
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.sm.sub_partitions = 4;
  profile.tensor.wgmma = WgmmaSpec{.interval = Cycles(1), .latency = Cycles(60)};
  profile.cluster = ClusterSpec{.own_latency = Cycles(30),
                                .tpc_latency = Cycles(170),
                                .cpc_latency = Cycles(190),
                                .gpc_latency = Cycles(210),
                                .barrier_latency = Cycles(250),
                                .relaxed_barrier_latency = Cycles(150)};
  return profile;
}

const Cycles wgmma_latency = machine().tensor.wgmma->shared_latency;

Cycles cycles_of(const Schedule& schedule, const Profile& profile) {
  return estimate::critical_path(schedule, profile).cta_cycles;
}

/// `count` wgmma of m64n64k16, committed and waited for.
Schedule wgmmas(std::int64_t count) {
  Schedule schedule = testing::wgmma_schedule();
  std::get<Operation>(schedule.roles[0].program.body[0]).count = count;
  return schedule;
}

/// One access to the shared memory of rank `peer` of two.
Schedule reading(std::int64_t peer) {
  Probe probe;
  const Token x = probe.token("x");
  SharedAccess access = testing::one_wavefront();
  access.peer = Layout(peer);
  Schedule schedule = probe.add(LoadShared{access, x}).schedule(1, 2);
  schedule.cluster = 2;
  return schedule;
}

}  // namespace

TEST_CASE("wgmmas take their arithmetic one after another, and waiting for them their latency") {
  Profile profile = machine();
  profile.tensor.modes[0].peak_fma_per_clk = Rate::per_cycle(2048);
  CHECK(cycles_of(wgmmas(5), profile) == 5 * Cycles(64 * 64 * 16 / 2048) + wgmma_latency);
}

TEST_CASE("wgmmas take the wavefronts of their operands where those take longer; a fragment takes none") {
  Profile profile = machine();
  profile.tensor.modes[0].peak_fma_per_clk = Rate::per_cycle(4096);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  const std::int64_t of_a = 64 * 16 * 2 / 128;
  const std::int64_t of_b = 16 * 64 * 2 / 128;
  const std::int64_t arithmetic = 64 * 64 * 16 / 4096;
  REQUIRE(of_b <= arithmetic);
  CHECK(cycles_of(wgmmas(3), profile) == 2 * Cycles(of_a + of_b) + Cycles(arithmetic) + wgmma_latency);
  Schedule schedule = wgmmas(3);
  std::get<WarpgroupMultiply>(std::get<Operation>(schedule.roles[0].program.body[0]).action).a =
      schedule.roles[0].program.token("a");
  CHECK(cycles_of(schedule, profile) == 3 * Cycles(of_b) + machine().tensor.wgmma->latency);
}

TEST_CASE("wgmmas take at least their interval") {
  Profile profile = machine();
  const Cycles lone = cycles_of(wgmmas(1), profile) - wgmma_latency;
  REQUIRE(lone < Cycles(18));
  profile.tensor.wgmma->interval = Cycles(18);
  CHECK(cycles_of(wgmmas(3), profile) == 2 * Cycles(18) + lone + wgmma_latency);
}

TEST_CASE("a wait that leaves a group pending ends with the one before") {
  Profile profile = machine();
  const Cycles lone = cycles_of(wgmmas(1), profile) - wgmma_latency;
  profile.tensor.wgmma->interval = Cycles(100);
  Probe probe;
  const Token c = probe.token("c");
  probe.add(testing::wgmma(c)).add(WarpgroupCommit{}).add(testing::wgmma(c)).add(WarpgroupCommit{});
  Schedule schedule = probe.add(WarpgroupWait{1}).schedule(4);
  schedule.shared_tiles = testing::wgmma_tiles();
  CHECK(cycles_of(schedule, profile) == lone + wgmma_latency);
}

TEST_CASE("a warp's next mma waits for the pipe and its reissue; one alone does not") {
  Profile profile = machine();
  profile.tensor.modes[0].fma_per_clk = Rate::per_cycle(1024);
  profile.tensor.reissue = Cycles(2);
  const Cycles interval(16 * 8 * 16 * 4 / 1024);
  const Cycles latency = profile.tensor.modes[0].latency;
  const auto mmas = [&](int count) {
    Probe probe;
    const Token a = probe.token("a");
    for (int i = 0; i < count; ++i) probe.add(Multiply{.a = a, .b = a, .c = probe.token("c" + std::to_string(i))});
    return cycles_of(probe.schedule(), profile);
  };
  CHECK(mmas(1) == latency);
  CHECK(mmas(4) == 3 * (interval + Cycles(2)) + latency);
}

TEST_CASE("the mode of a multiply is that of its shape") {
  Profile profile = machine();
  profile.tensor.modes.push_back({.k = 8, .fma_per_clk = Rate::unlimited(), .latency = Cycles(20)});
  profile.tensor.modes.push_back({.sparse = true, .k = 32, .fma_per_clk = Rate::unlimited(), .latency = Cycles(45)});
  const auto multiplied = [&](const Multiply& multiply) {
    Probe probe;
    (void)probe.token("x");
    return cycles_of(probe.add(multiply).schedule(), profile);
  };
  CHECK(multiplied({.shape = {16, 8, 8}}) == Cycles(20));
  CHECK(multiplied({.shape = {16, 8, 32}, .sparse = true}) == Cycles(45));
}

TEST_CASE("a peer's shared memory is at best as near as hardware has it") {
  Profile profile = machine();
  CHECK(cycles_of(reading(0), profile) == profile.cluster->own_latency);
  CHECK(cycles_of(reading(2), profile) == profile.cluster->own_latency);
  CHECK(cycles_of(reading(1), profile) == profile.cluster->gpc_latency);
  profile.sm.tpcs_per_cpc = 3;
  CHECK(cycles_of(reading(1), profile) == profile.cluster->cpc_latency);
  profile.sm.sms_per_tpc = 2;
  CHECK(cycles_of(reading(1), profile) == profile.cluster->tpc_latency);
}

TEST_CASE("a cluster barrier waits for stores to shared memory, a relaxed one does not") {
  const auto passed = [](bool relaxed) {
    Probe probe;
    const Token x = probe.token("x");
    probe.add(StoreShared{testing::one_wavefront(), x}).add(ClusterBarrier{relaxed});
    Schedule schedule = probe.schedule(2, 2);
    schedule.cluster = 2;
    return cycles_of(schedule, machine());
  };
  CHECK(passed(false) == machine().shared.store_latency + machine().cluster->barrier_latency);
  CHECK(passed(true) == machine().cluster->relaxed_barrier_latency);
}

}  // namespace gpusim::estimate_multiply_test
