// What L2 holds after accesses that are not simulated one by one.
#include <algorithm>

#include "fabric/memory_side.h"

namespace gpusim::fabric {

void MemorySide::bring(std::span<const LineChunks> lines, std::int32_t sm) {
  if (!config_.has_l2) return;
  const std::size_t partition = partition_of_sm(sm);
  while (!lines.empty()) {
    const std::size_t count = std::min(lines.size(), targets_.size());
    look_ahead(lines.first(count), partition, Copies::of_far);
    for (std::size_t i = 0; i < count; ++i) {
      const Target& target = targets_[i];
      const unsigned chunks = whole_sectors(static_cast<unsigned>(lines[i].chunks));
      bring(target.at_home, target.guess_at_home, chunks);
      if (partition_of(target.home.slice) != partition) bring(target.copy, target.guess_copy, chunks);
    }
    lines = lines.subspan(count);
  }
}

void MemorySide::bring(L2Tags::Spot spot, L2Tags::Guess guess, unsigned chunks) {
  L2Line* entry = tags_.find(spot, guess);
  if (entry == nullptr) {
    Evicted evicted;
    entry = &tags_.insert(spot, evicted);
    const unsigned dirty = evicted.line.dirty();
    if (evicted.any && dirty != 0) {
      const unsigned partial = sectors_of(whole_sectors(dirty) & ~evicted.line.valid());
      counters_.dram_read_bytes += count_bits(partial) * sector_bytes;
      counters_.dram_write_bytes += count_bits(sectors_of(dirty)) * sector_bytes;
    }
  }
  entry->add(chunks);
}

}  // namespace gpusim::fabric
