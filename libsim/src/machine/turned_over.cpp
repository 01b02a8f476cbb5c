#include "machine/turned_over.h"

#include <algorithm>
#include <array>

namespace gpusim::machine {

bool depends_on_block(const Layout& layout) {
  constexpr std::array places{Coordinate::block_m, Coordinate::block_n, Coordinate::block_z,
                              Coordinate::k_begin, Coordinate::partial, Coordinate::k_count};
  return std::any_of(places.begin(), places.end(), [&](Coordinate place) { return layout.depends_on(place); });
}

bool l2_is_turned_over(const Simulation& run, const Counts& by) {
  if (!run.profile.l2 || run.profile.l2->capacity.is_unlimited()) return true;
  const std::int64_t capacity = run.profile.l2->capacity.value().count();
  Bytes all;
  for (const Buffer& buffer : run.schedule.buffers) all += size_of(buffer);
  const Traffic& traffic = by.kernel.traffic;
  const std::int64_t came = traffic.l2_read_sectors - traffic.l2_hit_sectors + traffic.l2_write_sectors;
  return all.count() <= capacity || came * sector_bytes >= capacity;
}

}  // namespace gpusim::machine
