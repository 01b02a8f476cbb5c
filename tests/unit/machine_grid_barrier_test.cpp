// A whole machine: barriers over all CTAs of the grid.
#include <doctest/doctest.h>

#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/run_log.h"

namespace gpusim::machine_grid_barrier_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};

/// SMs that hold one CTA each.
Profile some_sms(std::int64_t sms) {
  Profile profile = probe_machine();
  profile.sm.count = sms;
  profile.sm.ctas = 1;
  profile.l2->atomic_latency = Cycles(31);
  profile.l2->atomics_per_clk = Rate::unlimited();
  return profile;
}

RunLog run(const Profile& profile, const Schedule& schedule) {
  RunLog log;
  Observer* const observer = &log;
  (void)machine::Machine(profile, {}, std::span(&observer, 1)).run(std::span(&schedule, 1));
  return log;
}

/// When CTA `cta` issued its `nth` operation of this name, from its first cycle on.
Cycles issued(const RunLog& log, std::int64_t cta, std::string_view operation, int nth = 0, int warp = 0) {
  for (const RunLog::Issued& each : log.issued.at({0, cta, warp}))
    if (each.operation == operation && nth-- == 0) return each.at - log.ctas.at({0, cta}).from;
  return Cycles(-1);
}

/// From the last warp's arrival at a barrier that `warps` warps of its CTA come to in one cycle, until they go on, when
/// the CTA is the last: bar.sync, the fence, the atomic, a poll, bar.sync's release.
Cycles alone(const Profile& profile, int warps = 1) {
  const Cycles fence = profile.l2->latency, atomic = profile.l2->latency + profile.l2->atomic_latency;
  const Cycles poll = profile.l2->latency;
  return profile.barrier.per_warp * warps + profile.barrier.latency + fence + atomic + poll + profile.barrier.latency;
}

/// Two barriers, of which the second finds the counter in L2.
Schedule two_barriers(std::int64_t ctas, int warps = 1) {
  Probe probe;
  return probe.add(GridBarrier{}).add(GridBarrier{}).add(Arithmetic{}).schedule(warps, ctas);
}

}  // namespace

TEST_CASE("a barrier of one CTA takes bar.sync, an atomic, a poll and the release") {
  const Profile profile = some_sms(1);
  const RunLog log = run(profile, two_barriers(1));
  CHECK(issued(log, 0, "ALU") - issued(log, 0, "BARRIER.GRID", 1) == alone(profile));
}

TEST_CASE("the first barrier of a run fetches its counter from memory") {
  const Profile profile = some_sms(1);
  const RunLog log = run(profile, two_barriers(1));
  CHECK(issued(log, 0, "BARRIER.GRID", 1) == alone(profile) + profile.dram.latency - profile.l2->latency);
}

TEST_CASE("all CTAs wait for the last, and go on when a poll of theirs has found it") {
  const Profile profile = some_sms(2);
  Probe probe;
  const Token x = probe.token("x");
  probe.add(GridBarrier{});
  probe.add(changes(x), 500, Bound{along(Coordinate::block_m, -1) + 1, 1});  // CTA 1 comes later
  probe.add(needs(x)).add(GridBarrier{}).add(needs(x));
  const RunLog log = run(profile, probe.schedule(1, 2));
  const Cycles late = issued(log, 1, "BARRIER.GRID", 1);
  CHECK(issued(log, 1, "ALU", 1) == late + alone(profile));
  const Cycles early = issued(log, 0, "BARRIER.GRID", 1);
  REQUIRE(late > early + profile.l2->latency * 2);
  // It polls from where its own atomic has come back.
  const Cycles polls = issued(log, 0, "ALU", 1) - early - (alone(profile) - profile.l2->latency);
  CHECK(polls.count() % profile.l2->latency.count() == 0);
  const Cycles waited = issued(log, 0, "ALU", 1) - issued(log, 1, "ALU", 1);
  CHECK(waited < profile.l2->latency);
  CHECK(waited > Cycles(0) - profile.l2->latency);
}

TEST_CASE("warps of a CTA arrive one after another") {
  const Profile profile = some_sms(1);
  const RunLog log = run(profile, two_barriers(1, 4));
  Cycles last;
  for (int warp = 0; warp < 4; ++warp) last = std::max(last, issued(log, 0, "BARRIER.GRID", 1, warp));
  const Cycles first = issued(log, 0, "BARRIER.GRID", 1);
  CHECK(issued(log, 0, "ALU") == first + alone(profile, 4));
  CHECK(last < first + profile.barrier.per_warp * 4);
}

