// What L2 holds after accesses that are not simulated one by one.
#include "fabric/memory_side.h"

namespace gpusim::fabric {

void MemorySide::bring(const LineChunks& line, std::int32_t sm) {
  if (!config_.has_l2) return;
  const unsigned chunks = whole_sectors(static_cast<unsigned>(line.chunks));
  const AddressMap::Place home = map_.place_of(line.line);
  bring(home, L2Tags::Kind::home, chunks);
  const std::size_t partition = partition_of_sm(sm);
  if (partition_of(home.slice) != partition) bring(in_partition(home, partition), L2Tags::Kind::copy, chunks);
}

void MemorySide::bring(AddressMap::Place place, L2Tags::Kind kind, unsigned chunks) {
  L2Line* entry = tags_.find(tags_.spot_of(place, kind));
  if (entry == nullptr) {
    Evicted evicted;
    entry = &tags_.insert(tags_.spot_of(place, kind), evicted);
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
