// A whole machine with clusters: bulk copies to several CTAs, and arrivals at each other's mbarriers.
#include <doctest/doctest.h>

#include <set>

#include "gpusim/error.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/run_log.h"

namespace gpusim::machine_multicast_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};
constexpr std::int64_t rows = 8;
constexpr std::int64_t box_bytes = rows * 128;

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

struct Ran {
  RunLog log;
  Result result;

  /// When CTA `cta` issued `operation`, from CTA 0's first cycle on.
  [[nodiscard]] Cycles issued(std::int64_t cta, std::string_view operation) const {
    for (const RunLog::Issued& each : log.issued.at({0, cta, 0}))
      if (each.operation == operation) return each.at - log.ctas.at({0, 0}).from;
    return Cycles(-1);
  }
  [[nodiscard]] std::int64_t work(std::string_view server) const {
    for (const ServerRow& row : result.servers)
      if (row.name == server) return row.work;
    return -1;
  }
};

Ran run(const Profile& profile, const Schedule& schedule) {
  Ran ran;
  Observer* const observer = &ran.log;
  ran.result = machine::Machine(profile, {}, std::span(&observer, 1)).run(std::span(&schedule, 1));
  return ran;
}

/// The CTAs that a run which cannot go on names, or none.
std::set<char> stuck(const Schedule& schedule) {
  std::set<char> ctas;
  try {
    (void)run(with_clusters(), schedule);
  } catch (const DeadlockError& error) {
    for (const std::string& wait : error.waits()) ctas.insert(wait.at(wait.find("CTA ") + 4));
  }
  return ctas;
}

/// A cluster of two by two CTAs.
Schedule cluster_of(const Probe& probe) {
  Schedule schedule = probe.schedule(1, 2);
  schedule.grid_n = 2;
  schedule.cluster = 4;
  schedule.cluster_m = 2;
  return schedule;
}

const Bound first_cta{along(Coordinate::block_m, 2) + along(Coordinate::block_n), 1};

BulkCopy multicast_copy(Multicast multicast, const Layout& row = 0) {
  BulkCopy copy = bulk_lines(row, rows, full());
  copy.rank = 0;
  copy.multicast = multicast;
  return copy;
}

/// All CTAs are ready, CTA 0 copies, and those of `waits` wait for the data.
Schedule copied(const BulkCopy& copy, const std::optional<Bound>& waits = {}) {
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(box_bytes)}).add(ClusterBarrier{});
  probe.add(copy, 1, first_cta).add(BarrierWait{full(), 0}, 1, waits).add(Arithmetic{});
  return cluster_of(probe);
}

/// CTA 0 arrives at the mbarriers of all CTAs one after another, and all wait for it.
Schedule arrived_everywhere() {
  Probe probe;
  probe.add(ClusterBarrier{});
  BarrierArrive arrive{full(), Bytes(0)};
  for (int rank = 0; rank < 4; ++rank) {
    arrive.peer = Layout(rank);
    probe.add(arrive, 1, first_cta);
  }
  return cluster_of(probe.add(BarrierWait{full(), 0}).add(Arithmetic{}));
}

}  // namespace

TEST_CASE("a copy goes to the CTAs that share its operand") {
  using Ctas = std::set<char>;
  CHECK(stuck(copied(multicast_copy(Multicast::none))) == Ctas{'1', '2', '3'});
  const Schedule along_m = copied(multicast_copy(Multicast::along_m));
  const Schedule along_n = copied(multicast_copy(Multicast::along_n));
  for (const Schedule* const schedule : {&along_m, &along_n})
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(rank);
      const auto [m, n] = place_in_cluster(*schedule, rank);
      const bool gets = schedule == &along_m ? n == 0 : m == 0;
      CHECK(stuck(*schedule).count(static_cast<char>('0' + rank)) == (gets ? 0 : 1));
    }
  CHECK(stuck(copied(multicast_copy(Multicast::cluster))).empty());
}

TEST_CASE("all CTAs have the data when the one that asked has it") {
  const Profile profile = with_clusters();
  const Ran ran = run(profile, copied(multicast_copy(Multicast::cluster)));
  const Cycles asked = ran.issued(0, "UTMALDG.MULTICAST");
  for (std::int64_t cta = 0; cta < 4; ++cta)
    CHECK(ran.issued(cta, "ALU") ==
          asked + profile.dram.latency + profile.tma->overhead + profile.barrier.mbarrier_latency);
}

