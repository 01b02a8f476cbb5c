// Law: CTAs that send each other data and arrivals, and wait for the whole grid, do the same however the run is cut.
#include <doctest/doctest.h>

#include "support/mixed_runs.h"

namespace gpusim::cooperation_test {

using namespace gpusim::testing;

namespace {

constexpr int cluster = 4;
constexpr std::int64_t rows = 8, trips = 6;
constexpr std::int64_t box_bytes = rows * 128;

/// In each of several trips every CTA of a cluster multicasts its quarter of a tile, tells its neighbour when it has
/// the whole, and stores it; after each trip the grid waits.
Schedule cooperating_ctas(std::int64_t clusters) {
  Probe probe, body;
  const Layout trip = along(Coordinate::loop0);
  const Layout rank = along(Coordinate::block_m, 1, 1, cluster);
  BulkCopy copy = bulk_lines(trip * 64 + along(Coordinate::block_m, rows), rows, {BarrierId(0), 0});
  copy.tile_row = rank * rows;
  copy.multicast = Multicast::cluster;
  BarrierArrive tell{{BarrierId(1), 0}, Bytes(0)};
  tell.peer = rank + 1;
  BulkStore store;
  store.rows = cluster * rows;
  store.columns = floats_a_line;
  store.row = along(Coordinate::block_m, cluster * rows) + trip * 1000;
  body.add(BarrierArrive{{BarrierId(0), 0}, Bytes(cluster * box_bytes)}).add(ClusterBarrier{}).add(copy);
  body.add(BarrierWait{{BarrierId(0), 0}, trip}).add(tell).add(BarrierWait{{BarrierId(1), 0}, trip});
  body.add(store).add(BulkCommit{}).add(BulkWait{}).add(GridBarrier{});
  probe.loop(trips, std::move(body)).add(ClusterBarrier{});
  Schedule schedule = probe.schedule(1, clusters * cluster);
  schedule.barriers = {{"full", 1, 1}, {"told", 1, 1}};
  schedule.cluster = cluster;
  return schedule;
}

MixedRun cooperation() {
  constexpr std::int64_t clusters = 3;
  MixedRun run{"cooperation", probe_machine(), {cooperating_ctas(clusters)}, {}};
  Profile& profile = run.profile;
  profile.sm.count = clusters * cluster;
  profile.sm.sms_per_tpc = 2;
  profile.cluster = ClusterSpec{.ctas = cluster,
                                .own_latency = Cycles(33),
                                .tpc_latency = Cycles(180),
                                .cpc_latency = Cycles(190),
                                .gpc_latency = Cycles(213),
                                .write_bytes_per_clk = Rate::per_cycle(3),
                                .barrier_latency = Cycles(375),
                                .relaxed_barrier_latency = Cycles(102)};
  profile.crossbar.sm_read_bytes_per_clk = Rate::ratio(100, 3);
  profile.crossbar.sm_write_bytes_per_clk = Rate::per_cycle(30);
  profile.crossbar.tpc_read_bytes_per_clk = Rate::per_cycle(50);
  profile.l2->slices = 5;
  profile.l2->slice_bytes_per_clk = Rate::per_cycle(32);
  profile.l2->atomics_per_clk = Rate::one_every(3);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  return run;
}

}  // namespace

TEST_CASE("CTAs that wait for each other do the same in any window") {
  const MixedRun run = cooperation();
  const std::uint64_t widest = run.run().digest;
  for (const std::int64_t window : {1, 7, 40}) {
    CAPTURE(window);
    CHECK(run.run({.window = Cycles(window)}).digest == widest);
  }
}

TEST_CASE("what is multicast is delivered as often as it has receivers") {
  const Traffic traffic = cooperation().run().kernels.at(0).traffic;
  constexpr std::int64_t ctas = 3 * cluster;
  CHECK(traffic.l2_read_sectors == ctas * trips * box_bytes / 32);
  CHECK(traffic.l2_delivered_sectors == cluster * traffic.l2_read_sectors);
  CHECK(traffic.global_store_bytes == ctas * trips * cluster * box_bytes);
  CHECK(traffic.shared_store_bytes == ctas * trips * cluster * box_bytes);
}

}  // namespace gpusim::cooperation_test
