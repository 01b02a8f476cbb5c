// What an SM counts. Plain sums; the machine adds them up over SMs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpusim/receipt.h"
#include "gpusim/stall.h"

namespace gpusim::sm {

struct RoleCounters {
  std::int64_t warps = 0;
  std::int64_t warp_cycles = 0;
  std::int64_t instructions = 0;
  StallCycles stalls;
};

struct Counters {
  std::vector<RoleCounters> roles;
  std::int64_t active_cycles = 0;  ///< with a CTA resident
  std::int64_t tile_cycles = 0;    ///< over the last half of each CTA's k tiles
  std::int64_t tiles = 0;
  std::int64_t k_tiles = 0;  ///< all
  std::int64_t global_load_bytes = 0;
  std::int64_t global_store_bytes = 0;
  std::int64_t shared_load_bytes = 0;
  std::int64_t shared_store_bytes = 0;
  std::int64_t shared_wavefronts = 0;
  std::int64_t shared_ideal_wavefronts = 0;
  std::int64_t l1_read_sectors = 0;
  std::int64_t l1_hit_sectors = 0;
  std::int64_t received_sectors = 0;
  std::int64_t receipts = 0;
  std::array<std::int64_t, hop_count> hop_latency{};
  std::array<std::int64_t, hop_count> hop_waiting{};
};

}  // namespace gpusim::sm
