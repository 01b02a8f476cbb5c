#include "gpusim/estimate/quick.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/gemm.h"
#include "support/latency_machine.h"
#include "support/probe_programs.h"

namespace gpusim::estimate_quick_test {

using namespace gpusim::testing;
using estimate::quick_estimate;
using estimate::QuickEstimate;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

double busy(const QuickEstimate& estimate, std::string_view resource) {
  const auto found = std::find_if(estimate.resources.begin(), estimate.resources.end(),
                                  [&](const auto& each) { return each.name == resource; });
  return found == estimate.resources.end() ? 0 : found->cycles;
}

/// `steps` k tiles of this body in each CTA.
Schedule stepping(Probe probe, Probe body, std::int64_t steps, std::int64_t ctas = 1, int warps = 4) {
  probe.loop(steps, std::move(body));
  Schedule schedule = probe.schedule(warps, ctas);
  std::get<Loop>(schedule.roles[0].program.body.back()).steps_tiles = true;
  return schedule;
}

/// A wide product in fp16 on a GPU whose L2 holds a small part of it, tiles in this order.
QuickEstimate in_order(TileOrder order) {
  Profile profile = load_profile("ada");
  set(profile, "l2.capacity=6MiB");
  const GemmTiling tiling{.tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 3, .order = order};
  return quick_estimate(schedules::gemm({.m = 4096, .n = 16384, .k = 1024}, tiling), profile);
}

}  // namespace

TEST_CASE("a chain of latencies takes as many k tiles as there are, walked or not") {
  Profile profile = latency_machine(1);
  Probe probe, body;
  const Token x = probe.token("x");
  body.add(changes(x)).add(changes(x, Pipe::alu));
  const QuickEstimate estimate = quick_estimate(stepping(probe, body, 1'000'000), profile);
  CHECK(estimate.steps == 1e6);
  CHECK(estimate.step_latency == 4 + 5);
  CHECK(estimate.cycles == doctest::Approx(9e6));
  CHECK(estimate.resources.front().name == "latency");
}

TEST_CASE("what all warps ask of a pipe is shared out over the sub-partitions, the fullest of which counts") {
  Profile profile = latency_machine(1);
  profile.sm.sub_partitions = 4;
  profile.pipes.fma.lanes = 128;
  Probe probe, body;
  const Token x = probe.token("x");
  body.add(changes(x), 100);
  for (const int warps : {4, 6, 8}) {
    const Schedule schedule = stepping(probe, body, 10, 1, warps);
    CHECK(busy(quick_estimate(schedule, profile), "sm.fma") == 10 * 100 * ((warps + 3) / 4));
  }
}

TEST_CASE("loads and shuffles write whole registers, stores none") {
  Profile profile = latency_machine(1);
  profile.lsu.writeback_bytes_per_clk = Rate::per_cycle(128);
  const auto registers = [&](const auto& action) {
    Probe probe, body;
    body.add(action(probe.token("x")));
    return busy(quick_estimate(stepping(probe, body, 10), profile), "sm.lsu_writeback");
  };
  const SharedAccess wide{TileId(0), 0, 0, 0, 4};
  CHECK(registers([&](Token x) { return LoadShared{wide, x}; }) == 10 * 4 * 4);
  CHECK(registers([&](Token x) { return LoadGlobal{one_line(0), x}; }) == 10 * 4 * 1);
  CHECK(registers([&](Token x) { return Shuffle{.into = x, .from = x, .distance = 1}; }) == 10 * 4 * 1);
  CHECK(registers([&](Token x) { return TransposeMatrices{x}; }) == 10 * 4 * 1);
  CHECK(registers([&](Token x) { return StoreShared{wide, x}; }) == 0);
}

TEST_CASE("bank conflicts multiply the wavefronts") {
  Profile profile = latency_machine(1);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  const auto wavefronts = [&](const SharedAccess& access) {
    Probe probe, body;
    body.add(LoadShared{access, probe.token("x")});
    return busy(quick_estimate(stepping(probe, body, 10), profile), "sm.shared");
  };
  CHECK(wavefronts(one_wavefront()) == 10 * 4 * 1);
  CHECK(wavefronts(one_bank()) == 10 * 4 * 32);
}

TEST_CASE("loads through L1 pass the banks of shared memory, those past it do not") {
  Profile profile = load_profile("t4");
  profile.shared.bytes_per_clk = Rate::per_cycle(64);
  const auto passes = [&](bool bypass_l1) {
    Probe probe, body;
    body.add(LoadGlobal{.from = one_line(0), .into = probe.token("x"), .bypass_l1 = bypass_l1});
    return busy(quick_estimate(stepping(probe, body, 10), profile), "sm.shared");
  };
  CHECK(passes(false) == 10 * 4 * 2);
  CHECK(passes(true) == 0);
}