TEST_CASE("what is multicast is read from L2 once, and passes the input port of every SM it is for") {
  const Ran ran = run(with_clusters(), copied(multicast_copy(Multicast::cluster)));
  const Traffic& traffic = ran.result.kernels.at(0).traffic;
  CHECK(traffic.l2_read_sectors == box_bytes / 32);
  CHECK(traffic.dram_read_bytes == box_bytes);
  CHECK(traffic.l2_delivered_sectors == 4 * box_bytes / 32);
  CHECK(traffic.shared_store_bytes == 4 * box_bytes);
  CHECK(ran.work("sm.port_in") == 4 * box_bytes);
}

TEST_CASE("a port that several of the SMs share is passed once") {
  Profile profile = with_clusters();
  profile.crossbar.tpc_read_bytes_per_clk = profile.crossbar.gpc_read_bytes_per_clk = Rate::per_cycle(64);
  const Ran ran = run(profile, copied(multicast_copy(Multicast::cluster)));
  CHECK(ran.work("crossbar.gpc_in") == box_bytes);
  CHECK(ran.work("crossbar.tpc_in") == 2 * box_bytes);
}

TEST_CASE("zeros from outside the buffer complete their bytes in every CTA") {
  const Profile profile = with_clusters();
  const Ran ran = run(profile, copied(multicast_copy(Multicast::cluster, 70000)));
  CHECK(ran.result.kernels.at(0).traffic.l2_read_sectors == 0);
  const Cycles done = ran.issued(0, "UTMALDG.MULTICAST") + profile.tma->overhead;
  CHECK(ran.issued(0, "ALU") == done + profile.barrier.mbarrier_latency);
  CHECK(ran.issued(1, "ALU") == done + profile.cluster->tpc_latency + profile.barrier.mbarrier_latency);
}

TEST_CASE("a copy to a CTA that has exited stops the run, by name") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(BarrierArrive{full(), Bytes(box_bytes)}).add(ClusterBarrier{});
  probe.add(changes(x), 100, first_cta).add(needs(x), 1, first_cta);
  probe.add(multicast_copy(Multicast::cluster), 1, first_cta).add(BarrierWait{full(), 0}, 1, first_cta);
  try {
    (void)run(with_clusters(), cluster_of(probe));
    FAIL("the run ended");
  } catch (const DeadlockError& error) {
    CHECK(error.waits().at(0) ==
          "CTA 1, which does not run, is sent data of a multicast copy by another CTA of its cluster: a "
          "barrier.cluster is missing");
  }
}

TEST_CASE("an arrival at another CTA's mbarrier takes the way of a store to its shared memory, and holds up nobody") {
  const Profile profile = with_clusters();
  const ClusterSpec& cluster = *profile.cluster;
  const std::vector<Cycles> ways{cluster.own_latency, cluster.tpc_latency, cluster.gpc_latency, cluster.gpc_latency};
  const Ran ran = run(profile, arrived_everywhere());
  const Cycles first = ran.issued(0, "SYNCS.ARRIVE.CLUSTER");
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    CHECK(ran.issued(rank, "ALU") ==
          first + issue * rank + ways.at(static_cast<std::size_t>(rank)) + profile.barrier.mbarrier_latency);
  }
}

TEST_CASE(
    "an arrival that leaves late, behind other CTAs' stores, is there before the cluster's barrier lets anyone go") {
  // Three CTAs an SM; of four rows of C most warps have nothing to store, and come to the barrier at once.
  schedules::GemmProblem problem{.m = 4, .n = 33792, .k = 256, .layout = schedules::GemmLayout::nt};
  schedules::GemmTiling tiling;
  tiling.variant = schedules::GemmVariant::wgmma;
  tiling.tile = {64, 64, 64};
  tiling.stages = 4;
  tiling.specialize = true;
  tiling.cluster = {1, 2};
  const Gpu gpu(load_profile("h100-sxm"));
  CHECK(gpu.run(schedules::gemm(problem, tiling)).termination == Termination::completed);
}

TEST_CASE("an arrival at a CTA that has exited stops the run, by name") {
  Probe probe;
  const Token x = probe.token("x");
  BarrierArrive arrive{full(), Bytes(0)};
  arrive.peer = Layout(2);
  probe.add(changes(x), 100, first_cta).add(needs(x), 1, first_cta).add(arrive, 1, first_cta);
  try {
    (void)run(with_clusters(), cluster_of(probe));
    FAIL("the run ended");
  } catch (const DeadlockError& error) {
    CHECK(error.waits().at(0) ==
          "CTA 2, which does not run, is sent an arrival at an mbarrier by another CTA of its cluster: a "
          "barrier.cluster is missing");
  }
}

}  // namespace gpusim::machine_multicast_test
