// One SM alone: shared memory, arithmetic, and bar.sync.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_shared_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};
constexpr std::int64_t conflicts = 32;

Cycles run(const Profile& profile, const Schedule& schedule) {
  return ScriptedFabric(profile, schedule, always(Cycles(77))).run();
}

Profile with_banks() {
  Profile profile = probe_machine();
  profile.shared.bytes_per_clk = Rate::per_cycle(128);  // a wavefront a cycle
  return profile;
}

Profile with_conflicts() {
  Profile profile = with_banks();
  profile.shared.conflict_latency = Cycles(2);
  return profile;
}

/// `ways` lanes, and a multiple of them, at each bank that is used.
SharedAccess conflict_of(int ways) {
  return {TileId(0), 0, along(Coordinate::lane, 1, 32 / ways), along(Coordinate::lane, ways, 1, 32 / ways), 1};
}

Probe load_and_use(const SharedAccess& access, std::int64_t count) {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadShared{access, x}, count).add(needs(x));
  return probe;
}

/// `chain` dependent multiply-adds on the first warp of `warps`, then bar.sync for all.
Schedule barrier_after(int chain, int warps) {
  Probe first("first"), others("others");
  const Token x = first.token("x");
  for (int i = 0; i < chain; ++i) first.add(changes(x));
  first.add(CtaBarrier{});
  others.add(CtaBarrier{});
  return probe_schedule({first.role(), others.role(warps - 1)});
}

}  // namespace

TEST_CASE("a shared load costs its latency, and the next of a run comes a wavefront later") {
  const Profile profile = with_banks();
  CHECK(run(profile, load_and_use(one_wavefront(), 1).schedule()) == profile.shared.latency + issue);
  CHECK(run(profile, load_and_use(one_wavefront(), 10).schedule()) == Cycles(10 - 1) + profile.shared.latency + issue);
}

TEST_CASE("each way of a conflict beyond the first adds its latency for the warp that waits") {
  const Profile profile = with_conflicts();
  for (const int ways : {1, 2, 4, 8, 32}) {
    CAPTURE(ways);
    CHECK(run(profile, load_and_use(conflict_of(ways), 1).schedule()) ==
          profile.shared.latency + profile.shared.conflict_latency * (ways - 1) + issue);
  }
}

TEST_CASE("16 bytes a lane are four wavefronts without a conflict, two of them in the time of one word") {
  const Profile profile = with_conflicts();
  const SharedAccess wide{TileId(0), 0, along(Coordinate::lane, 1, 8), along(Coordinate::lane, 4, 1, 8), 4};
  CHECK(run(profile, load_and_use(wide, 1).schedule()) == profile.shared.latency + Cycles(4 - 2) + issue);
}

TEST_CASE("for the banks each way is one wavefront, whatever it adds to the latency") {
  const Profile profile = with_conflicts();
  constexpr int ways = 8, less = 10, more = 50;
  const auto of = [&](int loads) { return run(profile, load_and_use(conflict_of(ways), loads).schedule()); };
  CHECK(of(more) - of(less) == Cycles(ways * (more - less)));
}

TEST_CASE("banks are shared by the sub-partitions") {
  Profile profile = with_banks();
  profile.sm.sub_partitions = 4;
  // The last of four begins when the wavefronts of the others are over.
  CHECK(run(profile, load_and_use(one_bank(), 1).schedule(4)) ==
        Cycles(3 * conflicts) + profile.shared.latency + profile.shared.conflict_latency * (conflicts - 1) + issue);
}

TEST_CASE("addresses are generated at the sub-partition's rate, and accepted at the SM's") {
  Profile profile = probe_machine();
  profile.lsu.issue_per_clk = Rate::one_every(2);
  CHECK(run(profile, load_and_use(one_wavefront(), 10).schedule()) ==
        Cycles((10 - 1) * 2) + profile.shared.latency + issue);
  profile.lsu.issue_per_clk = Rate::unlimited();
  profile.lsu.accept_per_clk = Rate::one_every(3);
  CHECK(run(profile, load_and_use(one_wavefront(), 10).schedule()) ==
        Cycles((10 - 1) * 3) + profile.shared.latency + issue);
}

TEST_CASE("a barrier may pass a shared store when its latency is over") {
  const Profile profile = probe_machine();
  Probe probe;
  probe.add(StoreShared{one_wavefront(), probe.token("x")}).add(CtaBarrier{});
  CHECK(run(profile, probe.schedule()) ==
        profile.shared.store_latency + profile.barrier.latency + profile.barrier.per_warp * 1);
}

TEST_CASE("a run of dependent instructions takes count times the latency, of independent ones the interval") {
  Profile profile = probe_machine();
  profile.pipes.fma.lanes = 16;  // a warp instruction every two cycles
  constexpr std::int64_t interval = 32 / 16;
  Probe chain, run_of;
  const Token x = chain.token("x");
  for (int i = 0; i < 10; ++i) chain.add(changes(x));
  CHECK(run(profile, chain.schedule()) == profile.pipes.fma.latency * 10);
  const Token y = run_of.token("y");
  run_of.add(changes(y), 10).add(needs(y));
  CHECK(run(profile, run_of.schedule()) == Cycles((10 - 1) * interval) + profile.pipes.fma.latency + issue);
}

TEST_CASE("arrivals at bar.sync are counted one after another") {
  const Profile profile = probe_machine();
  REQUIRE(profile.barrier.per_warp > issue);  // warps arrive faster than they are counted
  for (const int warps : {2, 4, 8}) {
    CAPTURE(warps);
    CHECK(run(profile, barrier_after(0, warps)) == profile.barrier.per_warp * warps + profile.barrier.latency);
  }
}

TEST_CASE("only the count of the last warp is left when it comes late") {
  const Profile profile = probe_machine();
  constexpr int chain = 100;
  const Cycles late = profile.pipes.fma.latency * (chain - 1) + issue;
  for (const int warps : {2, 8}) {
    CAPTURE(warps);
    CHECK(run(profile, barrier_after(chain, warps)) == late + profile.barrier.per_warp + profile.barrier.latency);
  }
}

}  // namespace gpusim::sm_shared_test
