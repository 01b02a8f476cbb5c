#include "fabric/l2_tags.h"

#include <algorithm>

#include "messages.h"

namespace gpusim::fabric {

L2Tags::L2Tags(Limited<Bytes> capacity, std::int64_t ways, std::int64_t slices) : unlimited_(capacity.is_unlimited()) {
  const auto count = static_cast<std::size_t>(slices);
  if (unlimited_) {
    all_.resize(count);
    return;
  }
  const std::int64_t lines = std::max(capacity.value().count() / line_bytes / slices, std::int64_t{1});
  slices_.assign(count, core::SetArray<L2Line>(lines, std::min(ways, lines)));
}

L2Line* L2Tags::find(AddressMap::Place place, Kind kind) {
  const auto [slice, index] = place;
  const std::uint64_t key = key_of(index, kind);
  if (!unlimited_) return slices_[slice].find(AddressMap::set_hash(index), key);
  const auto found = all_[slice].find(key);
  return found == all_[slice].end() ? nullptr : &found->second;
}

L2Line& L2Tags::insert(AddressMap::Place place, Evicted& evicted, Kind kind) {
  const auto [slice, index] = place;
  const std::uint64_t key = key_of(index, kind);
  evicted.any = false;
  if (unlimited_) return all_[slice][key];
  const auto slot = slices_[slice].insert(AddressMap::set_hash(index), key, [](const L2Line&) { return false; });
  // A copy is never dirty: losing it loses nothing.
  evicted.any = slot.old_key != core::SetArray<L2Line>::free && (slot.old_key & copy_bit) == 0;
  evicted.index = slot.old_key;
  evicted.line = slot.old;
  return *slot.entry;
}

}  // namespace gpusim::fabric
