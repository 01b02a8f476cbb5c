// Writes and atomics: what they do to L2's lines, and what DRAM is given.
#include <algorithm>

#include "fabric/memory_side.h"

namespace gpusim::fabric {

Cycle MemorySide::write(const Request& request, Cycle at) {
  Cycle last = at;
  const std::size_t partition = partition_of_sm(request.sm);
  const auto count = static_cast<std::size_t>(request.count);
  look_ahead(request.used_lines(), partition, Copies::of_all);
  for (std::size_t i = 0; i < count; ++i)
    last = std::max(last, write_line(request.lines[i], targets_[i], partition, at));
  return last;
}

Cycle MemorySide::write_line(const LineChunks& line, const Target& target, std::size_t partition, Cycle at) {
  const auto chunks = static_cast<unsigned>(line.chunks);
  const std::int64_t bytes = count_bits(sectors_of(chunks)) * sector_bytes;
  counters_.write_sectors += bytes / sector_bytes;
  const AddressMap::Place home = target.home;
  if (!config_.has_l2) return write_dram(home, at, bytes);
  const core::Grant slice = take_slice(home.slice, at, bytes);
  const core::Grant way_in = slice_writes_[home.slice].take(at, bytes);
  Cycle written = std::max(slice.start + slice.spread(), way_in.start + way_in.spread());
  if (partition_of(home.slice) != partition) {
    const core::Grant link = links_[partition_of(home.slice)].take(at, bytes);
    written = std::max(written, link.start + link.spread()) + config_.l2_far / 2;
  }
  give_up_copy(target);
  // A store is accepted when there is room for it: behind a DRAM that is late with writing back it waits.
  L2Line& entry = entry_of(target.at_home, target.guess_at_home, home.slice, written, &written);
  entry.add(chunks);
  entry.add_dirty(chunks);
  return written;
}

/// The other partition's copy, if it has one, is out of date.
void MemorySide::give_up_copy(const Target& target) {
  if (config_.topology.partitions == 1) return;
  L2Line* const copy = tags_.find(target.copy, target.guess_copy);
  if (copy != nullptr) *copy = L2Line{};
}

MemorySide::Served MemorySide::atomic(const Request& request, Cycle at) {
  const std::int64_t hits_before = counters_.hit_sectors;
  Served served;
  served.first = Cycle::never();
  const std::size_t partition = partition_of_sm(request.sm);
  look_ahead(request.used_lines(), partition, Copies::of_all);
  for (std::int32_t i = 0; i < request.count; ++i) {
    const LineChunks& line = request.lines[static_cast<std::size_t>(i)];
    const Wanted wanted = wanted_of(line);
    const std::int64_t sectors = wanted.sectors;
    const Target& target = targets_[static_cast<std::size_t>(i)];
    const AddressMap::Place home = target.home;
    if (returns_data(request.kind)) counters_.read_sectors += sectors;
    counters_.write_sectors += sectors;
    const core::Grant slice = take_slice(home.slice, at, sectors * sector_bytes);
    const core::Grant way_in = slice_writes_[home.slice].take(at, sectors * sector_bytes);
    const core::Grant unit = atomic_units_[home.slice].take(at, sectors);
    const auto wait = [at](const core::Grant& grant) { return grant.start - at + grant.spread(); };
    const Cycles waited = std::max({wait(slice), wait(way_in), wait(unit)});
    const Cycles far = partition_of(home.slice) == partition ? Cycles(0) : config_.l2_far;
    LineTime time;
    if (config_.has_l2) {
      give_up_copy(target);
      L2Line& entry = entry_of(target.at_home, target.guess_at_home, home.slice, at + waited);
      time = read_home(wanted, home, at + waited, far, entry);
      entry.add_dirty(static_cast<unsigned>(line.chunks));
    } else {
      time = read_dram(home, at + waited + config_.l2_miss, sectors * sector_bytes);
      write_dram(home, time.ready, sectors * sector_bytes);
    }
    served.changed = std::max({served.changed, at, time.ready - from_slice(far)});
    time.ready += config_.atomic_latency;
    time.l2.latency += config_.atomic_latency;
    time.l2.waiting += waited;
    served.first = std::min(served.first, time.ready);
    if (i == 0 || time.ready >= served.last) {
      served.last = time.ready;
      served.l2 = time.l2;
      served.dram = time.dram;
    }
    served.sectors += sectors;
  }
  // What an SM does not ask for it cannot find.
  if (!returns_data(request.kind)) counters_.hit_sectors = hits_before;
  return served;
}

/// When DRAM has taken the line.
Cycle MemorySide::write_back(std::size_t slice, std::uint64_t index, const L2Line& line, Cycle at) {
  const unsigned dirty = sectors_of(line.dirty());
  if (dirty == 0) return at;
  const unsigned chunks = whole_sectors(line.dirty());
  const unsigned partial = sectors_of(chunks & ~line.valid());
  const std::int64_t read = count_bits(partial) * sector_bytes;
  const AddressMap::Place home{slice, index};
  if (read != 0) {
    const AddressMap::DramPlace place = map_.dram_place_of(home);
    counters_.dram_read_bytes += read;
    channels_[place.channel].read(at, place.line, read);
  }
  return write_dram(home, at, count_bits(dirty) * sector_bytes);
}

Cycle MemorySide::write_dram(AddressMap::Place home, Cycle at, std::int64_t bytes) {
  counters_.dram_write_bytes += bytes;
  const AddressMap::DramPlace place = map_.dram_place_of(home);
  return channels_[place.channel].write(at, place.line, bytes);
}

}  // namespace gpusim::fabric
