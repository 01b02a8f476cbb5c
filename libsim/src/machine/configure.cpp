#include "machine/configure.h"

#include <algorithm>

#include "core/clock_ratio.h"
#include "machine/rates.h"
#include "messages.h"

namespace gpusim::machine {
namespace {

Rate tensor_rate(const Profile& profile) {
  const auto& modes = profile.tensor.modes;
  const bool limited = std::any_of(modes.begin(), modes.end(), [&](const TensorModeSpec& mode) {
    return !mode.fma_per_clk.is_unlimited() || (profile.tensor.wgmma && !mode.peak_fma_per_clk.is_unlimited());
  });
  return limited ? Rate::per_cycle(tensor_parts_per_cycle(profile)) : Rate::unlimited();
}

/// What DRAM adds to L2's latency keeps its nanoseconds.
Cycles dram_latency(const Profile& profile, std::int64_t clock_mhz) {
  const DramSpec& dram = profile.dram;
  if (dram.latency_clock_mhz == 0) return dram.latency;
  const Cycles before = profile.l2 ? std::min(profile.l2->latency, dram.latency) : Cycles(0);
  return before + core::rescale(dram.latency - before, dram.latency_clock_mhz, clock_mhz);
}

/// The latency of `ns` nanoseconds, rounded.
Cycles cycles_of(std::int64_t ns, std::int64_t clock_mhz) { return Cycles((ns * clock_mhz + 500) / 1000); }

/// Splits the end-to-end latencies: two fifths for each crossing, the rest at the slice, what DRAM adds at the channel.
/// Only the sums are observable by a single load; long crossings let either side run far ahead of the other.
void split_latencies(const Profile& profile, std::int64_t clock_mhz, BorderLatency& border,
                     fabric::FabricConfig& fabric) {
  const Cycles dram = std::max(dram_latency(profile, clock_mhz), Cycles(2));
  const Cycles shortest = profile.l2 ? std::min(profile.l2->latency, dram) : dram;
  const Cycles crossing = std::max(shortest * 2 / 5, Cycles(1));
  border.request = border.reply = crossing;
  border.cta_start = profile.launch.cta_start;
  border.cta_exit = profile.launch.cta_exit;
  const Cycles behind = dram - crossing * 2;
  fabric.l2_hit = profile.l2 ? profile.l2->latency - crossing * 2 : Cycles(0);
  fabric.l2_miss = std::min(fabric.l2_hit, behind);
  fabric.dram.latency = behind - fabric.l2_miss;
  fabric.dram.row_miss = std::min(fabric.dram.row_miss, fabric.dram.latency);
}

/// Halves what crosses between SMs of a cluster: the way to the fabric, and from there on.
void split_cluster(const ClusterSpec& cluster, BorderLatency& border, fabric::ClusterConfig& fabric) {
  border.peer = std::min({cluster.tpc_latency, cluster.cpc_latency, cluster.gpc_latency}) / 2;
  fabric.tpc = cluster.tpc_latency - border.peer;
  fabric.cpc = cluster.cpc_latency - border.peer;
  fabric.gpc = cluster.gpc_latency - border.peer;
  fabric.read_rate = cluster.read_bytes_per_clk;
  fabric.write_rate = cluster.write_bytes_per_clk;
  border.barrier = std::min(cluster.barrier_latency, cluster.relaxed_barrier_latency) / 2;
  fabric.barrier = cluster.barrier_latency - border.barrier;
  fabric.relaxed_barrier = cluster.relaxed_barrier_latency - border.barrier;
}

/// The slower of two rates.
Rate slower(Rate a, Rate b) {
  if (a.is_unlimited()) return b;
  if (b.is_unlimited()) return a;
  return a.per_cycle() < b.per_cycle() ? a : b;
}

fabric::DramConfig dram_config(const Profile& profile, std::int64_t clock_mhz) {
  const DramSpec& spec = profile.dram;
  fabric::DramConfig dram;
  Rate bus = core::bytes_per_cycle(spec.bandwidth_gb_per_s, clock_mhz);
  if (spec.ecc_percent != 0) bus = bus * 100 / (100 + spec.ecc_percent);
  dram.rate = (profile.l2 ? slower(bus, profile.l2->miss_bytes_per_clk) : bus) / spec.channels;
  dram.banks = spec.banks;
  dram.interleaved_groups = spec.interleaved_groups;
  dram.row_lines = std::max<std::int64_t>(spec.row_bytes.count() / line_bytes, 1);
  dram.row_miss = cycles_of(spec.row_miss_ns, clock_mhz);
  dram.row_cycle = cycles_of(spec.row_cycle_ns, clock_mhz);
  // Openings a cycle, exactly: 1e6 / (ps x MHz).
  if (spec.activate_ps != 0) dram.activate = Rate::ratio(1'000'000, spec.activate_ps * clock_mhz);
  dram.column_percent = spec.column_percent;
  dram.turnaround = cycles_of(spec.turnaround_ns, clock_mhz);
  dram.write_batch = spec.write_batch;
  dram.check_percent = spec.ecc_percent;
  dram.refresh = cycles_of(spec.refresh_ns, clock_mhz);
  dram.refresh_interval = cycles_of(spec.refresh_interval_ns, clock_mhz);
  return dram;
}

sm::ReadLatency read_latency(const LsuSpec& lsu) {
  sm::ReadLatency read;
  read.load = lsu.load_read;
  read.store = lsu.store_read;
  read.copy = lsu.copy_read;
  read.global_address = lsu.global_address_read;
  read.global_store_address = lsu.global_store_address_read;
  read.shared_store_address = lsu.shared_store_address_read;
  read.global_uniform = lsu.global_uniform_saving;
  read.shared_uniform = lsu.shared_uniform_saving;
  read.constant = lsu.constant_read;
  return read;
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
  sm.register_bank_rate = profile.sm.register_bank_operands_per_clk;
  sm.queue = profile.lsu.queue;
  sm.address_rate = profile.lsu.issue_per_clk;
  sm.accept_rate = profile.lsu.accept_per_clk;
  sm.data_rate = profile.shared.bytes_per_clk / line_bytes;
  sm.shared_latency = profile.shared.latency;
  sm.store_latency = profile.shared.store_latency;
  sm.conflict_latency = profile.shared.conflict_latency;
  sm.writeback_rate = profile.lsu.writeback_bytes_per_clk / line_bytes;
  sm.register_rate = profile.lsu.register_bytes_per_clk;
  sm.read = read_latency(profile.lsu);
  sm.mma_reissue = profile.tensor.reissue;
  if (profile.tensor.wgmma) sm.wgmma_interval = profile.tensor.wgmma->interval;
  sm.warp_start_rate = profile.launch.warps_per_clk;
  if (profile.cluster) sm.own_latency = profile.cluster->own_latency;
  sm.has_l1 = profile.l1.has_value();
  sm.tag_banks = profile.l1 ? static_cast<int>(profile.l1->tag_banks.value_or(0)) : 0;
  sm.l1_rate = profile.l1 ? profile.l1->bytes_per_clk : Rate::unlimited();
  if (profile.l1) {
    sm.l1_ways = profile.l1->ways;
    sm.l1_latency = profile.l1->latency;
    sm.miss_lines = profile.l1->miss_lines;
  }
  if (profile.async_copy) sm.copy_overhead = profile.async_copy->overhead;
  sm.bulk_rate = profile.tma ? profile.tma->copies_per_clk : Rate::unlimited();
  sm.bulk_bytes_rate = profile.tma ? profile.tma->bytes_per_clk : Rate::unlimited();
  sm.bulk_copy_rate = profile.tma ? profile.tma->copy_bytes_per_clk : Rate::unlimited();
  sm.bulk_write_rate = profile.tma ? profile.tma->write_bytes_per_clk / line_bytes : Rate::unlimited();
  sm.bulk_rows_rate = profile.tma ? profile.tma->rows_per_clk : Rate::unlimited();
  if (profile.tma) {
    sm.bulk_queue = profile.tma->queue;
    sm.bulk_stored_lines = profile.tma->stored_lines;
    sm.bulk_overhead = profile.tma->overhead;
    sm.bulk_tensor_overhead = profile.tma->tensor_overhead;
    sm.bulk_dimension_overhead = profile.tma->dimension_overhead;
  }
  sm.barrier_latency = profile.barrier.latency;
  sm.barrier_per_warp = profile.barrier.per_warp;
  sm.mbarrier_latency = profile.barrier.mbarrier_latency;
  sm.fence = profile.l2 ? profile.l2->latency + profile.l2->far_latency : dram_latency(profile, clock_mhz);
  if (profile.code) {
    sm.code_latency = profile.code->fetch_latency;
    sm.code_rate = profile.code->bytes_per_clk;
  }
  sm.port_in_rate = profile.crossbar.sm_read_bytes_per_clk;
  sm.port_out_rate = profile.crossbar.sm_write_bytes_per_clk;
  sm.request_bytes = profile.crossbar.request_bytes;

  fabric::FabricConfig& fabric = configuration.fabric;
  fabric.topology = {profile.sm.count, profile.sm.sms_per_tpc, profile.sm.gpcs, profile.sm.tpcs_per_cpc,
                     profile.l2 ? profile.l2->partitions : 1};
  fabric.request_bytes = profile.crossbar.request_bytes;
  fabric.tpc = {profile.crossbar.tpc_read_bytes_per_clk, profile.crossbar.tpc_write_bytes_per_clk};
  fabric.cpc = {profile.crossbar.cpc_read_bytes_per_clk, profile.crossbar.cpc_write_bytes_per_clk};
  fabric.gpc = {profile.crossbar.gpc_read_bytes_per_clk, profile.crossbar.gpc_write_bytes_per_clk};
  fabric.coalescer_lines = profile.crossbar.coalescer_lines;
  fabric.coalescer_reads = profile.crossbar.coalescer_reads;
  fabric.has_l2 = profile.l2.has_value();
  fabric.channels = profile.dram.channels;
  fabric.slices = profile.dram.channels;
  fabric.slice_rate = fabric.slice_write_rate = fabric.link_rate = fabric.atomic_rate = Rate::unlimited();
  if (profile.l2) {
    fabric.l2_capacity = profile.l2->capacity;
    fabric.l2_ways = profile.l2->ways;
    fabric.slices = profile.l2->slices;
    fabric.fetch_bytes = profile.l2->fetch_bytes.count();
    fabric.stripe_lines = profile.l2->stripe_bytes.count() / line_bytes;
    fabric.slice_rate = slice_rate(*profile.l2, clock_mhz);
    fabric.slice_write_rate = slice_write_rate(*profile.l2, clock_mhz);
    fabric.slice_request_bytes = profile.l2->slice_request_bytes.count();
    fabric.l2_far = profile.l2->far_latency;
    fabric.link_rate = profile.l2->partition_bytes_per_clk;
    fabric.atomic_rate = profile.l2->atomics_per_clk;
    fabric.atomic_latency = profile.l2->atomic_latency;
  }
  fabric.dram = dram_config(profile, clock_mhz);
  fabric.dispatch_rate = profile.launch.ctas_per_clk;
  split_latencies(profile, clock_mhz, sm.border, fabric);
  if (profile.cluster) split_cluster(*profile.cluster, sm.border, fabric.cluster);
  fabric.border = sm.border;
  const BorderLatency& border = sm.border;
  configuration.crossing = {std::min(border.request, border.cta_exit), std::min(border.reply, border.cta_start)};
  configuration.cluster_crossing = configuration.crossing;
  if (profile.cluster) {
    const fabric::ClusterConfig& cluster = fabric.cluster;
    Crossing& crossing = configuration.cluster_crossing;
    crossing.to_fabric = std::min({crossing.to_fabric, border.peer, border.barrier});
    crossing.to_sms =
        std::min({crossing.to_sms, cluster.tpc, cluster.cpc, cluster.gpc, cluster.barrier, cluster.relaxed_barrier});
  }
  return configuration;
}

}  // namespace gpusim::machine
