// Runs with and without skipping, and those whose CTAs share their SMs unevenly.
#pragma once

#include "support/forward_cases.h"
#include "support/mixed_runs.h"

namespace gpusim::testing {

inline MixedRun exactly(MixedRun run) {
  run.options.exact = true;
  return run;
}

/// How a run with skipping differs from one without.
inline ForwardError error_of(const MixedRun& run) { return forward_error(exactly(run).run(), run.run()); }

/// Three CTAs an SM, of which the scheduler prefers the older ones.
inline MixedRun by_age() {
  const schedules::GemmRequest request{
      .tile = {64, 128, 8}, .variant = GemmVariant::simt, .stages = 2, .thread_tile = schedules::GemmShape{8, 8}};
  return run_of("by age", {"rtx3060", {.m = 2048, .n = 1024, .k = 384, .dtype = DType::fp32}, request});
}

/// Two and three CTAs an SM, all at once, each of so many k tiles.
inline MixedRun last_by_age(std::int64_t k_tiles) {
  const schedules::GemmRequest request{.tile = {64, 64, 8},
                                       .variant = GemmVariant::simt,
                                       .stages = 3,
                                       .fragment_k = 1,
                                       .thread_tile = schedules::GemmShape{8, 4},
                                       .pair_lanes = true,
                                       .transpose_a = true,
                                       .double_buffer = true,
                                       .interleave = true};
  return run_of("last by age", {"l4", {.m = 1024, .n = 640, .k = 8 * k_tiles, .dtype = DType::fp32}, request});
}

/// Four CTAs an SM, 432 of them, and 16 after these.
inline MixedRun few_left() {
  schedules::GemmRequest request{
      .tile = {64, 64, 8}, .variant = GemmVariant::simt, .stages = 3, .thread_tile = schedules::GemmShape{8, 4}};
  request.registers = 128;
  return run_of("few left", {"a100-pcie-40gb", {.m = 2048, .n = 896, .k = 1024, .dtype = DType::fp32}, request});
}

/// Nine waves of CTAs that fall out of step: B comes from L2 at each step, which each of four CTAs an SM finds
/// otherwise.
inline MixedRun out_of_step() {
  const schedules::GemmRequest request{.tile = {64, 64, 16},
                                       .variant = GemmVariant::simt,
                                       .stages = 1,
                                       .thread_tile = schedules::GemmShape{8, 4},
                                       .stage_b = false};
  const schedules::GemmProblem problem{
      .m = 2048, .n = 2048, .k = 384, .dtype = DType::fp32, .layout = schedules::GemmLayout::nt};
  return run_of("out of step", {"rtx3060", problem, request});
}

/// Of all k tiles, those that are skipped.
inline double skipped_share(const MixedRun& run) {
  const KernelResult kernel = run.run().kernels.front();
  return static_cast<double>(kernel.skipped.k_tiles) / static_cast<double>(kernel.k_tiles);
}

}  // namespace gpusim::testing
