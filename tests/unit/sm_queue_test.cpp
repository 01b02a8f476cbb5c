// One SM alone: how many memory instructions a sub-partition issues before the load-store unit holds it back.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_queue_test {

using namespace gpusim::testing;

namespace {

constexpr int places = 5;
constexpr Cycles turn{2};  // of one sub-partition at the unit

Profile with_queue(int sub_partitions) {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = sub_partitions;
  profile.l1 = probe_l1();
  profile.lsu.queue = places;
  profile.lsu.issue_per_clk = Rate::one_every(4);
  profile.lsu.accept_per_clk = Rate::one_every(turn.count());
  profile.lsu.load_read = Cycles(9);
  profile.lsu.global_address_read = Cycles(2);
  return profile;
}

/// When each of `loads` independent loads of the last of `warps` warps issues, a sub-partition for each warp.
std::vector<Cycle> issues(const Profile& profile, int warps, int loads) {
  Probe probe;
  for (int i = 0; i < loads; ++i)
    probe.add(LoadGlobal{one_line(along(Coordinate::warp, 8) + i), probe.token("x" + std::to_string(i))});
  ScriptedFabric fabric(profile, probe.schedule(warps), always(Cycles(2000)));
  fabric.run();
  std::vector<Cycle> cycles;
  for (int i = 0; i < loads; ++i) cycles.push_back(fabric.log.issue("LDG", i, warps - 1));
  return cycles;
}

}  // namespace

TEST_CASE("as many as the queue holds issue back to back, the next when the first has read its registers") {
  const Profile profile = with_queue(1);
  const std::vector<Cycle> cycles = issues(profile, 1, places + 1);
  for (int i = 0; i < places; ++i) CHECK(cycles[static_cast<std::size_t>(i)] == Cycle(i));
  CHECK(cycles[places] == Cycle(0) + profile.lsu.load_read + profile.lsu.global_address_read);
}

TEST_CASE("each other active sub-partition holds the next one up by a turn at the unit") {
  for (const int active : {1, 2, 3, 4}) {
    CAPTURE(active);
    const Profile profile = with_queue(4);
    CHECK(issues(profile, active, places + 1)[places] ==
          Cycle(0) + profile.lsu.load_read + profile.lsu.global_address_read + turn * (active - 1));
  }
}

TEST_CASE("later ones follow at the rate of address generation") {
  const Profile profile = with_queue(1);
  const std::vector<Cycle> cycles = issues(profile, 1, places + 4);
  for (std::size_t i = places + 1; i < cycles.size(); ++i) CHECK(cycles[i] - cycles[i - 1] == Cycles(4));
}

TEST_CASE("loads from shared memory have a queue of their own") {
  Profile profile = with_queue(1);
  Probe probe;
  for (int i = 0; i < places; ++i) probe.add(LoadGlobal{one_line(i), probe.token("x" + std::to_string(i))});
  probe.add(LoadShared{one_wavefront(), probe.token("y")});
  ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(100)));
  fabric.run();
  CHECK(fabric.log.issue("LDS") == Cycle(places));
}

}  // namespace gpusim::sm_queue_test
