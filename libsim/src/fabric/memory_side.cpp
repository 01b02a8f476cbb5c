#include "fabric/memory_side.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpusim::fabric {

MemorySide::MemorySide(const FabricConfig& config)
    : config_(config),
      map_(config.slices, config.channels, config.topology.partitions, config.stripe_lines),
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

template <bool whole>
MemorySide::Served MemorySide::read_lines(const Request& request, Cycle at) {
  const auto count = static_cast<std::size_t>(request.count);
  const Reader reader = reader_in(partition_of_sm(request.sm));
  RequestCoalescer* const coalescer =
      coalescers_.empty() ? nullptr : &coalescers_[static_cast<std::size_t>(config_.topology.gpc_of(request.sm))];
  const unsigned answered = coalescer != nullptr ? find_in(*coalescer, request, at, whole) : 0;
  look_ahead_to_read(request.used_lines(), reader, answered);
  Cycle first = Cycle::never();
  LineTime last;
  std::int64_t sectors = 0;
  std::int64_t shared_sectors = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t line = request.lines[i].line;
    const Wanted wanted = whole ? Wanted{} : wanted_of(request.lines[i], request.kind == RequestKind::read_lines);
    ReadTarget& target = to_read_[i];
    const auto shared =
        coalescer != nullptr ? coalescer->join(*target.in_coalescer, line, wanted.chunks, at) : std::nullopt;
    LineTime time;
    if (shared) {
      time = share_line(wanted, at, *shared);
      shared_sectors += wanted.sectors;
    } else {
      if ((answered >> i & 1U) != 0) locate_late(target, line, reader);
      time = read_line(wanted, target, reader, at);
      if (coalescer != nullptr)
        coalescer->ask(*target.in_coalescer, line, wanted.chunks, at, {time.ready, time.dram.latency > Cycles(0)});
    }
    first = std::min(first, time.ready);
    if (i == 0 || time.ready >= last.ready) last = time;
    sectors += wanted.sectors;
  }
  counters_.read_sectors += sectors;
  Served served;
  served.first = first;
  served.last = last.ready;
  served.sectors = sectors;
  served.shared_sectors = shared_sectors;
  served.l2 = last.l2;
  served.dram = last.dram;
  return served;
}

MemorySide::Served MemorySide::read(const Request& request, Cycle at) {
  return are_whole(request.used_lines()) ? read_lines<true>(request, at) : read_lines<false>(request, at);
}

/// The coalescer answers with what another SM's read brings. For L2's counts it is a hit.
MemorySide::LineTime MemorySide::share_line(const Wanted& wanted, Cycle at, RequestCoalescer::Answer answer) {
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

/// Most lines are there, at home or as a copy: that is done here, and what else may be is called.
MemorySide::LineTime MemorySide::read_line(const Wanted& wanted, const ReadTarget& target, const Reader& reader,
                                           Cycle at) {
  if (!config_.has_l2) return read_dram(target.home, at + config_.l2_miss, wanted.bytes());
  L2Line* const found = tags_.find(target.here, target.guess_here);
  if (found == nullptr || (wanted.chunks & ~found->valid()) != 0)
    return target.is_far ? read_far(wanted, target, found, reader.partition, at) : read_near(wanted, target, found, at);
  counters_.hit_sectors += wanted.sectors;
  const core::Grant grant = take_slice(target.slice_here, at, wanted.bytes());
  const Cycles waited = grant.start - at + grant.spread();
  const Cycle hit = at + waited + config_.l2_hit;
  LineTime time;
  time.ready = std::max(hit, found->ready_at());
  time.l2 = {config_.l2_hit, waited};
  time.dram.waiting = time.ready - hit;
  return time;
}

/// At home in this partition, whose slice has no more of it than `found`.
MemorySide::LineTime MemorySide::read_near(const Wanted& wanted, const ReadTarget& target, L2Line* found, Cycle at) {
  const core::Grant grant = take_slice(target.home.slice, at, wanted.bytes());
  const Cycles waited = grant.start - at + grant.spread();
  const Cycle reached = at + waited;
  L2Line& entry = found != nullptr ? *found : make_entry(target.here, target.home.slice, reached);
  LineTime time = read_home(wanted, target.home, reached, Cycles(0), entry);
  time.l2.waiting += waited;
  return time;
}

/// At home in the other partition, and this one has no more of it than `copy`. Here only the tags are asked, which
/// costs no bandwidth.
MemorySide::LineTime MemorySide::read_far(const Wanted& wanted, const ReadTarget& target, L2Line* copy,
                                          std::size_t partition, Cycle at) {
  const std::int64_t bytes = wanted.bytes();
  const AddressMap::Place home = target.home;
  counters_.far_sectors += wanted.sectors;
  // Both stations are booked at the request's arrival: each serves in order of arrival, wherever it waits first.
  const core::Grant link = links_[partition].take(at, bytes);
  const core::Grant away = take_slice(home.slice, at, bytes);
  const Cycles waited = std::max(link.start - at + link.spread(), away.start - at + away.spread());
  const Cycle reached = at + waited;
  L2Line& entry = entry_of(target.at_home(), target.guess_at_home, home.slice, reached);
  LineTime time = read_home(wanted, home, reached, config_.l2_far, entry);
  time.l2.waiting += waited;
  // What the home slice evicted is of its own partition: the copy found above is still there.
  L2Line& kept = copy != nullptr ? *copy : make_entry(target.here, target.slice_here, reached);
  kept.add(wanted.chunks);
  kept.wait_for(time.ready);
  return time;
}

/// At the line's home, reached at `reached`; `far` is the way there and back.
MemorySide::LineTime MemorySide::read_home(const Wanted& wanted, AddressMap::Place home, Cycle reached, Cycles far,
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
L2Line& MemorySide::entry_of(L2Tags::Spot spot, L2Tags::Guess guess, std::size_t slice, Cycle at, Cycle* room) {
  L2Line* const entry = tags_.find(spot, guess);
  return entry != nullptr ? *entry : make_entry(spot, slice, at, room);
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
  entry->add(whole_line);
  if (is_dirty) entry->add_dirty(whole_line);
}

MemoryCounters MemorySide::take_counters() { return std::exchange(counters_, MemoryCounters{}); }

}  // namespace gpusim::fabric
