#include <algorithm>

#include "machine/collect.h"

namespace gpusim::machine {
namespace {

void add(const sm::Counters& counters, KernelResult& result) {
  for (std::size_t role = 0; role < result.roles.size(); ++role) {
    const sm::RoleCounters& from = counters.roles[role];
    RoleRow& row = result.roles[role];
    row.warps += from.warps;
    row.warp_cycles += from.warp_cycles;
    row.instructions += from.instructions;
    row.stalls += from.stalls;
  }
  const auto ran = [](const sm::RoleCounters& role) { return role.warps != 0; };
  if (std::any_of(counters.roles.begin(), counters.roles.end(), ran)) ++result.sms_used;
  result.sm_active_cycles += counters.active_cycles;
  result.steady_tile_cycles += counters.tile_cycles;
  result.steady_tiles += counters.tiles;
  result.k_tiles += counters.k_tiles;
  Traffic& traffic = result.traffic;
  traffic.global_load_bytes += counters.global_load_bytes;
  traffic.global_store_bytes += counters.global_store_bytes;
  traffic.shared_load_bytes += counters.shared_load_bytes;
  traffic.shared_store_bytes += counters.shared_store_bytes;
  traffic.shared_wavefronts += counters.shared_wavefronts;
  traffic.shared_ideal_wavefronts += counters.shared_ideal_wavefronts;
  traffic.l1_read_sectors += counters.l1_read_sectors;
  traffic.l1_hit_sectors += counters.l1_hit_sectors;
  traffic.l2_delivered_sectors += counters.received_sectors;
  for (std::size_t hop = 0; hop < hop_count; ++hop) {
    result.hops[hop].receipts += counters.receipts;
    result.hops[hop].latency += counters.hop_latency[hop];
    result.hops[hop].waiting += counters.hop_waiting[hop];
  }
}

}  // namespace

KernelResult collect_kernel(const Schedule& schedule, const sm::Kernel& kernel, const Profile& profile, const Sms& sms,
                            fabric::Fabric& fabric, Cycle began, Cycle ended) {
  KernelResult result;
  result.schedule = schedule.name;
  result.choices = schedule.choices;
  result.work = schedule.work;
  for (const Buffer& buffer : schedule.buffers) result.buffer_bytes += size_of(buffer);
  result.schedule_digest = digest(schedule);
  result.kernel_launch_ns = profile.launch.kernel_ns;
  result.launch = fabric.first_start() - began;
  result.cycles = std::max(ended - fabric.first_start(), Cycles(0));
  result.drain = std::max(fabric.last_store() - ended, Cycles(0));
  result.ctas = cta_count(schedule);
  if (schedule.work.flops > 0) result.multiply_adds = multiply_adds(schedule);
  result.ctas_done = fabric.dispatcher().done();
  result.occupancy = occupancy(schedule, profile);
  collect_counts(kernel, sms, fabric, result);
  fabric.memory().take_counters();
  return result;
}

void collect_counts(const sm::Kernel& kernel, const Sms& sms, fabric::Fabric& fabric, KernelResult& result) {
  for (const sm::Code& code : kernel.roles) {
    RoleRow& row = result.roles.emplace_back();
    row.role = code.name;
  }
  for (const auto& sm : sms) add(sm->counters(), result);
  const fabric::MemoryCounters& memory = fabric.memory().counters();
  result.traffic.l2_read_sectors = memory.read_sectors;
  result.traffic.l2_hit_sectors = memory.hit_sectors;
  result.traffic.l2_coalesced_sectors = memory.coalesced_sectors;
  result.traffic.l2_far_sectors = memory.far_sectors;
  result.traffic.l2_write_sectors = memory.write_sectors;
  result.traffic.dram_read_bytes = memory.dram_read_bytes;
  result.traffic.dram_write_bytes = memory.dram_write_bytes;
}

}  // namespace gpusim::machine