TEST_CASE("a CTA is counted when its stores have been acknowledged") {
  const Profile profile = some_sms(1);
  Probe probe;
  probe.add(GridBarrier{}).add(StoreGlobal{one_line(0), probe.token("x")}).add(GridBarrier{}).add(Arithmetic{});
  const RunLog log = run(profile, probe.schedule());
  const Cycles stored = issued(log, 0, "STG");
  // A store is acknowledged when L2 has it: the way there and back.
  const Cycles crossing = profile.l2->latency * 2 / 5;
  CHECK(issued(log, 0, "ALU") ==
        stored + crossing * 2 + alone(profile) - profile.barrier.per_warp - profile.barrier.latency);
}

TEST_CASE("what a CTA waits for at the barrier is charged to it") {
  const Profile profile = some_sms(1);
  const RunLog log = run(profile, two_barriers(1));
  Cycles charged;
  for (const RunLog::Span& span : log.spans.at({0, 0, 0}))
    if (span.reason == Reason::barrier) charged += span.to - span.from;
  CHECK(charged == issued(log, 0, "ALU") - 2 * issue);
}

TEST_CASE("after the barrier L1 does not have what it had") {
  Profile profile = some_sms(1);
  profile.l1 = probe_l1();
  Probe probe;
  const Token x = probe.token("x");
  const auto load = [&] { probe.add(LoadGlobal{one_line(0), x}).add(needs(x)); };
  load();
  load();
  probe.add(GridBarrier{});
  load();
  const RunLog log = run(profile, probe.schedule());
  CHECK(issued(log, 0, "ALU", 1) - issued(log, 0, "LDG", 1) == profile.l1->latency);
  CHECK(issued(log, 0, "ALU", 2) - issued(log, 0, "LDG", 2) == profile.l2->latency);
}

namespace {

/// All but the last of the CTAs are counted, the last one waits for them.
void meet_at_last(Probe& probe, std::int64_t ctas) {
  probe.add(GridBarrier{.waits = false}, 1, Bound{along(Coordinate::block_m), ctas - 1});
  probe.add(GridBarrier{}, 1, Bound{along(Coordinate::block_m, -1) + (ctas - 1), 1});
}

}  // namespace

TEST_CASE("a CTA that is only counted goes on with the atomic's answer, and the last one with a poll's") {
  const Profile profile = some_sms(2);
  constexpr std::int64_t ctas = 5;  // more than there is room for
  Probe probe;
  meet_at_last(probe, ctas);
  const RunLog log = run(profile, probe.add(Arithmetic{}).schedule(1, ctas));
  // The first of all fetches the counter from memory, later ones find it in L2.
  const Cycles poll = profile.l2->latency;
  CHECK(issued(log, 2, "ALU") - issued(log, 2, "BARRIER.GRID") == alone(profile) - poll);
  CHECK(issued(log, ctas - 1, "ALU") - issued(log, ctas - 1, "BARRIER.GRID") >= alone(profile));
}

TEST_CASE("who is counted twice on its way is not taken for one that has not come yet") {
  const Profile profile = some_sms(3);
  Probe probe;
  const Token x = probe.token("x");
  probe.add(changes(x), 5000, Bound{along(Coordinate::block_m, -1, 1, 2) + 1, 1}).add(needs(x));  // CTA 1 is late
  meet_at_last(probe, 3);
  probe.add(StoreGlobal{one_line(0), x});
  meet_at_last(probe, 3);
  const RunLog log = run(profile, probe.schedule(1, 3));
  const auto at = [&](std::int64_t cta, std::string_view operation) {
    return log.ctas.at({0, cta}).from + issued(log, cta, operation);
  };
  CHECK(at(2, "STG") > at(1, "BARRIER.GRID"));
}

TEST_CASE("a grid that does not fit waits for ever, and the run says so") {
  const Profile profile = some_sms(2);
  const Schedule schedule = two_barriers(3);
  try {
    (void)run(profile, schedule);
    FAIL("the run ended");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waits().size() == 2);
    CHECK(error.waits()[0] ==
          "warp 0 (worker) of CTA 0 waits at a barrier over the grid, where its CTA has been counted and others have "
          "not");
  }
}

}  // namespace gpusim::machine_grid_barrier_test
