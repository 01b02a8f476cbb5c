#include "fabric/memory_side.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpusim::fabric {

MemorySide::MemorySide(const FabricConfig& config)
    : config_(config),
      map_(config.slices, config.channels),
      tags_(config.has_l2 ? config.l2_capacity : Limited<Bytes>(Bytes(0)), config.l2_ways, config.slices),
      slices_(static_cast<std::size_t>(config.slices), core::Server(config.slice_rate)),
      channels_(static_cast<std::size_t>(config.channels), core::Server(config.channel_rate)) {}

MemorySide::Served MemorySide::read(const Request& request, Cycle at) {
  Served served;
  served.first = Cycle::never();
  const auto count = static_cast<std::size_t>(request.count);
  std::array<AddressMap::Place, max_burst> places;
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = map_.place_of(request.lines[i].line);
    tags_.prefetch(places[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const LineChunks& line = request.lines[i];
    const LineTime time = read_line(line, places[i], at);
    served.first = std::min(served.first, time.ready);
    if (i == 0 || time.ready >= served.last) {
      served.last = time.ready;
      served.l2 = time.l2;
      served.dram = time.dram;
    }
    served.sectors += count_bits(sectors_of(static_cast<unsigned>(line.chunks)));
  }
  return served;
}

MemorySide::LineTime MemorySide::read_line(const LineChunks& line, AddressMap::Place place, Cycle at) {
  const unsigned wanted = whole_sectors(static_cast<unsigned>(line.chunks));
  const std::int64_t sectors = count_bits(wanted) / 2;
  counters_.read_sectors += sectors;

  LineTime time;
  Cycle reached = at;
  L2Line* entry = nullptr;
  unsigned missing = wanted;
  if (config_.has_l2) {
    const core::Grant grant = slices_[place.slice].take(at, sectors * sector_bytes);
    time.l2.waiting = grant.start - at + grant.spread();
    reached = at + time.l2.waiting;
    entry = tags_.find(place);
    if (entry == nullptr) {
      Evicted evicted;
      entry = &tags_.insert(place, evicted);
      if (evicted.any) write_back(place.slice, evicted.line, reached);
    }
    missing = whole_sectors(wanted & ~static_cast<unsigned>(entry->valid));
    counters_.hit_sectors += sectors - count_bits(missing) / 2;
  }
  if (missing == 0) {
    const Cycle hit = reached + config_.l2_hit;
    time.l2.latency = config_.l2_hit;
    time.ready = std::max(hit, entry->ready_at);
    time.dram.waiting = time.ready - hit;
    return time;
  }
  const std::int64_t bytes = count_bits(missing) / 2 * sector_bytes;
  counters_.dram_read_bytes += bytes;
  const Cycle asked = reached + config_.l2_miss;
  const core::Grant grant = channels_[map_.channel_of(place.slice)].take(asked, bytes);
  time.l2.latency = config_.l2_miss;
  time.dram = {config_.dram, grant.start - asked + grant.spread()};
  time.ready = asked + time.dram.waiting + config_.dram;
  if (entry != nullptr) {
    entry->valid = static_cast<std::uint8_t>(entry->valid | missing);
    // Sectors that were there wait for these as part of the line: the tag has one time.
    entry->ready_at = std::max(entry->ready_at, time.ready);
  }
  return time;
}

Cycle MemorySide::write(const Request& request, Cycle at) {
  Cycle last = at;
  for (std::int32_t i = 0; i < request.count; ++i)
    last = std::max(last, write_line(request.lines[static_cast<std::size_t>(i)], at));
  return last;
}

Cycle MemorySide::write_line(const LineChunks& line, Cycle at) {
  const auto chunks = static_cast<unsigned>(line.chunks);
  const std::int64_t sectors = count_bits(sectors_of(chunks));
  counters_.write_sectors += sectors;
  const AddressMap::Place place = map_.place_of(line.line);
  if (!config_.has_l2) {
    counters_.dram_write_bytes += sectors * sector_bytes;
    const core::Grant grant = channels_[map_.channel_of(place.slice)].take(at, sectors * sector_bytes);
    return grant.start + grant.spread();
  }
  const core::Grant grant = slices_[place.slice].take(at, sectors * sector_bytes);
  const Cycle written = grant.start + grant.spread();
  L2Line* entry = tags_.find(place);
  if (entry == nullptr) {
    Evicted evicted;
    entry = &tags_.insert(place, evicted);
    if (evicted.any) write_back(place.slice, evicted.line, written);
  }
  entry->valid = static_cast<std::uint8_t>(entry->valid | chunks);
  entry->dirty = static_cast<std::uint8_t>(entry->dirty | chunks);
  return written;
}

void MemorySide::write_back(std::size_t slice, const L2Line& line, Cycle at) {
  const unsigned dirty = sectors_of(static_cast<unsigned>(line.dirty));
  if (dirty == 0) return;
  const unsigned chunks = whole_sectors(static_cast<unsigned>(line.dirty));
  const unsigned partial = sectors_of(chunks & ~static_cast<unsigned>(line.valid));
  const std::int64_t read = count_bits(partial) * sector_bytes;
  const std::int64_t write = count_bits(dirty) * sector_bytes;
  counters_.dram_read_bytes += read;
  counters_.dram_write_bytes += write;
  channels_[map_.channel_of(slice)].take(at, read + write);
}

void MemorySide::touch(std::uint64_t line) {
  if (!config_.has_l2) return;
  const AddressMap::Place place = map_.place_of(line);
  L2Line* entry = tags_.find(place);
  if (entry == nullptr) {
    Evicted evicted;
    entry = &tags_.insert(place, evicted);
  }
  entry->valid = 0xFF;
}

MemoryCounters MemorySide::take_counters() { return std::exchange(counters_, MemoryCounters{}); }

}  // namespace gpusim::fabric