TEST_CASE("lines that other CTAs have brought to L2 are not on their way from DRAM") {
  const Profile profile = load_profile("ampere");
  const GemmTiling tiling{.tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 3};
  const auto lines = [&](std::int64_t n, const RunOptions& options = {}) {
    return busy(quick_estimate(gemm({.m = 128, .n = n, .k = 1024}, tiling), profile, options), "sm.miss_lines");
  };
  const double alone = lines(128), from_l2 = lines(128, {.l2 = L2State::warm});
  CHECK(from_l2 < alone);
  // 64 CTAs side by side, one on each SM, share A; each has a B of its own.
  const double share = (1.0 + 64) / (64 + 64);
  CHECK(lines(std::int64_t{128} * 64) == doctest::Approx(share * alone + (1 - share) * from_l2));
}

TEST_CASE("what bulk copies bring takes the way into shared memory, and not the banks") {
  Profile profile = load_profile("hopper");
  const auto schedule = schedules::gemm({.m = 128, .n = 128, .k = 1024},
                                        {.tile = {128, 128, 64}, .variant = GemmVariant::tma, .stages = 3});
  const auto at = [&](const char* resource) { return busy(quick_estimate(schedule, profile), resource); };
  const double banks = at("sm.shared");
  constexpr double bytes = (128 + 128) * 1024 * 2;
  CHECK(at("sm.tma_write") == doctest::Approx(bytes / profile.tma->write_bytes_per_clk.per_cycle()));
  profile.tma->write_bytes_per_clk = Rate::per_cycle(8);
  CHECK(at("sm.tma_write") == doctest::Approx(bytes / 8));
  CHECK(at("sm.shared") == banks);
}

TEST_CASE("what is written takes as much of the slices as what is read, and of what they can write") {
  Profile profile = load_profile("hopper");
  const auto at = [&](schedules::StreamKind kind, const char* resource) {
    return busy(quick_estimate(schedules::copy({.kind = kind, .elements = 1 << 20}, {}), profile), resource);
  };
  using schedules::StreamKind;
  CHECK(at(StreamKind::write, "l2.slice") == doctest::Approx(at(StreamKind::read, "l2.slice")));
  CHECK(at(StreamKind::read, "l2.slice_write") == 0);
  profile.l2->slice_write_bytes_per_clk = profile.l2->slice_bytes_per_clk / 5;
  CHECK(at(StreamKind::write, "l2.slice_write") == doctest::Approx(5 * at(StreamKind::write, "l2.slice")));
}

TEST_CASE("warps that meet in a step stand in each other's way by the fourth powers of what they ask for") {
  Profile profile = latency_machine(1);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.pipes.fma.lanes = 32;
  Probe probe, body;
  const Token x = probe.token("x"), y = probe.token("y");
  body.add(LoadShared{one_wavefront(), x}, 50).add(changes(y), 100).add(CtaBarrier{});
  const QuickEstimate estimate = quick_estimate(stepping(probe, body, 100, 1, 8), profile);
  // 8 warps: a cycle a wavefront, and a cycle a product on the SM's one sub-partition.
  const double shared = 8 * 50, products = 8 * 100;
  CHECK(busy(estimate, "sm.shared") == 100 * shared);
  CHECK(busy(estimate, "sm.fma") == 100 * products);
  const double chain = estimate.step_latency;
  const double among = std::pow(std::pow(chain, 4) + std::pow(shared, 4) + std::pow(products, 4), 0.25);
  CHECK(among > products);
  CHECK(estimate.step_cycles == doctest::Approx(among));
}

TEST_CASE("a CTA of one warp has nobody in its way") {
  Profile profile = latency_machine(1);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  Probe probe, body;
  const Token x = probe.token("x");
  body.add(LoadShared{one_wavefront(), x}, 10).add(CtaBarrier{});
  const QuickEstimate estimate = quick_estimate(stepping(probe, body, 100, 1, 1), profile);
  CHECK(estimate.step_cycles == doctest::Approx(estimate.step_latency));
}

TEST_CASE("CTAs side by side do their prologues at the same time") {
  Profile profile = latency_machine(1);
  profile.sm.ctas = 2;
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  Probe probe, body;
  const Token x = probe.token("x");
  probe.add(LoadShared{one_wavefront(), x}, 1000);
  body.add(changes(x));
  const double one = quick_estimate(stepping(probe, body, 10, 1), profile).cycles;
  const double two = quick_estimate(stepping(probe, body, 10, 2), profile).cycles;
  CHECK(two - one == doctest::Approx(1000 * 4));  // a wavefront of each of 4 warps
}

