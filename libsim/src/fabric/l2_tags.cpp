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

L2Line* L2Tags::find(std::size_t slice, std::uint64_t index) {
  if (!unlimited_) return slices_[slice].find(AddressMap::set_hash(index), index);
  const auto found = all_[slice].find(index);
  return found == all_[slice].end() ? nullptr : &found->second;
}

L2Line& L2Tags::insert(std::size_t slice, std::uint64_t index, Evicted& evicted) {
  evicted.any = false;
  if (unlimited_) return all_[slice][index];
  const auto place = slices_[slice].insert(AddressMap::set_hash(index), index, [](const L2Line&) { return false; });
  evicted.any = place.old_key != core::SetArray<L2Line>::free;
  evicted.line = place.old;
  return *place.entry;
}

}  // namespace gpusim::fabric
