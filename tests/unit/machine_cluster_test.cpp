// A whole machine with clusters: shared memory of other SMs, and barriers over all CTAs of a cluster.
#include <doctest/doctest.h>

#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/run_log.h"

namespace gpusim::machine_cluster_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};

/// Two TPCs of two SMs, in one GPC with a CPC for each.
Profile with_clusters() {
  Profile profile = probe_machine();
  profile.sm.count = 4;
  profile.sm.sms_per_tpc = 2;
  profile.sm.tpcs_per_cpc = 1;
  profile.cluster = ClusterSpec{.ctas = 4,
                                .own_latency = Cycles(33),
                                .tpc_latency = Cycles(180),
                                .cpc_latency = Cycles(190),
                                .gpc_latency = Cycles(213),
                                .barrier_latency = Cycles(375),
                                .relaxed_barrier_latency = Cycles(102)};
  return profile;
}

RunLog run(const Profile& profile, const Schedule& schedule) {
  RunLog log;
  Observer* const observer = &log;
  (void)machine::Machine(profile, {}, std::span(&observer, 1)).run(std::span(&schedule, 1));
  return log;
}

/// When CTA `cta` issued `operation`, from its first cycle on.
Cycles issued(const RunLog& log, std::int64_t cta, std::string_view operation) {
  for (const RunLog::Issued& each : log.issued.at({0, cta, 0}))
    if (each.operation == operation) return each.at - log.ctas.at({0, cta}).from;
  return Cycles(-1);
}

/// A load of the shared memory of the CTA `distance` ranks on, and an instruction that needs it.
Schedule load_of_peer(std::int64_t distance) {
  Probe probe;
  const Token x = probe.token("x");
  SharedAccess from = one_wavefront();
  from.peer = along(Coordinate::block_m) + distance;
  probe.add(LoadShared{from, x}).add(needs(x));
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = 4;
  return schedule;
}

/// Every CTA comes to the barrier `step` FMAs later than the one before.
Schedule barrier_in_steps(std::int64_t step, bool relaxed) {
  Probe probe, chain;
  const Token x = probe.token("x");
  for (std::int64_t cta = 1; cta < 4; ++cta)
    probe.add(changes(x), step, Bound{along(Coordinate::block_m, -1) + cta, 1});
  probe.add(changes(x)).add(needs(x, Pipe::sfu)).add(ClusterBarrier{relaxed}).add(needs(x));
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = 4;
  return schedule;
}

}  // namespace

TEST_CASE("a load of another SM's shared memory takes the latency of the way: TPC, CPC, GPC") {
  const Profile profile = with_clusters();
  const ClusterSpec& cluster = *profile.cluster;
  // SMs 0 and 1 share a TPC; 0 and 2 are of different CPCs.
  CHECK(issued(run(profile, load_of_peer(1)), 0, "ALU") == cluster.tpc_latency);
  CHECK(issued(run(profile, load_of_peer(2)), 0, "ALU") == cluster.gpc_latency);
  Profile one_cpc = profile;
  one_cpc.sm.tpcs_per_cpc = 2;
  CHECK(issued(run(one_cpc, load_of_peer(2)), 0, "ALU") == cluster.cpc_latency);
}

TEST_CASE("the own shared memory through the cluster's window takes its own latency") {
  const Profile profile = with_clusters();
  CHECK(issued(run(profile, load_of_peer(0)), 0, "ALU") == profile.cluster->own_latency);
}

TEST_CASE("ranks count round the cluster") {
  const Profile profile = with_clusters();
  CHECK(issued(run(profile, load_of_peer(1)), 3, "ALU") == profile.cluster->gpc_latency);  // rank 3 reads rank 0
}

TEST_CASE("a store to another SM is posted") {
  Probe probe;
  SharedAccess to = one_wavefront();
  to.peer = along(Coordinate::block_m) + 1;
  probe.add(StoreShared{to, probe.token("x")}).add(Arithmetic{});
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = 4;
  CHECK(issued(run(with_clusters(), schedule), 0, "ALU") == issue);
}

TEST_CASE("all CTAs pass the cluster barrier its latency after the last arrival, sooner when it orders no memory") {
  const Profile profile = with_clusters();
  for (const bool relaxed : {false, true}) {
    CAPTURE(relaxed);
    const RunLog log = run(profile, barrier_in_steps(50, relaxed));
    const Cycles last = issued(log, 3, "BARRIER.CLUSTER");
    REQUIRE(last > issued(log, 0, "BARRIER.CLUSTER"));
    const Cycles latency = relaxed ? profile.cluster->relaxed_barrier_latency : profile.cluster->barrier_latency;
    for (std::int64_t cta = 0; cta < 4; ++cta) CHECK(issued(log, cta, "ALU") == last + latency);
  }
}

TEST_CASE("clusters do not wait for each other's barriers") {
  Profile profile = with_clusters();
  profile.sm.gpcs = 2;
  Schedule schedule = barrier_in_steps(50, false);
  schedule.cluster = 2;
  const RunLog log = run(profile, schedule);
  CHECK(issued(log, 0, "ALU") == issued(log, 1, "BARRIER.CLUSTER") + profile.cluster->barrier_latency);
  CHECK(issued(log, 2, "ALU") == issued(log, 3, "BARRIER.CLUSTER") + profile.cluster->barrier_latency);
  CHECK(issued(log, 0, "ALU") < issued(log, 2, "ALU"));
}

TEST_CASE("a barrier that orders no memory lets its cluster go before one that was complete sooner and does") {
  Profile profile = with_clusters();
  profile.sm.count = 2;
  Probe probe;
  const Token x = probe.token("x");
  probe.add(changes(x));
  probe.add(ClusterBarrier{false}, 1, Bound{along(Coordinate::block_m), 2});
  probe.add(changes(x), 20, Bound{along(Coordinate::block_m, -1), -1});
  probe.add(ClusterBarrier{true}, 1, Bound{along(Coordinate::block_m, -1), -1});
  probe.add(needs(x));
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = 2;
  const RunLog log = run(profile, schedule);
  for (const std::int64_t cta : {0, 1}) {
    CHECK(issued(log, cta, "ALU") > profile.cluster->barrier_latency);
    CHECK(issued(log, cta + 2, "ALU") < profile.cluster->barrier_latency);
  }
}

}  // namespace gpusim::machine_cluster_test
