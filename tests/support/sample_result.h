// A Result made by hand: one kernel of two roles on a machine of latencies, with counts that are easy to check.
#pragma once

#include "gpusim/result.h"
#include "support/textbook_machine.h"

namespace gpusim::testing {

/// 1000 cycles at 500 MHz: 2 us.
inline Result sample_result() {
  Result result;
  result.version = "1.2.3";
  result.profile = textbook_machine();
  result.profile.tensor.modes[0].peak_fma_per_clk = Rate::per_cycle(125);  // 8 SMs * 125 * 2 * 0.5 GHz = 1 TFLOPS
  result.profile.dram.bandwidth_gb_per_s = Rate::per_cycle(10);
  result.clock_mhz = 500;
  result.digest = 0xabc;
  result.l2_before = {{"A", "cold"}, {"B", "warm"}};

  KernelResult kernel;
  kernel.schedule = "gemm";
  kernel.choices = {{"tile", "128x128x32"}, {"stages", "2"}};
  kernel.work = {.flops = 1.5e6, .pipe = Pipe::tensor, .input = DType::fp16, .accumulate = DType::fp32};
  kernel.buffer_bytes = kernel.compulsory_bytes = Bytes(15'000);
  kernel.cycles = Cycles(1000);
  kernel.launch = Cycles(3);
  kernel.drain = Cycles(40);
  kernel.ctas = kernel.ctas_done = 16;
  kernel.occupancy = {1, "shared memory"};
  kernel.sms_used = 8;
  kernel.sm_active_cycles = 6000;
  RoleRow consumer{"consumer", 8, 3000, 600, {}};
  consumer.stalls[Reason::selected] = 600;
  consumer.stalls[Reason::long_scoreboard] = 2400;
  RoleRow producer{"producer", 1, 1000, 100, {}};
  producer.stalls[Reason::selected] = 100;
  producer.stalls[Reason::mbarrier] = 900;
  kernel.roles = {consumer, producer};
  kernel.traffic.l2_read_sectors = 1000;
  kernel.traffic.l2_hit_sectors = 250;
  kernel.traffic.dram_read_bytes = 16'000;
  kernel.traffic.shared_wavefronts = 200;
  kernel.traffic.shared_ideal_wavefronts = 150;
  kernel.hops[static_cast<std::size_t>(Hop::l2)] = {10, 2000, 500};
  kernel.hops[static_cast<std::size_t>(Hop::dram)] = {5, 900, 0};
  kernel.steady_tile_cycles = 500;
  kernel.steady_tiles = 4;
  result.kernels = {kernel};

  result.servers = {{"sm.tensor", "instructions", 8, Rate::ratio(1, 16), 400, 6400, 120},
                    {"l2.slice", "bytes", 4, Rate::per_cycle(64), 64'000, 1000, 30},
                    {"sm.issue", "instructions", 32, Rate::unlimited(), 700, 0, 0},
                    {"dram.channel", "bytes", 2, Rate::per_cycle(10), 16'000, 1600, 0}};
  result.pools = {{"sm.cta_slots", 8, 1, 16, 1, 2}};
  return result;
}

}  // namespace gpusim::testing
