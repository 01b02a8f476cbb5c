// Law: what is skipped is told, depends on nothing but the run, and stands for what would have been.
#include <doctest/doctest.h>

#include <numeric>

#include "gpusim/profile_io.h"

#include "support/forward_cases.h"
#include "support/forward_runs.h"
#include "support/mixed_runs.h"
#include "support/run_log.h"
#include "support/sanitized.h"

namespace gpusim::fast_forward_test {

using namespace gpusim::testing;
using schedules::GemmRequest;

/// Long loops over k, on fewer CTAs than there are SMs.
MixedRun along_k() {
  return run_of("along k", {"ampere", {.m = 512, .n = 512, .k = 2048}, {.variant = GemmVariant::async}});
}

/// mbarriers whose phases and slots have to go on with the loops.
MixedRun with_mbarriers() {
  return run_of("mbarriers",
                {"hopper", {.m = 768, .n = 512, .k = 4096}, {.variant = GemmVariant::tma, .specialize = true}});
}

/// Many equal CTAs, each of a few tiles.
MixedRun along_waves() {
  return run_of("along waves", {"t4", {.m = 8192, .n = 4096, .k = 128}, {.variant = GemmVariant::tensor}});
}

/// Persistent CTAs that walk many equal tiles.
constexpr GemmRequest walking{
    .tile = {64, 64, 64}, .variant = GemmVariant::wgmma, .specialize = true, .ctas = 132, .order = TileOrder::grouped};

MixedRun along_rounds(const std::string& name = "along rounds", const GemmRequest& request = walking) {
  return run_of(name, {"hopper", {.m = 8192, .n = 2048, .k = 512, .dtype = DType::bf16}, request});
}

/// Of clusters whose first CTAs bring what is shared: the others' producers execute fewer copies.
MixedRun along_rounds_of_clusters() {
  GemmRequest request = walking;
  request.cluster = schedules::GemmShape{2, 2};
  request.multicast_by = schedules::MulticastBy::first;
  return along_rounds("along rounds of clusters", request);
}

/// The same without mbarriers, whose k loops begin anew with each tile; CTAs that share an SM.
MixedRun along_rounds_of_copies() {
  return run_of(
      "along rounds of copies",
      {"ampere", {.m = 4096, .n = 2048, .k = 256}, {.tile = {64, 64, 64}, .variant = GemmVariant::async, .ctas = 216}});
}

/// Whose two warp groups take items in turns: each has half of the rounds.
MixedRun along_rounds_in_turns() {
  GemmRequest request = walking;
  request.pingpong = true;
  request.epilogue = schedules::Epilogue::tma;
  return along_rounds("along rounds in turns", request);
}

/// Long loops of two warp groups, one after the other: first of both of a CTA's tiles, then of one CTA's last while the
/// other group of it and its cluster is through.
MixedRun along_k_in_turns() {
  GemmRequest request = walking;
  request.pingpong = true;
  request.ctas = 36;
  request.cluster = schedules::GemmShape{2, 1};
  return run_of("along k in turns", {"hopper", {.m = 512, .n = 576, .k = 12288, .dtype = DType::bf16}, request});
}

/// More persistent CTAs than the GPU holds at a time.
MixedRun more_than_fit() {
  return run_of("more than fit",
                {"hopper",
                 {.m = 2048, .n = 2048, .k = 256, .dtype = DType::bf16},
                 {.tile = {64, 64, 64}, .variant = GemmVariant::wgmma, .stages = 8, .specialize = true, .ctas = 264}});
}

/// A run, and what came of it.
struct LongRun {
  MixedRun run;
  Result fast;
  Result whole;
};

/// Simulated once for all cases.
const std::vector<LongRun>& long_runs() {
  static const std::vector<LongRun> runs = [] {
    std::vector<LongRun> made;
    // With sanitizers one of each five: a loop with mbarriers, ages, loops in turns.
    Thinned cases;
    for (const MixedRun& run : {with_mbarriers(), along_k(), more_than_fit(), along_waves(), along_rounds(), by_age(),
                                along_rounds_of_clusters(), along_rounds_of_copies(), last_by_age(256),
                                along_rounds_in_turns(), along_k_in_turns()})
      if (cases.takes_next()) made.push_back({run, run.run(), exactly(run).run()});
    return made;
  }();
  return runs;
}

std::int64_t instructions(const KernelResult& kernel) {
  return std::accumulate(kernel.roles.begin(), kernel.roles.end(), std::int64_t{0},
                         [](std::int64_t sum, const RoleRow& role) { return sum + role.instructions; });
}

/// Counts what it is told was skipped.
class SkipLog : public Observer {
 public:
  Cycles total;
  Cycle last;  ///< a CTA's end
  void skipped(KernelId, Cycle from, Cycle to) override { total += to - from; }
  void cta_ended(KernelId, CtaId, SmId, Cycle at) override { last = std::max(last, at); }
};

TEST_CASE("long loops and many waves are skipped in part, and the result says how much") {
  const KernelResult k = along_k().run().kernels.front();
  CHECK(k.skipped.k_tiles > 0);
  CHECK(k.skipped.ctas == 0);
  CHECK(k.skipped.cycles > Cycles(0));
  CHECK(k.skipped.cycles < k.cycles);
  const KernelResult waves = along_waves().run().kernels.front();
  CHECK(waves.skipped.ctas > 0);
  CHECK(waves.ctas_done == waves.ctas);
  for (const MixedRun& each : {along_rounds(), along_rounds_in_turns()}) {
    const KernelResult rounds = each.run().kernels.front();
    CHECK(rounds.skipped.k_tiles * 3 > rounds.k_tiles);
    CHECK(rounds.skipped.ctas == 0);
  }
  const KernelResult turns = along_k_in_turns().run().kernels.front();
  CHECK(turns.skipped.k_tiles * 8 > turns.k_tiles);
}

TEST_CASE("a scheduler that prefers one of an SM's CTAs makes nothing longer [long]") {
  const schedules::GemmRequest request{.tile = {128, 128, 8},
                                       .variant = GemmVariant::simt,
                                       .stages = 2,
                                       .thread_tile = schedules::GemmShape{8, 8},
                                       .transpose_a = true,
                                       .prefetch = true,
                                       .double_buffer = true};
  const MixedRun sgemm =
      run_of("sgemm", {"v100-sxm2", {.m = 2048, .n = 2048, .k = 1024, .dtype = DType::fp32}, request});
  const double fast = static_cast<double>(sgemm.run().kernels.front().cycles.count());
  const double whole = static_cast<double>(exactly(sgemm).run().kernels.front().cycles.count());
  CHECK(fast == doctest::Approx(whole).epsilon(0.03));
}

TEST_CASE("where the pace along k changes, what is skipped passes at the paces before and behind it") {
  const schedules::GemmRequest request{
      .tile = {128, 256, 32}, .variant = GemmVariant::tensor, .ctas = 47, .stream_k = true};
  MixedRun skinny = run_of("skinny", {"h200", {.m = 48, .n = 12016, .k = 3328}, request, L2State::warm});
  set(skinny.profile, "l2.capacity=100MiB");  // which what is read outgrows on the way
  set(skinny.profile, "l2.miss_bytes_per_clk=2015");
  set(skinny.profile, "l1.miss_lines=190");  // with 272 traffic is 9 % off
  CHECK(skinny.run().kernels.front().skipped.times > 1);
  const ForwardError error = error_of(skinny);
  CHECK(error.cycles < 0.02);
  CHECK(error.traffic < 0.05);
}

TEST_CASE("tiles that take turns at being long and short pass in pairs") {
  const schedules::GemmRequest request{.tile = {128, 128, 32}, .variant = GemmVariant::async};
  const MixedRun turns = run_of("turns", {"ada", {.m = 1024, .n = 1608, .k = 1224}, request});
  CHECK(turns.run().kernels.front().skipped.k_tiles > 0);
  CHECK(error_of(turns).cycles < 0.01);
  // Where one tile takes twice as long as the next no further windows of one are tried.
  const MixedRun short_loop = run_of("short loop", {"ampere", {.m = 1024, .n = 1024, .k = 2048}, request});
  const KernelResult kernel = short_loop.run().kernels.front();
  CHECK(kernel.skipped.k_tiles * 100 > kernel.k_tiles * 42);
  CHECK(error_of(short_loop).cycles < 0.01);
}

TEST_CASE("hundreds of waves are skipped by windows as long as those that agreed before [long]") {
  const schedules::GemmRequest request{.tile = {128, 256, 64}, .variant = GemmVariant::tma};
  const MixedRun waves =
      run_of("waves", {"hopper", {.m = 32768, .n = 65536, .k = 51200, .dtype = DType::bf16}, request});
  const KernelResult kernel = waves.run().kernels.front();
  CHECK(kernel.cycles - kernel.skipped.cycles < Cycles(850'000));  // a million where each stop begins with two tiles
}

TEST_CASE("fewer rounds than were simulated are not skipped: the first of a cold kernel are slower than the rest") {
  const schedules::GemmRequest request{.tile = {128, 128, 32}, .variant = GemmVariant::async, .persistent = true};
  const MixedRun short_k = run_of("short k", {"rtx3090", {.m = 2880, .n = 3968, .k = 32}, request});
  CHECK(error_of(short_k).cycles < 0.01);
}

TEST_CASE("exact runs skip nothing [long]") {
  for (const LongRun& each : long_runs()) {
    CAPTURE(each.run.name);
    CHECK(exact(each.whole));
    CHECK(each.whole.kernels.front().skipped.cycles == Cycles(0));
  }
}

TEST_CASE("short runs are the same with and without skipping") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    CHECK(run.run().digest == exactly(run).run().digest);
  }
}

TEST_CASE("instructions, CTAs, warps and tiles are counted as if all had been simulated") {
  for (const LongRun& each : long_runs()) {
    CAPTURE(each.run.name);
    const KernelResult& fast = each.fast.kernels.front();
    const KernelResult& whole = each.whole.kernels.front();
    CHECK(instructions(fast) == instructions(whole));
    CHECK(fast.ctas_done == whole.ctas_done);
    CHECK(fast.k_tiles == whole.k_tiles);
    CHECK(fast.steady_tiles == whole.steady_tiles);
    for (std::size_t role = 0; role < fast.roles.size(); ++role)
      CHECK(fast.roles[role].warps == whole.roles[role].warps);
  }
}

TEST_CASE("stalls sum to warp-cycles whatever is skipped") {
  for (const LongRun& each : long_runs()) {
    CAPTURE(each.run.name);
    for (const RoleRow& role : each.fast.kernels.front().roles) CHECK(role.stalls.total() == role.warp_cycles);
  }
}

TEST_CASE("what is skipped does not depend on the window [long]") {
  for (const LongRun& each : long_runs()) {
    CAPTURE(each.run.name);
    CHECK(each.run.run({.window = Cycles(13), .skips_from = MixedRun::skips_early.skips_from}).digest ==
          each.fast.digest);
  }
}

TEST_CASE("observers change nothing, see reported times, and are told what they do not see [long]") {
  for (const LongRun& each : long_runs()) {
    CAPTURE(each.run.name);
    SkipLog log;
    Observer* const observers[] = {&log};
    const Result seen = each.run.run(MixedRun::skips_early, observers);
    CHECK(seen.digest == each.fast.digest);
    const KernelResult& kernel = seen.kernels.front();
    CHECK(log.total == kernel.skipped.cycles);
    CHECK(log.last == Cycle() + kernel.launch + kernel.cycles);
  }
}

TEST_CASE("a cycle limit within what would be skipped is kept") {
  MixedRun run = exactly(along_k());
  const Cycles whole = cycles(run.run());
  run.options.exact = false;
  run.options.max_cycles = whole / 2;
  const Result stopped = run.run();
  CHECK(stopped.termination == Termination::max_cycles);
  CHECK(cycles(stopped) == *run.options.max_cycles);
}

TEST_CASE(
    "wherever a run is cut off, it has done as much in a cycle, and all of its warps' time is accounted for [long]") {
  MixedRun run = run_of(
      "long k", {"ada", {.m = 256, .n = 384, .k = 16384}, {.tile = {128, 128, 32}, .variant = GemmVariant::async}});
  const KernelResult whole = run.run().kernels.front();
  const double pace = static_cast<double>(whole.k_tiles) / static_cast<double>(whole.cycles.count());
  for (std::int64_t percent = 25; percent < 100; percent += 5) {
    CAPTURE(percent);
    run.options.max_cycles = whole.cycles * percent / 100;
    const Result stopped = run.run();
    const KernelResult& kernel = stopped.kernels.front();
    CHECK(cycles(stopped) == *run.options.max_cycles);
    CHECK(static_cast<double>(kernel.k_tiles) / static_cast<double>(kernel.cycles.count()) ==
          doctest::Approx(pace).epsilon(0.03));
    CHECK(kernel.skipped.spread_ppm < 50'000);
    for (const RoleRow& role : kernel.roles) CHECK(role.stalls.total() == role.warp_cycles);
  }
}

TEST_CASE("products of all kinds take as long, within 3 % each and 1 % in the mean [long]") {
  ForwardCases cases(7, 300'000);
  constexpr int drawn = 6;
  double sum = 0;
  for (int i = 0; i < drawn; ++i) {
    const ForwardCase each = cases.next();
    CAPTURE(each.name);
    const double error = error_of({each.name, each.profile, each.kernels, each.options}).cycles;
    CHECK(error <= 0.03);
    sum += error;
  }
  CHECK(sum / drawn <= 0.01);
}

}  // namespace gpusim::fast_forward_test
