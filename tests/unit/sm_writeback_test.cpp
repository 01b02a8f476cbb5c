// One SM alone: the way from the load-store unit back to registers.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_writeback_test {

using namespace gpusim::testing;

namespace {

/// A register of all lanes a cycle; nothing else holds loads up but banks, a wavefront a cycle, and their issue.
Profile ga102() {
  Profile profile = probe_machine();
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.lsu.writeback_bytes_per_clk = Rate::per_cycle(128);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.l1 = probe_l1();
  return profile;
}

Cycles run(const Profile& profile, const Schedule& schedule) {
  return ScriptedFabric(profile, schedule, always(Cycles(77))).run();
}

/// Cycles that each further `action` of a long run takes.
template <class Access>
double cycles_each(const Profile& profile, const Access& action) {
  constexpr int less = 100, more = 300;
  const auto cycles = [&](int count) {
    Probe probe;
    const Token x = probe.token("x");
    probe.add(action(x)).add(needs(x)).add(action(x), count).add(needs(x));
    return run(profile, probe.schedule());
  };
  return static_cast<double>((cycles(more) - cycles(less)).count()) / (more - less);
}

/// Of one address for all lanes, `words` wide.
double shared_loads(const Profile& profile, int words) {
  return cycles_each(profile, [&](Token x) { return LoadShared{{TileId(0), 0, 0, 0, words}, x}; });
}
double global_loads(const Profile& profile, int words) {
  return cycles_each(profile, [&](Token x) { return LoadGlobal{{BufferId(0), 0, 0, words}, x}; });
}

}  // namespace

TEST_CASE("registers are written whole, though all lanes want the same words") {
  for (const int words : {1, 2, 4}) {
    CAPTURE(words);
    CHECK(shared_loads(ga102(), words) == words);
    CHECK(global_loads(ga102(), words) == words);
  }
}

TEST_CASE("shuffles take the way back, and the warps of all sub-partitions share it") {
  CHECK(cycles_each(ga102(), [&](Token x) { return Shuffle{.into = x, .from = x, .distance = 1}; }) == 1);
  CHECK(cycles_each(ga102(), [&](Token x) { return TransposeMatrices{x}; }) == 1);
  const auto cycles = [](int sub_partitions, int count) {
    Profile profile = ga102();
    profile.sm.sub_partitions = sub_partitions;
    Probe probe;
    const Token x = probe.token("x");
    probe.add(LoadShared{{TileId(0), 0, 0, 0, 4}, x}, count).add(needs(x));
    return run(profile, probe.schedule(sub_partitions)).count();
  };
  for (const int sub_partitions : {1, 2, 4}) {
    CAPTURE(sub_partitions);
    CHECK(cycles(sub_partitions, 300) - cycles(sub_partitions, 100) == 200 * 4 * sub_partitions);
  }
}

TEST_CASE("half the width takes twice as long; without a limit the banks alone count") {
  Profile profile = ga102();
  profile.lsu.writeback_bytes_per_clk = Rate::per_cycle(64);
  CHECK(shared_loads(profile, 4) == 8);
  profile.lsu.writeback_bytes_per_clk = Rate::unlimited();
  CHECK(shared_loads(profile, 4) == 2);  // two quarters of the warp at a time
}

TEST_CASE("stores do not wait for registers on their way back") {
  Profile profile = ga102();
  profile.lsu.writeback_bytes_per_clk = Rate::one_every(1) * 4;  // 32 cycles a register
  const auto cycles = [&](bool load) {
    Probe probe;
    const Token x = probe.token("x"), y = probe.token("y");
    if (load) probe.add(LoadShared{one_wavefront(), y});
    probe.add(StoreShared{one_wavefront(), x}).add(changes(x, Pipe::alu));
    ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(77)));
    fabric.run();
    return fabric.log.issue("ALU");
  };
  CHECK(cycles(true) - cycles(false) == Cycles(1));  // the load's wavefront
}

TEST_CASE("the last register of a wide load comes when the way back has brought it") {
  const auto latency = [](int words, Rate back) {
    Profile profile = ga102();
    profile.lsu.writeback_bytes_per_clk = back;
    Probe probe;
    const Token x = probe.token("x");
    probe.add(LoadShared{{TileId(0), 0, 0, 0, words}, x}).add(needs(x));
    return run(profile, probe.schedule());
  };
  const Rate a_register = Rate::per_cycle(128), half = Rate::per_cycle(64);
  CHECK(latency(4, a_register) - latency(1, a_register) == Cycles(2));  // two come in the time of one
  CHECK(latency(4, half) - latency(1, half) == Cycles(4));
}

TEST_CASE("an ldmatrix fills as many registers as it reads matrices") {
  Profile profile = ga102();
  profile.shared.bytes_per_clk = Rate::unlimited();
  for (const int matrices : {1, 2, 4}) {
    CAPTURE(matrices);
    SharedAccess rows{TileId(0), 0, along(Coordinate::lane, 1, 1, 8), 0, 4};
    rows.lanes = Bound{along(Coordinate::lane, 1), 8 * matrices};
    CHECK(cycles_each(profile, [&](Token x) { return LoadShared{rows, x, SharedRead::ldmatrix}; }) == matrices);
  }
}

}  // namespace gpusim::sm_writeback_test
