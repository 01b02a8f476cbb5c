// Grids of tiles in every order, cut and walked in every way.
#pragma once

#include <algorithm>
#include <random>

#include "gpusim/schedule.h"

namespace gpusim::testing {

/// Sound schedules of one warp and an empty program.
class RandomGrid {
 public:
  explicit RandomGrid(std::uint32_t seed) : generator_(seed) {}

  Schedule make() {
    Schedule schedule;
    schedule.order = static_cast<TileOrder>(from(0, 3));
    schedule.group = from(1, 9);
    schedule.k_tiles = from(1, 12);
    schedule.stream_k = from(0, 2) == 0;
    if (!schedule.stream_k) {
      const std::int64_t m = from(1, 3);
      const std::int64_t n = from(1, 3);
      schedule.cluster = static_cast<int>(m * n);
      schedule.cluster_m = static_cast<int>(m);
      schedule.splits = from(1, 4);
      schedule.consecutive = from(0, 1) == 1;
    }
    const int along_n = schedule.cluster_m == 0 ? 1 : schedule.cluster / schedule.cluster_m;
    schedule.grid_m = from(1, 21) * std::max(1, schedule.cluster_m);
    schedule.grid_n = from(1, 21) * along_n;
    schedule.grid_z = from(1, 2) * schedule.splits;
    const bool walks = schedule.stream_k || schedule.consecutive || from(0, 1) == 1;
    if (walks) schedule.ctas = from(1, 40) * schedule.cluster;
    schedule.name = "grid";
    schedule.registers_per_thread = 32;
    schedule.roles = {{"worker", 1, {}}};
    return schedule;
  }

  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937 generator_;
};

}  // namespace gpusim::testing
