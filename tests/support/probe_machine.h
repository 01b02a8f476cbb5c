// A small machine for probes: one SM with one sub-partition that issues an instruction a cycle. Latencies are numbers
// that tell themselves apart in a sum; nothing else limits it until a test says so.
#pragma once

#include "gpusim/profile.h"

namespace gpusim::testing {

inline Profile probe_machine() {
  const Rate unlimited = Rate::unlimited();
  Profile profile;
  profile.name = "probe";
  profile.sm.count = 1;
  profile.sm.sub_partitions = 1;
  profile.pipes.fma.latency = Cycles(4);
  profile.pipes.alu.latency = Cycles(5);
  profile.pipes.sfu.latency = Cycles(18);
  profile.tensor.modes.push_back({.input = DType::fp16,
                                  .accumulate = DType::fp32,
                                  .fma_per_clk = unlimited,
                                  .peak_fma_per_clk = unlimited,
                                  .latency = Cycles(33)});
  profile.lsu.issue_per_clk = profile.lsu.accept_per_clk = unlimited;
  profile.shared.bytes_per_clk = unlimited;
  profile.shared.latency = Cycles(23);
  profile.shared.store_latency = Cycles(7);
  profile.async_copy = AsyncCopySpec{.overhead = Cycles(9)};
  profile.tma = TmaSpec{.copies_per_clk = unlimited, .bytes_per_clk = unlimited, .queue = {}, .overhead = Cycles(17)};
  profile.barrier = {.latency = Cycles(11), .per_warp = Cycles(2), .mbarrier_latency = Cycles(13)};
  profile.crossbar = {.sm_read_bytes_per_clk = unlimited, .sm_write_bytes_per_clk = unlimited};
  profile.l2 =
      L2Spec{.capacity = {}, .slices = 1, .ways = 16, .slice_bytes_per_clk = unlimited, .latency = Cycles(200)};
  profile.dram.bandwidth_gb_per_s = unlimited;
  profile.dram.latency = Cycles(450);
  profile.launch = {.cta_start = Cycles(3), .cta_exit = Cycles(2), .ctas_per_clk = unlimited, .kernel_ns = 0};
  return profile;
}

/// An L1 without limits, for a probe machine that is to have one.
inline L1Spec probe_l1() {
  return {.capacity = {},
          .ways = 4,
          .latency = Cycles(37),
          .bytes_per_clk = Rate::unlimited(),
          .tag_banks = {},
          .miss_lines = {}};
}

}  // namespace gpusim::testing
