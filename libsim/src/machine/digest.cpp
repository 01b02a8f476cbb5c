// The digest of a run: a 64-bit FNV-1a hash (Fowler, Noll, Vo) of its counts, byte by byte from the lowest, so that it
// is the same on any machine.
#include "machine/collect.h"

namespace gpusim::machine {
namespace {

class Hash {
 public:
  void add(std::int64_t count) {
    auto bits = static_cast<std::uint64_t>(count);
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ (bits & 0xFFU)) * 0x100000001B3U;
      bits >>= 8;
    }
  }
  void add(Cycles cycles) { add(cycles.count()); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

/// A reason that runs with warm code do not have: their digests are those of before there was cold code.
bool only_cold(std::size_t reason) { return static_cast<Reason>(reason) == Reason::no_instruction; }

/// Reads that were coalesced or sent for are told by times and hits; digests are those of before they were counted.
void add(const Traffic& traffic, Hash& hash) {
  for (const std::int64_t count :
       {traffic.global_load_bytes, traffic.global_store_bytes, traffic.shared_load_bytes, traffic.shared_store_bytes,
        traffic.l1_read_sectors, traffic.l1_hit_sectors, traffic.l2_read_sectors, traffic.l2_hit_sectors,
        traffic.l2_delivered_sectors, traffic.l2_write_sectors, traffic.dram_read_bytes, traffic.dram_write_bytes,
        traffic.shared_wavefronts, traffic.shared_ideal_wavefronts})
    hash.add(count);
}

void add(const KernelResult& kernel, Hash& hash) {
  hash.add(kernel.cycles);
  hash.add(kernel.launch);
  hash.add(kernel.drain);
  for (const std::int64_t count : {kernel.ctas, kernel.ctas_done, kernel.sms_used, kernel.sm_active_cycles,
                                   kernel.steady_tile_cycles, kernel.steady_tiles})
    hash.add(count);
  for (const RoleRow& role : kernel.roles) {
    hash.add(role.warps);
    hash.add(role.warp_cycles);
    hash.add(role.instructions);
    for (std::size_t reason = 0; reason < reason_count; ++reason)
      if (const std::int64_t cycles = role.stalls.by_reason[reason]; cycles != 0 || !only_cold(reason))
        hash.add(cycles);
  }
  add(kernel.traffic, hash);
  for (const HopTotals& hop : kernel.hops) {
    hash.add(hop.receipts);
    hash.add(hop.latency);
    hash.add(hop.waiting);
  }
}

}  // namespace

std::uint64_t digest_counts(const Result& result) {
  Hash hash;
  hash.add(static_cast<std::int64_t>(result.termination));
  for (const KernelResult& kernel : result.kernels) add(kernel, hash);
  for (const ServerRow& server : result.servers) {
    hash.add(server.servers);
    hash.add(server.work);
    hash.add(server.waited);
  }
  for (const PoolRow& pool : result.pools) {
    hash.add(pool.taken);
    hash.add(pool.peak);
    hash.add(pool.refused);
  }
  return hash.value();
}

}  // namespace gpusim::machine
