#include "fabric/memory_side.h"

#include <algorithm>
#include <utility>

namespace gpusim::fabric {
namespace {

std::span<const LineChunks> lines_of(const Request& request) {
  return {request.lines.data(), static_cast<std::size_t>(request.count)};
}

}  // namespace

MemorySide::MemorySide(const FabricConfig& config)
    : config_(config),
      map_(config.slices, config.channels, config.topology.partitions),
      tags_(config.has_l2 ? config.l2_capacity : Limited<Bytes>(Bytes(0)), config.l2_ways, config.slices),
      slices_per_partition_(static_cast<std::size_t>(config.slices / config.topology.partitions)),
      slices_(static_cast<std::size_t>(config.slices), core::Server(config.slice_rate)),
      links_(static_cast<std::size_t>(config.topology.partitions), core::Server(config.link_rate)),
      atomic_units_(static_cast<std::size_t>(config.slices), core::Server(config.atomic_rate)) {
  for (std::int64_t sm = 0; sm < config.topology.sms; ++sm)
    partition_of_sm_.push_back(static_cast<std::uint8_t>(config.topology.partition_of(sm)));
  if (config.coalescer_lines > 0 && config.coalescer_reads > 1)
    coalescers_.assign(static_cast<std::size_t>(config.topology.gpcs),
                       RequestCoalescer(config.coalescer_lines, config.coalescer_reads, config.border.reply));
  for (std::int64_t channel = 0; channel < config.channels; ++channel)
    channels_.emplace_back(config.dram, channel, config.channels);
}

/// What lines will look at is far from the processor: first the sets of all of them, then the entries that the searches
/// will end at.
void MemorySide::look_ahead(std::span<const LineChunks> lines, std::size_t partition, Copies copies) {
  const bool may_have_copies = config_.topology.partitions > 1;
  const auto looks_for_copy = [&](const Target& target) {
    return may_have_copies && (copies == Copies::given_up || partition_of(target.home.slice) != partition);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Target& target = targets_[i];
    target.home = map_.place_of(lines[i].line);
    target.at_home = tags_.spot_of(target.home);
    tags_.prefetch(target.at_home);
    if (!looks_for_copy(target)) continue;
    target.copy = tags_.copy_of(target.at_home, to_other(partition_of(target.home.slice)));
    tags_.prefetch(target.copy);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Target& target = targets_[i];
    target.guess_copy = looks_for_copy(target) ? tags_.prefetch_line(target.copy) : L2Tags::Guess{};
    const bool suffices = copies == Copies::instead && target.guess_copy.is_there;
    target.guess_at_home = suffices ? L2Tags::Guess{} : tags_.prefetch_line(target.at_home);
  }
}

MemorySide::Served MemorySide::read(const Request& request, Cycle at) {
  Served served;
  served.first = Cycle::never();
  const auto count = static_cast<std::size_t>(request.count);
  const std::size_t partition = partition_of_sm(request.sm);
  look_ahead(lines_of(request), partition, Copies::instead);
  RequestCoalescer* const coalescer =
      coalescers_.empty() ? nullptr : &coalescers_[static_cast<std::size_t>(config_.topology.gpc_of(request.sm))];
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t line = request.lines[i].line;
    const Wanted wanted = wanted_of(request.lines[i], request.kind == RequestKind::read_lines);
    const auto shared = coalescer != nullptr ? coalescer->join(line, wanted.chunks, at) : std::nullopt;
    const LineTime time = shared ? share_line(wanted, at, *shared) : read_line(wanted, targets_[i], partition, at);
    if (shared)
      served.shared_sectors += wanted.sectors;
    else if (coalescer != nullptr)
      coalescer->ask(line, wanted.chunks, at, {time.ready, time.dram.latency > Cycles(0)});
    served.first = std::min(served.first, time.ready);
    if (i == 0 || time.ready >= served.last) {
      served.last = time.ready;
      served.l2 = time.l2;
      served.dram = time.dram;
    }
    served.sectors += wanted.sectors;
  }
  counters_.read_sectors += served.sectors;
  return served;
}

/// The coalescer answers with what another SM's read brings. For L2's counts it is a hit.
MemorySide::LineTime MemorySide::share_line(Wanted wanted, Cycle at, RequestCoalescer::Answer answer) {
  counters_.hit_sectors += wanted.sectors;
  LineTime time;
  time.ready = answer.leaves;
  time.l2.latency = std::min(config_.l2_hit, answer.leaves - at);
  (answer.from_dram ? time.dram : time.l2).waiting = answer.leaves - at - time.l2.latency;
  return time;
}