TEST_CASE("a guard is counted by how often it holds") {
  Profile profile = latency_machine(1);
  profile.pipes.fma.lanes = 32;
  Probe probe, body;
  const Token x = probe.token("x");
  body.add(changes(x), 1, Bound{along(Coordinate::warp), 1});            // one warp of four
  body.add(changes(x), 1, Bound{along(Coordinate::loop0, 1, 1, 2), 1});  // every other trip
  CHECK(busy(quick_estimate(stepping(probe, body, 64), profile), "sm.fma") == 64 * 1 + 64 / 2 * 4);
}

TEST_CASE("a guard that holds up to some trip, or from one on, is counted to the trip") {
  Profile profile = latency_machine(1);
  profile.pipes.fma.lanes = 32;
  for (const std::int64_t steps : {5, 7, 16, 17, 23, 64, 91, 1024}) {
    for (const std::int64_t trip : {std::int64_t{1}, steps / 3, steps - 2, steps - 1}) {
      CAPTURE(steps);
      CAPTURE(trip);
      Probe probe, up_to, from;
      const Token x = probe.token("x");
      up_to.add(changes(x), 1, Bound{along(Coordinate::loop0), trip});
      CHECK(busy(quick_estimate(stepping(probe, up_to, steps), profile), "sm.fma") ==
            doctest::Approx(4 * static_cast<double>(trip)));
      from.add(changes(x), 1, Bound{along(Coordinate::loop0, -1), 1 - trip});
      CHECK(busy(quick_estimate(stepping(probe, from, steps), profile), "sm.fma") ==
            doctest::Approx(4 * static_cast<double>(steps - trip)));
    }
  }
}

TEST_CASE("the busiest SM counts, and fewer CTAs in its last round take less than a full one") {
  Profile profile = latency_machine(4);
  profile.sm.ctas = 2;
  profile.pipes.fma.lanes = 32;
  profile.launch = {};
  const auto cycles = [&](std::int64_t ctas) {
    Probe probe, body;
    body.add(changes(probe.token("x")), 100);
    return quick_estimate(stepping(probe, body, 50, ctas), profile);
  };
  const double one = 50 * 4 * 100;
  CHECK(cycles(4).cycles == doctest::Approx(one).epsilon(0.01));
  CHECK(cycles(5).cycles == doctest::Approx(2 * one).epsilon(0.01));
  CHECK(cycles(8).cycles == doctest::Approx(2 * one).epsilon(0.01));
  CHECK(cycles(9).cycles == doctest::Approx(3 * one).epsilon(0.01));
  CHECK(cycles(9).rounds == 1.5);
}

TEST_CASE("DRAM delivers less when neighbouring tiles share what L2 holds") {
  const double row = in_order(TileOrder::row).dram_bytes;
  const double grouped = in_order(TileOrder::grouped).dram_bytes;
  CHECK(grouped < row);
  const double a = 4096.0 * 1024 * 2, b = 1024.0 * 16384 * 2;
  CHECK(grouped > a + b);
}

TEST_CASE("buffers that L2 holds come from DRAM once, or not at all when it is warm") {
  const Profile profile = load_profile("ada");
  const Schedule schedule = schedules::gemm({.m = 1024, .n = 1024, .k = 1024}, {.tile = {128, 128, 32}, .stages = 3});
  CHECK(quick_estimate(schedule, profile).dram_bytes == 2.0 * 1024 * 1024 * 2);
  CHECK(quick_estimate(schedule, profile, {.l2 = L2State::warm}).dram_bytes == 0);
}

TEST_CASE("what a multicast brings comes from L2 once for all CTAs it is for") {
  const Profile profile = load_profile("hopper");
  GemmTiling tiling{.tile = {128, 128, 64}, .variant = GemmVariant::wgmma, .stages = 3, .specialize = true};
  const schedules::GemmProblem problem{.m = 2048, .n = 2048, .k = 1024};
  const double alone = quick_estimate(gemm(problem, tiling), profile).l2_bytes;
  tiling.cluster = {2, 1};
  const double shared = quick_estimate(gemm(problem, tiling), profile).l2_bytes;
  // A tile of A for each CTA, a tile of B for each pair.
  CHECK(shared == doctest::Approx(alone * 3 / 4));
}

}  // namespace gpusim::estimate_quick_test
