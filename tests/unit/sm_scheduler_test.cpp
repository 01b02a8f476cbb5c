// One SM alone: which of the ready warps issues, and when serial issue lets one begin.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_scheduler_test {

using namespace gpusim::testing;

namespace {

Probe independent(int operations) {
  Probe probe;
  for (int i = 0; i < operations; ++i) probe.add(Arithmetic{});
  return probe;
}

/// Cycles in which each of `warps` warps issued its `operations` independent instructions.
std::vector<std::vector<std::int64_t>> issue_cycles(const Profile& profile, int warps, int operations) {
  ScriptedFabric fabric(profile, independent(operations).schedule(warps), always(Cycles(1)));
  fabric.run();
  std::vector<std::vector<std::int64_t>> cycles(static_cast<std::size_t>(warps));
  for (int warp = 0; warp < warps; ++warp)
    for (int i = 0; i < operations; ++i)
      cycles[static_cast<std::size_t>(warp)].push_back(fabric.log.issue("ALU", i, warp).count());
  return cycles;
}

using Cycles2D = std::vector<std::vector<std::int64_t>>;

}  // namespace

TEST_CASE("greedy then oldest stays with a warp until it cannot issue, then takes the oldest") {
  Profile profile = probe_machine();
  profile.sm.scheduler = SchedulerPolicy::gto;
  CHECK(issue_cycles(profile, 3, 2) == Cycles2D{{0, 1}, {2, 3}, {4, 5}});
}

TEST_CASE("loose round robin takes the next warp in turn") {
  Profile profile = probe_machine();
  profile.sm.scheduler = SchedulerPolicy::lrr;
  CHECK(issue_cycles(profile, 3, 2) == Cycles2D{{0, 3}, {1, 4}, {2, 5}});
}

TEST_CASE("warps are dealt to the sub-partitions in turn, and these issue side by side") {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 2;
  CHECK(issue_cycles(profile, 4, 2) == Cycles2D{{0, 1}, {0, 1}, {2, 3}, {2, 3}});
}

TEST_CASE("a pipe of few lanes lets the warps of its sub-partition in one by one") {
  Profile profile = probe_machine();
  profile.pipes.alu.lanes = 8;
  CHECK(issue_cycles(profile, 2, 2) == Cycles2D{{0, 4}, {8, 12}});
}

TEST_CASE("without an issue limit everything independent issues at once") {
  Profile profile = probe_machine();
  profile.sm.issue_per_clk = Rate::unlimited();
  CHECK(issue_cycles(profile, 2, 3) == Cycles2D{{0, 0, 0}, {0, 0, 0}});
}

TEST_CASE("while a warp waits for its data another issues") {
  const Profile profile = probe_machine();
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadShared{one_wavefront(), x}).add(needs(x));
  ScriptedFabric fabric(profile, probe.schedule(2), always(Cycles(1)));
  fabric.run();
  CHECK(fabric.log.issue("LDS", 0, 1) == Cycle(1));
  CHECK(fabric.log.issue("ALU", 0, 1) == Cycle(1) + profile.shared.latency);
}

TEST_CASE("under serial issue an operation of another kind begins when all before is complete") {
  Profile profile = probe_machine();
  profile.sm.issue = IssueMode::serial;
  profile.sm.issue_per_clk = Rate::unlimited();
  Probe probe;
  const Token x = probe.token("x"), y = probe.token("y");
  probe.add(LoadShared{one_wavefront(), x}).add(LoadShared{one_wavefront(1), y});  // of one kind: together
  probe.add(Arithmetic{.pipe = Pipe::fma, .reads = {}, .writes = {}, .overhead = false});
  probe.add(LoadShared{one_wavefront(2), x});
  ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(1)));
  fabric.run();
  CHECK(fabric.log.issue("LDS", 1) == Cycle(0));
  CHECK(fabric.log.issue("FMA") == Cycle(0) + profile.shared.latency);
  CHECK(fabric.log.issue("LDS", 2) == Cycle(0) + profile.shared.latency + profile.pipes.fma.latency);
}

TEST_CASE("serial issue excepts index arithmetic and asynchronous copies") {
  Profile profile = probe_machine();
  profile.sm.issue = IssueMode::serial;
  profile.sm.issue_per_clk = Rate::unlimited();
  Probe probe;
  probe.add(LoadShared{one_wavefront(), probe.token("x")});
  probe.add(Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = {}, .overhead = true});
  probe.add(CopyAsync{one_line(0), one_wavefront(1)}).add(CommitGroup{});
  ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(1)));
  fabric.run();
  CHECK(fabric.log.issue("ALU") == Cycle(0));
  CHECK(fabric.log.issue("LDGSTS") == Cycle(0));
}

}  // namespace gpusim::sm_scheduler_test
