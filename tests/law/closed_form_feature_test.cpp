// Law: on a machine of latencies alone, what the engine simulates of every kind of schedule is the closed form, which
// shares no code with it.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/estimate/critical_path.h"
#include "gpusim/gpu.h"
#include "gpusim/schedules/gemm.h"
#include "support/latency_machine.h"
#include "support/probe_programs.h"

namespace gpusim::closed_form_feature_test {

using namespace gpusim::testing;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

struct Kind {
  std::string name;
  GemmTiling tiling;
  GemmProblem problem{.m = 256, .n = 256, .k = 256};
};
const GemmProblem in_fp32{.m = 256, .n = 256, .k = 256, .dtype = DType::fp32};

GemmTiling changed(GemmTiling tiling, void (*change)(GemmTiling&)) {
  change(tiling);
  return tiling;
}

const GemmTiling simt{.tile = {64, 64, 16}, .variant = GemmVariant::simt, .stages = 1};
const GemmTiling async{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 3};
const GemmTiling wgmma{.tile = {64, 64, 64}, .variant = GemmVariant::wgmma, .stages = 3, .specialize = true};

std::vector<Kind> kinds() {
  return {
      {"simt", simt},
      {"simt with cp.async", changed(simt, [](GemmTiling& t) { t.stages = 3; })},
      {"simt with cp.async, interleaved", changed(simt,
                                                  [](GemmTiling& t) {
                                                    t.stages = 3;
                                                    t.fragment_k = 1;
                                                    t.double_buffer = t.interleave = true;
                                                  })},
      {"simt, prefetched", changed(simt, [](GemmTiling& t) { t.prefetch = true; })},
      {"simt in slices of a CTA", changed(simt, [](GemmTiling& t) { t.cta_slices = 2; })},
      {"simt, double buffered", changed(simt, [](GemmTiling& t) { t.double_buffer = true; })},
      {"async", async},
      {"async, staged epilogue", changed(async, [](GemmTiling& t) { t.epilogue = schedules::Epilogue::staged; })},
      {"async, interleaved", changed(async,
                                     [](GemmTiling& t) {
                                       t.tile = {128, 64, 64};
                                       t.warp_tile = {64, 32};
                                       t.fragment_k = 16;
                                       t.double_buffer = t.interleave = true;
                                     })},
      {"async, persistent", changed(async, [](GemmTiling& t) { t.ctas = 8; })},
      {"simt, split k by atomics",
       changed(simt,
               [](GemmTiling& t) {
                 t.split_k = 2;
                 t.reduction = schedules::SplitReduction::atomics;
               }),
       in_fp32},
      {"simt, stream-k",
       changed(simt,
               [](GemmTiling& t) {
                 t.ctas = 10;
                 t.stream_k = true;
               }),
       in_fp32},
      {"wgmma", wgmma},
      {"wgmma, one role", changed(wgmma, [](GemmTiling& t) { t.specialize = false; })},
      {"wgmma, persistent", changed(wgmma, [](GemmTiling& t) { t.ctas = 8; })},
      {"wgmma, bulk stores", changed(wgmma, [](GemmTiling& t) { t.epilogue = schedules::Epilogue::tma; })},
      {"wgmma, multicast", changed(wgmma,
                                   [](GemmTiling& t) {
                                     t.cluster = {2, 2};
                                   })},
      {"wgmma, multicast by the first", changed(wgmma,
                                                [](GemmTiling& t) {
                                                  t.cluster = {2, 2};
                                                  t.multicast_by = schedules::MulticastBy::first;
                                                })},
      {"wgmma, consumers arrive", changed(wgmma,
                                          [](GemmTiling& t) {
                                            t.consumers = 2;
                                            t.tile.m = 128;
                                            t.consumers_arrive = true;
                                          })},
      {"wgmma, multicast, persistent", changed(wgmma,
                                               [](GemmTiling& t) {
                                                 t.cluster = {2, 1};
                                                 t.ctas = 8;
                                               })},
      {"naive", {.tile = {32, 8, 1}, .variant = GemmVariant::naive, .stages = 1}, {.m = 64, .n = 64, .k = 64}},
  };
}

void check_equal(const Schedule& schedule, const RunOptions& options) {
  const Profile profile = latency_machine(cta_count(schedule));
  CHECK(cycles(Gpu(profile).run(schedule, options)).count() ==
        estimate::critical_path(schedule, profile, options).total.count());
}

const RunOptions cold{.exact = true};
const RunOptions warm{.exact = true, .l2 = L2State::warm};

}  // namespace

TEST_CASE("every kind of schedule takes as long as its closed form") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    check_equal(gemm(kind.problem, kind.tiling), warm);
  }
}

TEST_CASE("barriers over the grid take as long as their closed form, with and without stores before them") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(GridBarrier{}).add(LoadGlobal{one_line(along(Coordinate::block_m)), x}).add(GridBarrier{});
  probe.add(StoreGlobal{one_line(along(Coordinate::block_m)), x}).add(GridBarrier{});
  check_equal(probe.schedule(3, 4), cold);
  check_equal(probe.schedule(3, 4), warm);
}

TEST_CASE("arrivals at peers' mbarriers take as long as their closed form") {
  Probe probe;
  const Token x = probe.token("x");
  BarrierArrive next{full(), Bytes(), along(Coordinate::block_m) + 1};
  BarrierArrive own{full(1), Bytes(), along(Coordinate::block_m)};
  probe.add(ClusterBarrier{true}).add(changes(x)).add(next).add(BarrierWait{full(), 0});
  probe.add(own).add(BarrierWait{full(1), 0}).add(changes(x)).add(ClusterBarrier{});
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = schedule.cluster_m = 4;
  check_equal(schedule, cold);
}

TEST_CASE("a multicast copy by one CTA of the cluster takes as long as its closed form") {
  Probe probe;
  BulkCopy copy = bulk_lines(0, 8, full());
  copy.multicast = Multicast::cluster;
  probe.add(BarrierArrive{full(), Bytes(8 * 128)}).add(ClusterBarrier{true});
  probe.add(copy, 1, Bound{along(Coordinate::block_m), 1}).add(BarrierWait{full(), 0}).add(ClusterBarrier{});
  Schedule schedule = probe.schedule(1, 4);
  schedule.cluster = schedule.cluster_m = 4;
  check_equal(schedule, cold);
}

TEST_CASE("with a cold L2 DRAM serves no later than the closed form says") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const Schedule schedule = gemm(kind.problem, kind.tiling);
    const Profile profile = latency_machine(cta_count(schedule));
    CHECK(cycles(Gpu(profile).run(schedule, cold)) <= estimate::critical_path(schedule, profile, cold).total);
  }
}

}  // namespace gpusim::closed_form_feature_test
