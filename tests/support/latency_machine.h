// A machine of latencies alone: no rate or number limits anything, so that the closed form must be what is simulated.
#pragma once

#include "support/probe_machine.h"

namespace gpusim::testing {

/// Each CTA has an SM for itself; SMs of a cluster share a TPC.
inline Profile latency_machine(std::int64_t sms) {
  Profile profile = probe_machine();
  profile.sm.count = sms;
  profile.sm.ctas = 1;
  profile.sm.sms_per_tpc = sms;
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.sm.register_bank_operands_per_clk = Rate::unlimited();
  profile.shared.conflict_latency = Cycles(0);
  profile.tensor.wgmma = WgmmaSpec{.interval = Cycles(3), .latency = Cycles(41), .shared_latency = Cycles(47)};
  profile.l2->atomic_latency = Cycles(31);
  profile.l2->atomics_per_clk = Rate::unlimited();
  profile.cluster = ClusterSpec{.ctas = 8,
                                .own_latency = Cycles(29),
                                .tpc_latency = Cycles(180),
                                .cpc_latency = Cycles(180),
                                .gpc_latency = Cycles(180),
                                .barrier_latency = Cycles(375),
                                .relaxed_barrier_latency = Cycles(102)};
  return profile;
}

}  // namespace gpusim::testing
