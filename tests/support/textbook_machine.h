// A machine of latencies alone, as the worked examples assume it: everything else is unlimited.
#pragma once

#include "gpusim/profile.h"

namespace gpusim::testing {

inline Profile textbook_machine() {
  Profile profile;
  profile.name = "by-hand";
  profile.title = "A machine of latencies";
  profile.sm.count = 8;
  profile.sm.issue = IssueMode::serial;
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.sm.register_bank_operands_per_clk = Rate::unlimited();
  profile.sm.warps = 32;
  profile.pipes.fma.latency = Cycles(4);
  profile.tensor.modes.push_back({.input = DType::fp16,
                                  .accumulate = DType::fp32,
                                  .fma_per_clk = Rate::unlimited(),
                                  .peak_fma_per_clk = Rate::unlimited(),
                                  .latency = Cycles(1)});
  profile.lsu.issue_per_clk = Rate::unlimited();
  profile.lsu.accept_per_clk = Rate::unlimited();
  profile.shared.bytes_per_clk = Rate::unlimited();
  profile.shared.latency = Cycles(34);
  profile.shared.conflict_latency = Cycles(0);
  profile.async_copy.emplace();
  profile.tma.emplace();
  profile.tma->copies_per_clk = Rate::unlimited();
  profile.tma->bytes_per_clk = Rate::unlimited();
  profile.crossbar.sm_read_bytes_per_clk = Rate::unlimited();
  profile.crossbar.sm_write_bytes_per_clk = Rate::unlimited();
  profile.l2.emplace();
  profile.l2->slice_bytes_per_clk = Rate::unlimited();
  profile.l2->latency = Cycles(200);
  profile.dram.bandwidth_gb_per_s = Rate::unlimited();
  profile.dram.latency = Cycles(380);
  profile.launch.ctas_per_clk = Rate::unlimited();
  return profile;
}

}  // namespace gpusim::testing
