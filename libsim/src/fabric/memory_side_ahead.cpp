// Where the lines of a request are, worked out and fetched into the host's cache before the first of them is looked up.
#include <bit>

#include "fabric/memory_side.h"

namespace gpusim::fabric {

/// What lines will look at is far from the processor: first the sets of all of them, then the entries that the searches
/// will end at.
void MemorySide::look_ahead(std::span<const LineChunks> lines, std::size_t partition, Copies copies) {
  AddressMap::Block block;
  unsigned with_copy = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Target& target = targets_[i];
    target.home = map_.place_of(lines[i].line, block);
    target.at_home = tags_.spot_of(target.home);
    tags_.prefetch(target.at_home);
    const std::size_t home = partition_of(target.home.slice);
    if (config_.topology.partitions == 1 || (copies == Copies::of_far && home == partition)) continue;
    with_copy |= 1U << i;
    target.copy = tags_.copy_of(target.at_home, to_other(home));
    tags_.prefetch(target.copy);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Target& target = targets_[i];
    target.guess_copy = (with_copy >> i & 1U) != 0 ? tags_.prefetch_line(target.copy) : L2Tags::Guess{};
    target.guess_at_home = tags_.prefetch_line(target.at_home);
  }
}

void MemorySide::locate(ReadTarget& target, std::uint64_t line, const Reader& reader, AddressMap::Block& block) const {
  target.home = map_.place_of(line, block);
  const L2Tags::Spot at_home = tags_.spot_of(target.home);
  const bool is_far = partition_of(target.home.slice) != reader.partition;
  const std::size_t if_far = std::size_t{0} - static_cast<std::size_t>(is_far);  // all bits, or none
  target.home_set = at_home.set;
  target.here = {at_home.set + (reader.sets_away & if_far), L2Tags::key_of(at_home.key, is_far)};
  target.slice_here = static_cast<std::uint32_t>(target.home.slice + (reader.slices_away & if_far));
  target.is_far = is_far;
}

/// The same for those who read, but for lines of `spared`, a bit each.
void MemorySide::look_ahead_to_read(std::span<const LineChunks> lines, const Reader& reader, unsigned spared) {
  AddressMap::Block block;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((spared >> i & 1U) != 0) continue;
    locate(to_read_[i], lines[i].line, reader, block);
    tags_.prefetch(to_read_[i].here);
  }
  unsigned without_copy = 0;
  unsigned absent = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((spared >> i & 1U) != 0) continue;
    ReadTarget& target = to_read_[i];
    target.guess_here = tags_.prefetch_line(target.here);
    target.guess_at_home = {};
    if (target.guess_here.is_there) continue;
    (target.is_far ? without_copy : absent) |= 1U << i;
    if (target.is_far) tags_.prefetch(target.at_home());
  }
  for (; without_copy != 0; without_copy &= without_copy - 1) {
    const int i = std::countr_zero(without_copy);
    ReadTarget& target = to_read_[static_cast<std::size_t>(i)];
    target.guess_at_home = tags_.prefetch_line(target.at_home());
    absent |= static_cast<unsigned>(!target.guess_at_home.is_there) << i;
  }
  // With tags that cannot be looked at ahead nothing says which lines will come from DRAM.
  if (config_.has_l2 && config_.l2_capacity.is_unlimited()) return;
  for (; absent != 0; absent &= absent - 1) {
    const ReadTarget& target = to_read_[static_cast<std::size_t>(std::countr_zero(absent))];
    const AddressMap::DramPlace place = map_.dram_place_of(target.home);
    channels_[place.channel].prefetch(place.line);
  }
}

/// Finds the places of a read's lines in the coalescer of its GPC. Lines that it answers as it is, a bit each: they
/// will most likely not be searched for.
unsigned MemorySide::find_in(RequestCoalescer& coalescer, const Request& request, Cycle at, bool whole) {
  const std::span<const LineChunks> lines = request.used_lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    to_read_[i].in_coalescer = &coalescer.place_of(lines[i].line);
    __builtin_prefetch(to_read_[i].in_coalescer);
  }
  unsigned answered = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_answered = coalescer.answers(*to_read_[i].in_coalescer, lines[i].line,
                                               whole ? whole_line : wanted_of(lines[i]).chunks, at);
    answered |= static_cast<unsigned>(is_answered) << i;
  }
  return answered;
}

/// The coalescer was to answer, but an earlier line of the request has changed its place since: the same line once
/// more.
void MemorySide::locate_late(ReadTarget& target, std::uint64_t line, const Reader& reader) const {
  AddressMap::Block block;
  locate(target, line, reader, block);
  target.guess_at_home = target.guess_here = {};
}

}  // namespace gpusim::fabric