MemorySide::LineTime MemorySide::read_line(Wanted wanted, const Target& target, std::size_t partition, Cycle at) {
  const AddressMap::Place home = target.home;
  if (!config_.has_l2) return read_dram(home, at + config_.l2_miss, wanted.bytes());
  if (partition_of(home.slice) != partition) return read_far(wanted, target, partition, at);
  const core::Grant grant = slices_[home.slice].take(at, wanted.bytes());
  const Cycles waited = grant.start - at + grant.spread();
  LineTime time = read_home(wanted, home, at + waited, Cycles(0), entry_of(target, at + waited));
  time.l2.waiting += waited;
  return time;
}

/// The line is at home in the other partition: this one may have a copy. Without one only its tags are asked, which
/// costs no bandwidth.
MemorySide::LineTime MemorySide::read_far(Wanted wanted, const Target& target, std::size_t partition, Cycle at) {
  const std::int64_t bytes = wanted.bytes();
  const AddressMap::Place home = target.home;
  const std::size_t near = home.slice + static_cast<std::size_t>(to_other(partition_of(home.slice)));
  L2Line* const copy = tags_.find(target.copy, target.guess_copy);
  LineTime time;
  if (copy != nullptr && (wanted.chunks & ~copy->valid()) == 0) {
    counters_.hit_sectors += wanted.sectors;
    const core::Grant grant = slices_[near].take(at, bytes);
    const Cycles waited = grant.start - at + grant.spread();
    const Cycle hit = at + waited + config_.l2_hit;
    time.ready = std::max(hit, copy->ready_at());
    time.l2 = {config_.l2_hit, waited};
    time.dram.waiting = time.ready - hit;
    return time;
  }
  // Both stations are booked at the request's arrival: each serves in order of arrival, wherever it waits first.
  const core::Grant link = links_[partition].take(at, bytes);
  const core::Grant away = slices_[home.slice].take(at, bytes);
  const Cycles waited = std::max(link.start - at + link.spread(), away.start - at + away.spread());
  const Cycle reached = at + waited;
  time = read_home(wanted, home, reached, config_.l2_far, entry_of(target, reached));
  time.l2.waiting += waited;
  // What the home slice evicted is of its own partition: the copy found above is still there.
  L2Line& kept = copy != nullptr ? *copy : make_entry(target.copy, near, reached);
  kept.add(wanted.chunks);
  kept.wait_for(time.ready);
  return time;
}

/// At the line's home, reached at `reached`; `far` is the way there and back.
MemorySide::LineTime MemorySide::read_home(Wanted wanted, AddressMap::Place home, Cycle reached, Cycles far,
                                           L2Line& entry) {
  const unsigned missing = whole_sectors(wanted.chunks & ~entry.valid());
  LineTime time;
  if (missing == 0) {
    counters_.hit_sectors += wanted.sectors;
    const Cycle hit = reached + config_.l2_hit + far;
    time.l2.latency = config_.l2_hit + far;
    time.ready = std::max(hit, entry.ready_at() + far);
    time.dram.waiting = time.ready - hit;
    return time;
  }
  counters_.hit_sectors += wanted.sectors - count_bits(missing) * chunk_bytes / sector_bytes;
  const unsigned fetched = whole_sectors(wanted.fetched & ~entry.valid());
  time = read_dram(home, reached + config_.l2_miss, count_bits(fetched) * chunk_bytes);
  entry.add(fetched);
  // Sectors that were there wait for these as part of the line: the tag has one time.
  entry.wait_for(time.ready);
  time.ready += far;
  time.l2.latency += far;
  return time;
}

MemorySide::LineTime MemorySide::read_dram(AddressMap::Place home, Cycle asked, std::int64_t bytes) {
  counters_.dram_read_bytes += bytes;
  const AddressMap::DramPlace place = map_.dram_place_of(home);
  const DramChannel::Served served = channels_[place.channel].read(asked, place.line, bytes);
  LineTime time;
  time.l2.latency = config_.l2_miss;
  time.dram = {served.required, served.waiting};
  time.ready = asked + served.required + served.waiting;
  return time;
}

/// The entry of a line in its home slice, made if it is absent. `room` becomes the cycle in which DRAM has taken what
/// had to make room.
L2Line& MemorySide::entry_of(const Target& target, Cycle at, Cycle* room) {
  L2Line* const entry = tags_.find(target.at_home, target.guess_at_home);
  return entry != nullptr ? *entry : make_entry(target.at_home, target.home.slice, at, room);
}

/// The same for a line that is absent.
L2Line& MemorySide::make_entry(L2Tags::Spot spot, std::size_t slice, Cycle at, Cycle* room) {
  Evicted evicted;
  L2Line& made = tags_.insert(spot, evicted);
  if (evicted.any) {
    const Cycle taken = write_back(slice, evicted.index, evicted.line, at);
    if (room != nullptr) *room = std::max(*room, taken);
  }
  return made;
}

