#include "fabric/memory_side.h"

#include <algorithm>
#include <utility>

namespace gpusim::fabric {

MemorySide::MemorySide(const FabricConfig& config)
    : config_(config),
      map_(config.slices, config.channels, config.topology.partitions),
      tags_(config.has_l2 ? config.l2_capacity : Limited<Bytes>(Bytes(0)), config.l2_ways, config.slices),
      slices_per_partition_(static_cast<std::size_t>(config.slices / config.topology.partitions)),
      slices_(static_cast<std::size_t>(config.slices), core::Server(config.slice_rate)),
      slice_writes_(static_cast<std::size_t>(config.slices), core::Server(config.slice_write_rate)),
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

/// Fills in where a line is searched for; whether a copy of it is looked for, too.
bool MemorySide::locate(Target& target, std::uint64_t line, std::size_t partition, Copies copies,
                        AddressMap::Block& block) const {
  target.home = map_.place_of(line, block);
  target.at_home = tags_.spot_of(target.home);
  if (config_.topology.partitions == 1) return false;
  const std::size_t home = partition_of(target.home.slice);
  if (copies != Copies::given_up && home == partition) return false;
  target.copy = tags_.copy_of(target.at_home, to_other(home));
  return true;
}

/// What lines will look at is far from the processor: first the sets of all of them, then the entries that the searches
/// will end at.
void MemorySide::look_ahead(std::span<const LineChunks> lines, std::size_t partition, Copies copies, unsigned spared) {
  AddressMap::Block block;
  unsigned with_copy = 0;
  // With tags that cannot be looked at ahead nothing says which lines will.
  const bool reads_dram = copies == Copies::instead && !(config_.has_l2 && config_.l2_capacity.is_unlimited());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((spared >> i & 1U) != 0) continue;
    Target& target = targets_[i];
    const bool looks_for_copy = locate(target, lines[i].line, partition, copies, block);
    tags_.prefetch(target.at_home);
    if (!looks_for_copy) continue;
    with_copy |= 1U << i;
    tags_.prefetch(target.copy);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((spared >> i & 1U) != 0) continue;
    Target& target = targets_[i];
    target.guess_copy = (with_copy >> i & 1U) != 0 ? tags_.prefetch_line(target.copy) : L2Tags::Guess{};
    const bool suffices = copies == Copies::instead && target.guess_copy.is_there;
    target.guess_at_home = suffices ? L2Tags::Guess{} : tags_.prefetch_line(target.at_home);
    if (suffices || target.guess_at_home.is_there || !reads_dram) continue;
    const AddressMap::DramPlace place = map_.dram_place_of(target.home);
    channels_[place.channel].prefetch(place.line);
  }
}

/// Finds the places of a read's lines in the coalescer of its GPC. Lines that it answers as it is, a bit each: they
/// will most likely not be searched for.
unsigned MemorySide::find_in(RequestCoalescer& coalescer, const Request& request, Cycle at) {
  unsigned answered = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(request.count); ++i) {
    const std::uint64_t line = request.lines[i].line;
    RequestCoalescer::Place& place = coalescer.place_of(line);
    targets_[i].in_coalescer = &place;
    const bool is_answered = coalescer.answers(place, line, wanted_of(request.lines[i]).chunks, at);
    answered |= static_cast<unsigned>(is_answered) << i;
  }
  return answered;
}

MemorySide::Served MemorySide::read(const Request& request, Cycle at) {
  Served served;
  served.first = Cycle::never();
  const auto count = static_cast<std::size_t>(request.count);
  const std::size_t partition = partition_of_sm(request.sm);
  RequestCoalescer* const coalescer =
      coalescers_.empty() ? nullptr : &coalescers_[static_cast<std::size_t>(config_.topology.gpc_of(request.sm))];
  const unsigned answered = coalescer != nullptr ? find_in(*coalescer, request, at) : 0;
  look_ahead(request.used_lines(), partition, Copies::instead, answered);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t line = request.lines[i].line;
    const Wanted wanted = wanted_of(request.lines[i], request.kind == RequestKind::read_lines);
    Target& target = targets_[i];
    const auto shared =
        coalescer != nullptr ? coalescer->join(*target.in_coalescer, line, wanted.chunks, at) : std::nullopt;
    LineTime time;
    if (shared) {
      time = share_line(wanted, at, *shared);
      served.shared_sectors += wanted.sectors;
    } else {
      if ((answered >> i & 1U) != 0) locate_late(target, line, partition);
      time = read_line(wanted, target, partition, at);
      if (coalescer != nullptr)
        coalescer->ask(*target.in_coalescer, line, wanted.chunks, at, {time.ready, time.dram.latency > Cycles(0)});
    }
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

/// The coalescer was to answer, but an earlier line of the request has changed its place since: the same line once
/// more.
void MemorySide::locate_late(Target& target, std::uint64_t line, std::size_t partition) const {
  AddressMap::Block block;
  locate(target, line, partition, Copies::instead, block);
  target.guess_at_home = target.guess_copy = {};
}

/// The coalescer answers with what another SM's read brings. For L2's counts it is a hit.
MemorySide::LineTime MemorySide::share_line(Wanted wanted, Cycle at, RequestCoalescer::Answer answer) {
  counters_.hit_sectors += wanted.sectors;
  counters_.coalesced_sectors += wanted.sectors;
  LineTime time;
  time.ready = answer.leaves;
  time.l2.latency = std::min(config_.l2_hit, answer.leaves - at);
  (answer.from_dram ? time.dram : time.l2).waiting = answer.leaves - at - time.l2.latency;
  return time;
}

/// Of a line, whose lookup may take the slice longer than its bytes do.
core::Grant MemorySide::take_slice(std::size_t slice, Cycle at, std::int64_t bytes) {
  const core::Grant grant = slices_[slice].take(at, bytes);
  if (bytes < config_.slice_request_bytes) slices_[slice].take_behind(config_.slice_request_bytes - bytes);
  return grant;
}

MemorySide::LineTime MemorySide::read_line(Wanted wanted, const Target& target, std::size_t partition, Cycle at) {
  const AddressMap::Place home = target.home;
  if (!config_.has_l2) return read_dram(home, at + config_.l2_miss, wanted.bytes());
  if (partition_of(home.slice) != partition) return read_far(wanted, target, partition, at);
  const core::Grant grant = take_slice(home.slice, at, wanted.bytes());
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
    const core::Grant grant = take_slice(near, at, bytes);
    const Cycles waited = grant.start - at + grant.spread();
    const Cycle hit = at + waited + config_.l2_hit;
    time.ready = std::max(hit, copy->ready_at());
    time.l2 = {config_.l2_hit, waited};
    time.dram.waiting = time.ready - hit;
    return time;
  }
  counters_.far_sectors += wanted.sectors;
  // Both stations are booked at the request's arrival: each serves in order of arrival, wherever it waits first.
  const core::Grant link = links_[partition].take(at, bytes);
  const core::Grant away = take_slice(home.slice, at, bytes);
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

MemorySide::Way MemorySide::way(std::uint64_t line, std::int32_t sm) const {
  if (!config_.has_l2) return {config_.border.request + config_.l2_miss + config_.dram.latency, config_.border.reply};
  const bool near = partition_of(map_.place_of(line).slice) == partition_of_sm(sm);
  const Cycles far = near ? Cycles(0) : config_.l2_far;
  return {config_.border.request + far / 2, from_slice(far) + config_.border.reply};
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
