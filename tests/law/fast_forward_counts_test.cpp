// Law: CTAs that were skipped have asked for as much as those that were not.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/softmax.h"

#include "support/forward_runs.h"
#include "support/mixed_runs.h"

namespace gpusim::fast_forward_counts_test {

using namespace gpusim::testing;

namespace {

/// CTAs that are half done whenever one looks; two kernels, one after the other.
MixedRun copies() {
  const Schedule copy = schedules::copy({.elements = std::int64_t{1} << 25});
  return {"copies", load_profile("v100-sxm2"), {copy, copy}, {}};
}

MixedRun waves() { return run_of("waves", {"t4", {.m = 8192, .n = 4096, .k = 128}, {.variant = GemmVariant::tensor}}); }

/// Lanes store halves of sectors, so that L2 is written twice what it keeps.
MixedRun halves_of_sectors() {
  return run_of("halves of sectors", {"rtx3060",
                                      {.m = 8192, .n = 4096, .k = 128},
                                      {.tile = {128, 128, 32}, .variant = GemmVariant::async},
                                      L2State::cold,
                                      {"l2.capacity=1536KiB"}});
}

/// Slices of one k tile and of two, and what adds them up.
MixedRun uneven_slices() {
  const schedules::GemmProblem problem{.m = 4096, .n = 8192, .k = 96};
  MixedRun run =
      run_of("uneven slices", {"t4", problem, {.variant = GemmVariant::tensor}, L2State::cold, {"l2.capacity=512KiB"}});
  run.schedules =
      schedules::gemm_kernels(problem, choose(run.profile, problem, {.variant = GemmVariant::tensor, .split_k = 2}));
  return run;
}

/// Persistent CTAs that end their first items together: a round by its k tiles has then the stores of another.
MixedRun rounds() {
  return run_of("rounds", {"rtx3090",
                           {.m = 1496, .n = 2368, .k = 1976},
                           {.tile = {64, 64, 64}, .variant = GemmVariant::async, .persistent = true}});
}

/// Three loops a CTA, each over its row.
MixedRun three_passes() {
  schedules::SoftmaxTiling tiling;
  tiling.place = schedules::RowPlace::memory;
  return {"three passes", load_profile("ampere"), {schedules::softmax({.rows = 2048, .columns = 32768}, tiling)}, {}};
}

double ratio(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

std::int64_t work_of(const Result& result, std::string_view server) {
  for (const ServerRow& row : result.servers)
    if (row.name == server) return row.work;
  return 0;
}

/// A CTA an SM, so that when a wave has gone some SMs have none; the results of each wave make room for the operands
/// of the next.
MixedRun one_at_a_time() {
  return run_of("one at a time", {"rtx4090",
                                  {.m = 4096, .n = 4096, .k = 2048},
                                  {.tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 4},
                                  L2State::cold,
                                  {"l2.capacity=6MiB"}});
}

/// Five waves that begin each loop in step: its first tiles wait for each other at L2, in all waves but the first.
MixedRun in_step() {
  return run_of("in step", {"hopper",
                            {.m = 4096, .n = 5632, .k = 4096, .dtype = DType::bf16},
                            {.tile = {128, 256, 64}, .variant = GemmVariant::tma}});
}

/// Of all hops together.
HopTotals on_the_way(const Result& result) {
  HopTotals sum;
  for (const HopTotals& hop : result.kernels.front().hops) {
    sum.receipts = std::max(sum.receipts, hop.receipts);
    sum.waiting += hop.waiting;
  }
  return sum;
}

}  // namespace

TEST_CASE("what instructions ask for, and reads and writes of L2, are those of an exact run [long]") {
  for (const MixedRun& run : {copies(), waves(), halves_of_sectors(), uneven_slices(), rounds(), three_passes()}) {
    CAPTURE(run.name);
    const Result fast_run = run.run();
    const Result whole_run = exactly(run).run();
    // What tiles, beginnings and ends of CTAs do is one share of their instructions, which is not quite so where CTAs
    // have different numbers of tiles.
    const double near = run.name == "uneven slices" ? 0.05 : 0.003;
    std::int64_t skipped = 0;
    std::int64_t instructions = 0;
    for (std::size_t i = 0; i < fast_run.kernels.size(); ++i) {
      CAPTURE(i);
      const Traffic& fast = fast_run.kernels[i].traffic;
      const Traffic& whole = whole_run.kernels[i].traffic;
      skipped += fast_run.kernels[i].skipped.ctas + fast_run.kernels[i].skipped.k_tiles;
      for (const RoleRow& role : fast_run.kernels[i].roles) instructions += role.instructions;
      for (const auto count : {&Traffic::global_load_bytes, &Traffic::global_store_bytes, &Traffic::shared_load_bytes,
                               &Traffic::shared_store_bytes, &Traffic::shared_ideal_wavefronts,
                               &Traffic::l2_write_sectors, &Traffic::l2_read_sectors, &Traffic::l2_delivered_sectors})
        if (whole.*count > 0) CHECK(ratio(fast.*count, whole.*count) == doctest::Approx(1).epsilon(0.003));
      for (const auto count : {&Traffic::dram_read_bytes, &Traffic::dram_write_bytes})
        if (whole.*count > 0) CHECK(ratio(fast.*count, whole.*count) == doctest::Approx(1).epsilon(0.05));
    }
    REQUIRE(skipped > 0);
    CHECK(forward_error(whole_run, fast_run).cycles < 0.015);
    for (std::size_t i = 0; i < fast_run.kernels.size(); ++i)
      CHECK(fast_run.kernels[i].k_tiles == whole_run.kernels[i].k_tiles);
    CHECK(ratio(work_of(fast_run, "sm.issue"), instructions) == doctest::Approx(1).epsilon(0.003));
    for (const ServerRow& row : whole_run.servers) {
      CAPTURE(row.name);
      const double tolerance = row.name == "dram.channel" ? 0.05 : near;
      if (row.work > 0) CHECK(ratio(work_of(fast_run, row.name), row.work) == doctest::Approx(1).epsilon(tolerance));
    }
    for (std::size_t i = 0; i < whole_run.pools.size(); ++i)
      if (whole_run.pools[i].name == "sm.cta_slots") CHECK(fast_run.pools[i].taken == whole_run.pools[i].taken);
  }
}

TEST_CASE("SMs are as active as in an exact run, and DRAM's channels move what kernels are told to [long]") {
  const MixedRun run = one_at_a_time();
  const Result fast = run.run();
  const Result whole = exactly(run).run();
  const KernelResult& kernel = fast.kernels.front();
  REQUIRE(kernel.skipped.ctas > 0);
  CHECK(ratio(kernel.sm_active_cycles, whole.kernels.front().sm_active_cycles) == doctest::Approx(1).epsilon(0.005));
  const std::int64_t moved = kernel.traffic.dram_read_bytes + kernel.traffic.dram_write_bytes;
  CHECK(ratio(work_of(fast, "dram.channel"), moved) == doctest::Approx(1).epsilon(0.01));
  CHECK(ratio(work_of(fast, "dram.channel"), work_of(whole, "dram.channel")) == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("reads come as often, and wait about as long, as in an exact run [long]") {
  const MixedRun run = in_step();
  const Result fast = run.run();
  const Result whole = exactly(run).run();
  const HopTotals here = on_the_way(fast);
  const HopTotals there = on_the_way(whole);
  REQUIRE(fast.kernels.front().skipped.k_tiles * 2 > fast.kernels.front().k_tiles);
  CHECK(ratio(here.receipts, there.receipts) == doctest::Approx(1).epsilon(0.02));
  CHECK(ratio(here.waiting, there.waiting) ==
        doctest::Approx(1).epsilon(0.15));  // 1.4 by each loop's first tiles alone
  for (const char* const server : {"sm.port_in", "crossbar.tpc_in"}) {
    CAPTURE(server);
    CHECK(ratio(work_of(fast, server), work_of(whole, server)) == doctest::Approx(1).epsilon(0.01));
  }
}

}  // namespace gpusim::fast_forward_counts_test
