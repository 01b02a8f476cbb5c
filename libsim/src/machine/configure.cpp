#include "machine/configure.h"

#include <algorithm>

#include "core/clock_ratio.h"
#include "machine/rates.h"
#include "messages.h"

namespace gpusim::machine {
namespace {

Rate tensor_rate(const Profile& profile) {
  const auto& modes = profile.tensor.modes;
  const bool limited =
      std::any_of(modes.begin(), modes.end(), [](const auto& mode) { return !mode.fma_per_clk.is_unlimited(); });
  return limited ? Rate::per_cycle(tensor_parts_per_cycle(profile)) : Rate::unlimited();
}

/// What DRAM adds to L2's latency keeps its nanoseconds.
Cycles dram_latency(const Profile& profile, std::int64_t clock_mhz) {
  const DramSpec& dram = profile.dram;
  if (dram.latency_clock_mhz == 0) return dram.latency;
  const Cycles before = profile.l2 ? std::min(profile.l2->latency, dram.latency) : Cycles(0);
  return before + core::rescale(dram.latency - before, dram.latency_clock_mhz, clock_mhz);
}

/// Splits the end-to-end latencies: two fifths for each crossing, the rest at the slice, what DRAM adds at the channel.
/// Only the sums are observable by a single load; long crossings let either side run far ahead of the other.
void split_latencies(const Profile& profile, std::int64_t clock_mhz, BorderLatency& border,
                     fabric::FabricConfig& fabric) {
  const Cycles dram = std::max(dram_latency(profile, clock_mhz), Cycles(2));
  const Cycles shortest = profile.l2 ? std::min(profile.l2->latency, dram) : dram;
  const Cycles crossing = std::max(shortest * 2 / 5, Cycles(1));
  border = {crossing, crossing, profile.launch.cta_start, profile.launch.cta_exit};
  const Cycles behind = dram - crossing * 2;
  fabric.l2_hit = profile.l2 ? profile.l2->latency - crossing * 2 : Cycles(0);
  fabric.l2_miss = std::min(fabric.l2_hit, behind);
  fabric.dram = behind - fabric.l2_miss;
  fabric.border = border;
}

}  // namespace

Configuration configure(const Profile& profile, std::int64_t clock_mhz) {
  Configuration configuration;
  sm::SmConfig& sm = configuration.sm;
  const std::int64_t subs = profile.sm.sub_partitions;
  sm.sub_partitions = static_cast<int>(subs);
  sm.issue = profile.sm.issue;
  sm.scheduler = profile.sm.scheduler;
  sm.issue_rate = profile.sm.issue_per_clk;
  sm.pipes[static_cast<std::size_t>(Pipe::fma)] = lane_rate(profile.pipes.fma, subs);
  sm.pipes[static_cast<std::size_t>(Pipe::alu)] = lane_rate(profile.pipes.alu, subs);
  sm.pipes[static_cast<std::size_t>(Pipe::sfu)] = lane_rate(profile.pipes.sfu, subs);
  sm.pipes[static_cast<std::size_t>(Pipe::tensor)] = tensor_rate(profile);
  sm.queue = profile.lsu.queue;
  sm.address_rate = profile.lsu.issue_per_clk;
  sm.accept_rate = profile.lsu.accept_per_clk;
  sm.data_rate = profile.shared.bytes_per_clk / line_bytes;
  sm.shared_latency = profile.shared.latency;
  sm.store_latency = profile.shared.store_latency;
  sm.has_l1 = profile.l1.has_value();
  sm.tag_rate = profile.l1 ? profile.l1->tags_per_clk : Rate::unlimited();
  sm.l1_rate = profile.l1 ? profile.l1->bytes_per_clk : Rate::unlimited();
  if (profile.l1) {
    sm.l1_ways = profile.l1->ways;
    sm.l1_latency = profile.l1->latency;
    sm.miss_lines = profile.l1->miss_lines;
  }
  if (profile.async_copy) sm.copy_overhead = profile.async_copy->overhead;
  sm.bulk_rate = profile.tma ? profile.tma->copies_per_clk : Rate::unlimited();
  sm.bulk_bytes_rate = profile.tma ? profile.tma->bytes_per_clk : Rate::unlimited();
  if (profile.tma) {
    sm.bulk_queue = profile.tma->queue;
    sm.bulk_overhead = profile.tma->overhead;
  }
  sm.barrier_latency = profile.barrier.latency;
  sm.barrier_per_warp = profile.barrier.per_warp;
  sm.mbarrier_latency = profile.barrier.mbarrier_latency;
  sm.port_in_rate = profile.crossbar.sm_read_bytes_per_clk;
  sm.port_out_rate = profile.crossbar.sm_write_bytes_per_clk;
  sm.request_bytes = profile.crossbar.request_bytes;

  fabric::FabricConfig& fabric = configuration.fabric;
  fabric.sms = profile.sm.count;
  fabric.has_l2 = profile.l2.has_value();
  fabric.channels = profile.dram.channels;
  fabric.slices = profile.dram.channels;
  fabric.slice_rate = Rate::unlimited();
  if (profile.l2) {
    fabric.l2_capacity = profile.l2->capacity;
    fabric.l2_ways = profile.l2->ways;
    fabric.slices = profile.l2->slices;
    fabric.slice_rate = profile.l2->slice_bytes_per_clk;
  }
  fabric.channel_rate = core::bytes_per_cycle(profile.dram.bandwidth_gb_per_s, clock_mhz) / profile.dram.channels;
  fabric.dispatch_rate = profile.launch.ctas_per_clk;
  split_latencies(profile, clock_mhz, sm.border, fabric);
  configuration.window = std::min({sm.border.request, sm.border.reply, sm.border.cta_start, sm.border.cta_exit});
  return configuration;
}

}  // namespace gpusim::machine
