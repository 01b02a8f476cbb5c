// What is asked of memory in tiles that are skipped, and what L2 is given of it.
#include <algorithm>

#include "machine/tile_skipper.h"

namespace gpusim::machine {

/// What all warps ask of global memory in what they skip.
sm::TileLines::Asked TileSkipper::asked_in_skip() {
  sm::TileLines::Asked sum;
  for (std::size_t sm = 0; sm < run_.sms.size(); ++sm) {
    const std::span<const std::int64_t> tiles = tiles_of(sm);
    run_.sms[sm]->for_each_inside(
        *loops_, [&](std::size_t cta, int warp, const sm::Code& code, const sm::TileLoop& loop, const Coordinates& at) {
          sm::TileLines::Asked asked;
          lines_.add(warp, code, loop, at, asked);
          sum.bytes += asked.bytes * tiles[cta];
          sum.sectors += asked.sectors * tiles[cta];
          sum.through_l1 = sum.through_l1 || asked.through_l1;
        });
  }
  return sum;
}

/// L2 has seen what is skipped: the lines of its last tiles, as many as it holds.
void TileSkipper::bring_lines() {
  const fabric::FabricConfig& fabric = run_.configuration.fabric;
  if (!fabric.has_l2) return;
  const std::int64_t a_tile = bring_trip(1, true);
  std::int64_t trips = *std::max_element(tiles_.begin(), tiles_.end());
  if (!fabric.l2_capacity.is_unlimited() && a_tile > 0) {
    // Half as many again: they are not spread evenly.
    const std::int64_t lines = fabric.l2_capacity.value().count() / line_bytes * 3 / 2;
    trips = std::min(trips, lines / a_tile + 1);
  }
  for (std::int64_t back = trips; back > 0; --back) bring_trip(back, false);
}

/// A trip of all warps, so many before those with which they go on. How many lines that is.
std::int64_t TileSkipper::bring_trip(std::int64_t back, bool count_only) {
  std::int64_t sum = 0;
  lines_.clear();
  fabric::MemorySide& memory = run_.fabric.memory();
  const fabric::Topology& topology = run_.configuration.fabric.topology;
  for (std::size_t i = 0; i < run_.sms.size(); ++i) {
    const std::span<const std::int64_t> tiles = tiles_of(i);
    const auto sm = static_cast<std::int32_t>(i);
    run_.sms[i]->for_each_inside(
        *loops_, [&](std::size_t cta, int warp, const sm::Code& code, const sm::TileLoop& loop, Coordinates at) {
          if (tiles[cta] < back) return;
          at[loop.index] += tiles[cta] - back;
          const std::vector<LineChunks>& lines = lines_.collect(warp, code, loop, at, topology.partition_of(sm));
          sum += static_cast<std::int64_t>(lines.size());
          if (!count_only) memory.bring(lines, sm);
        });
  }
  return sum;
}

}  // namespace gpusim::machine