Cycle MemorySide::write(const Request& request, Cycle at) {
  Cycle last = at;
  const std::size_t partition = partition_of_sm(request.sm);
  const auto count = static_cast<std::size_t>(request.count);
  look_ahead(lines_of(request), partition, Copies::given_up);
  for (std::size_t i = 0; i < count; ++i)
    last = std::max(last, write_line(request.lines[i], targets_[i], partition, at));
  return last;
}

Cycle MemorySide::write_line(const LineChunks& line, const Target& target, std::size_t partition, Cycle at) {
  const auto chunks = static_cast<unsigned>(line.chunks);
  const std::int64_t bytes = count_bits(sectors_of(chunks)) * sector_bytes;
  counters_.write_sectors += bytes / sector_bytes;
  const AddressMap::Place home = target.home;
  if (!config_.has_l2) {
    counters_.dram_write_bytes += bytes;
    const AddressMap::DramPlace place = map_.dram_place_of(home);
    return channels_[place.channel].write(at, place.line, bytes);
  }
  const core::Grant grant = slices_[home.slice].take(at, bytes);
  Cycle written = grant.start + grant.spread();
  if (partition_of(home.slice) != partition) {
    const core::Grant link = links_[partition_of(home.slice)].take(at, bytes);
    written = std::max(written, link.start + link.spread()) + config_.l2_far / 2;
  }
  give_up_copy(target);
  // A store is accepted when there is room for it: behind a DRAM that is late with writing back it waits.
  L2Line& entry = entry_of(target, written, &written);
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
  look_ahead(lines_of(request), partition, Copies::given_up);
  for (std::int32_t i = 0; i < request.count; ++i) {
    const LineChunks& line = request.lines[static_cast<std::size_t>(i)];
    const Wanted wanted = wanted_of(line);
    const std::int64_t sectors = wanted.sectors;
    const Target& target = targets_[static_cast<std::size_t>(i)];
    const AddressMap::Place home = target.home;
    if (returns_data(request.kind)) counters_.read_sectors += sectors;
    counters_.write_sectors += sectors;
    const core::Grant slice = slices_[home.slice].take(at, sectors * sector_bytes);
    const core::Grant unit = atomic_units_[home.slice].take(at, sectors);
    const Cycles waited = std::max(slice.start - at + slice.spread(), unit.start - at + unit.spread());
    const Cycles far = partition_of(home.slice) == partition ? Cycles(0) : config_.l2_far;
    LineTime time;
    if (config_.has_l2) {
      give_up_copy(target);
      L2Line& entry = entry_of(target, at + waited);
      time = read_home(wanted, home, at + waited, far, entry);
      entry.add_dirty(static_cast<unsigned>(line.chunks));
    } else {
      time = read_dram(home, at + waited + config_.l2_miss, sectors * sector_bytes);
      counters_.dram_write_bytes += sectors * sector_bytes;
      const AddressMap::DramPlace place = map_.dram_place_of(home);
      channels_[place.channel].write(time.ready, place.line, sectors * sector_bytes);
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

MemorySide::Way MemorySide::way(std::uint64_t line, std::int32_t sm) const {
  if (!config_.has_l2) return {config_.border.request + config_.l2_miss + config_.dram.latency, config_.border.reply};
  const bool near = partition_of(map_.place_of(line).slice) == partition_of_sm(sm);
  const Cycles far = near ? Cycles(0) : config_.l2_far;
  return {config_.border.request + far / 2, from_slice(far) + config_.border.reply};
}

/// When DRAM has taken the line.
Cycle MemorySide::write_back(std::size_t slice, std::uint64_t index, const L2Line& line, Cycle at) {
  const unsigned dirty = sectors_of(line.dirty());
  if (dirty == 0) return at;
  const unsigned chunks = whole_sectors(line.dirty());
  const unsigned partial = sectors_of(chunks & ~line.valid());
  const std::int64_t read = count_bits(partial) * sector_bytes;
  const std::int64_t write = count_bits(dirty) * sector_bytes;
  counters_.dram_read_bytes += read;
  counters_.dram_write_bytes += write;
  const AddressMap::DramPlace place = map_.dram_place_of({slice, index});
  DramChannel& channel = channels_[place.channel];
  if (read != 0) channel.read(at, place.line, read);
  return channel.write(at, place.line, write);
}

void MemorySide::touch(std::uint64_t line, bool is_dirty) {
  if (!config_.has_l2) return;
  const AddressMap::Place place = map_.place_of(line);
  L2Line* entry = tags_.find(tags_.spot_of(place));
  if (entry == nullptr) {
    Evicted evicted;
    entry = &tags_.insert(tags_.spot_of(place), evicted);
  }
  entry->add(0xFF);
  if (is_dirty) entry->add_dirty(0xFF);
}

MemoryCounters MemorySide::take_counters() { return std::exchange(counters_, MemoryCounters{}); }

}  // namespace gpusim::fabric
