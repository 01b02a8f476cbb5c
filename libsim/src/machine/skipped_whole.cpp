#include "machine/skipped_whole.h"

#include "machine/tile_stretch.h"

namespace gpusim::machine {

void SkippedWhole::put_right(const Simulation& run, const Shares& shares) const {
  Counts counted = run.counts();
  for (auto& [name, row] : counted.rows)
    if (const auto before = run.earlier.find(name); before != run.earlier.end())
      for (std::size_t i = 0; i < row.size(); ++i) row[i] -= before->second[i];
  const std::int64_t other_tiles = counted.kernel.k_tiles - tiles;
  run.ledger.put_right(grown, counted,
                       {.tiles = other_tiles > 0 ? proportion(tiles, other_tiles) : shares.items,
                        .items = shares.items,
                        .ctas = shares.ctas,
                        .instructions = proportion(instructions, instructions_of(counted.kernel) - instructions)});
}

}  // namespace gpusim::machine
