// Runs of many kinds, for laws that hold whatever runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::testing {

struct MixedRun {
  std::string name;
  Profile profile;
  std::vector<Schedule> schedules;
  RunOptions options;

  /// Skipping is tried in shorter kernels than Gpu::run's: what must hold of it is shown by runs that do not take long.
  static constexpr machine::Tuning skips_early{.skips_from = 1 << 18};

  [[nodiscard]] Result run(const machine::Tuning& tuning = skips_early,
                           std::span<Observer* const> observers = {}) const {
    return machine::Machine(profile, options, observers, tuning).run(schedules);
  }
};

/// From a CTA's first cycle until its warp `warp` is set up.
inline Cycles set_up(const LaunchSpec& launch, int warp) {
  const Rate rate = launch.warps_per_clk;
  return rate.is_unlimited() ? Cycles(0) : Cycles(warp * rate.period() / rate.amount());
}

/// A product on a built-in GPU, changed by `changes` ("l2.capacity=1MiB").
struct GemmCase {
  std::string_view profile;
  schedules::GemmProblem problem;
  schedules::GemmRequest request = {};
  L2State l2 = L2State::cold;
  std::vector<std::string_view> changes = {};
};

inline MixedRun run_of(const std::string& name, const GemmCase& each) {
  MixedRun run{name, load_profile(each.profile), {}, {}};
  for (const std::string_view change : each.changes) set(run.profile, change);
  run.schedules = {gemm(each.problem, choose(run.profile, each.problem, each.request))};
  run.options.l2 = each.l2;
  return run;
}

using schedules::GemmVariant;

/// Every variant, every architecture, ragged shapes, warm and cold, and machines with little of something.
inline std::vector<MixedRun> gemm_runs() {
  constexpr DType fp32 = DType::fp32;
  return {
      run_of("textbook simt", {"textbook-2023",
                               {.m = 64, .n = 64, .k = 96, .dtype = fp32},
                               {.tile = {32, 32, 32}, .variant = GemmVariant::simt},
                               L2State::warm}),
      run_of("textbook async without L2", {"textbook-2020",
                                           {.m = 32, .n = 64, .k = 320, .dtype = fp32},
                                           {.tile = {32, 32, 32}, .variant = GemmVariant::async, .stages = 3}}),
      run_of("volta tensor", {"volta", {.m = 256, .n = 256, .k = 128}, {.variant = GemmVariant::tensor}}),
      run_of("turing tensor ragged", {"turing", {.m = 150, .n = 200, .k = 100}, {.variant = GemmVariant::tensor}}),
      run_of("ampere async", {"ampere", {.m = 256, .n = 256, .k = 256}, {.variant = GemmVariant::async, .stages = 3}}),
      run_of("ampere async ragged warm",
             {"ampere", {.m = 257, .n = 129, .k = 161}, {.tile = {64, 64, 32}}, L2State::warm}),
      run_of("rtx3090 async beta",
             {"rtx3090", {.m = 128, .n = 192, .k = 256, .alpha = 2, .beta = 1}, {.tile = {64, 64, 32}}}),
      run_of("ada simt ragged", {"ada", {.m = 130, .n = 66, .k = 70, .dtype = fp32}, {.variant = GemmVariant::simt}}),
      run_of("ada small L2", {"ada",
                              {.m = 256, .n = 256, .k = 256, .beta = 1},
                              {.tile = {64, 64, 32}},
                              L2State::cold,
                              {"l2.slices=8", "dram.channels=4", "l2.capacity=32KiB"}}),
      run_of("hopper tma", {"hopper", {.m = 256, .n = 256, .k = 256}, {.variant = GemmVariant::tma}}),
      run_of(
          "hopper tma specialised",
          {"hopper", {.m = 384, .n = 128, .k = 320}, {.variant = GemmVariant::tma, .specialize = true}, L2State::warm}),
      run_of("hopper tma ragged", {"hopper", {.m = 200, .n = 136, .k = 72}, {.variant = GemmVariant::tma}}),
      run_of("ampere few registers to miss with, round robin",
             {"ampere",
              {.m = 128, .n = 256, .k = 128},
              {.tile = {64, 64, 32}},
              L2State::cold,
              {"l1.miss_lines=16", "lsu.queue=2", "sm.scheduler=lrr"}}),
      run_of("hopper stores held",
             {"hopper",
              {.m = 384, .n = 192, .k = 128, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt},
              {.tile = {128, 64, 64}, .variant = GemmVariant::wgmma, .epilogue = schedules::Epilogue::tma},
              L2State::cold,
              {"sm.count=3", "tma.stored_lines=16", "l2.slice_write_bytes_per_clk=1/4"}}),
      run_of("hopper one SM", {"hopper",
                               {.m = 256, .n = 256, .k = 64},
                               {.variant = GemmVariant::tma},
                               L2State::cold,
                               {"sm.count=1", "tma.queue=1"}}),
  };
}

/// Loads through a small L1 from many warps, stores, and copies back in, with every rate of the memory side limited.
inline MixedRun narrow_probe() {
  MixedRun run{"narrow probe", probe_machine(), {}, {}};
  run.profile.sm.count = 3;
  run.profile.sm.sub_partitions = 2;
  run.profile.l1 = probe_l1();
  run.profile.l1->miss_lines = 20;
  run.profile.l1->tag_banks = 1;
  run.profile.crossbar = {.sm_read_bytes_per_clk = Rate::ratio(100, 3), .sm_write_bytes_per_clk = Rate::per_cycle(9)};
  run.profile.l2->capacity = Bytes(64 * 1024);
  run.profile.l2->slices = 5;
  run.profile.l2->slice_bytes_per_clk = Rate::per_cycle(32);
  run.profile.dram.bandwidth_gb_per_s = Rate::per_cycle(70);
  run.profile.dram.channels = 2;
  Probe probe;
  const Token x = probe.token("x");
  Probe body;
  const Layout line = along(Coordinate::loop0, 37) + along(Coordinate::warp, 11) + along(Coordinate::block_m, 501) +
                      along(Coordinate::repeat, 3);
  body.add(LoadGlobal{one_line(line), x}, 3).add(changes(x)).add(StoreGlobal{one_line(line + 7), x}, 2);
  body.add(CopyAsync{one_sector(line + 1),
                     {TileId(0), 0, 0, along(Coordinate::lane, 4), 4, Bound{along(Coordinate::lane), 1}}});
  body.add(CommitGroup{}).add(WaitGroup{0}).add(CtaBarrier{});
  probe.loop(12, std::move(body));
  run.schedules = {probe.schedule(5, 17)};
  return run;
}

/// Several kernels in one run: the same twice, and another variant on the same buffers.
inline MixedRun three_kernels() {
  const schedules::GemmProblem problem{.m = 192, .n = 256, .k = 128};
  MixedRun run = run_of("three kernels", {"ampere", problem, {.tile = {64, 64, 32}}});
  run.schedules.push_back(run.schedules.front());
  run.schedules.push_back(
      gemm(problem, choose(run.profile, problem, {.tile = {64, 128, 32}, .variant = GemmVariant::tensor})));
  return run;
}

inline std::vector<MixedRun> mixed_runs() {
  std::vector<MixedRun> runs = gemm_runs();
  runs.push_back(narrow_probe());
  runs.push_back(three_kernels());
  return runs;
}

}  // namespace gpusim::testing
