#include "fabric/l2_tags.h"

#include <algorithm>

#include "messages.h"

namespace gpusim::fabric {

L2Tags::L2Tags(Limited<Bytes> capacity, std::int64_t ways, std::int64_t slices) : unlimited_(capacity.is_unlimited()) {
  if (unlimited_) {
    all_.resize(static_cast<std::size_t>(slices));
    return;
  }
  const std::int64_t lines = std::max(capacity.value().count() / line_bytes / slices, std::int64_t{1});
  const std::int64_t set_lines = std::min(ways, lines);
  slice_sets_ = core::Divisor(static_cast<std::uint64_t>(lines / set_lines));
  lines_ = core::SetArray<L2Line>(lines / set_lines * set_lines * slices, set_lines);
}

L2Line* L2Tags::search(Spot spot) {
  if (!unlimited_) return lines_.find(spot.set, spot.key);
  const auto found = all_[spot.set].find(spot.key);
  return found == all_[spot.set].end() ? nullptr : &found->second;
}

L2Line& L2Tags::insert(Spot spot, Evicted& evicted) {
  evicted.any = false;
  if (unlimited_) return all_[spot.set][spot.key];
  const auto slot = lines_.insert(spot.set, spot.key, [](const L2Line&) { return false; });
  // A copy is never dirty: losing it loses nothing.
  evicted.any = slot.old_key != core::SetArray<L2Line>::free && (slot.old_key & copy_bit) == 0;
  evicted.index = slot.old_key;
  evicted.line = slot.old;
  return *slot.entry;
}

}  // namespace gpusim::fabric
