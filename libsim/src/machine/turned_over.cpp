#include "machine/turned_over.h"

#include <algorithm>
#include <array>

namespace gpusim::machine {

namespace {

/// CTAs of a cluster along a side of the grid; 1 where clusters have no shape.
std::int64_t cluster_side(const Schedule& schedule, Coordinate side) {
  if (schedule.cluster_m == 0) return 1;
  if (side == Coordinate::block_m) return schedule.cluster_m;
  return side == Coordinate::block_n ? schedule.cluster / schedule.cluster_m : 1;
}

bool varies_by_tile(const Term& term, const Schedule& schedule) {
  constexpr std::array places{Coordinate::block_m, Coordinate::block_n, Coordinate::block_z,
                              Coordinate::k_begin, Coordinate::partial, Coordinate::k_count};
  if (std::find(places.begin(), places.end(), term.source) == places.end()) return false;
  const bool repeats = term.divisor == 1 && term.modulus > 0;
  return !repeats || cluster_side(schedule, term.source) % term.modulus != 0;
}

}  // namespace

bool depends_on_tile(const Layout& layout, const Schedule& schedule) {
  return std::any_of(layout.terms().begin(), layout.terms().end(),
                     [&](const Term& term) { return varies_by_tile(term, schedule); });
}

bool buffers_fit_l2(const Simulation& run) {
  if (!run.profile.l2 || run.profile.l2->capacity.is_unlimited()) return true;
  Bytes all;
  for (const Buffer& buffer : run.schedule.buffers) all += size_of(buffer);
  return all <= run.profile.l2->capacity.value();
}

bool l2_is_turned_over(const Simulation& run, const Counts& by) {
  if (buffers_fit_l2(run)) return true;
  const Traffic& traffic = by.kernel.traffic;
  // A sector that is written in parts is one; of atomics only the sectors are counted.
  const std::int64_t stored = traffic.global_store_bytes / sector_bytes;
  const std::int64_t written = stored > 0 ? std::min(traffic.l2_write_sectors, stored) : traffic.l2_write_sectors;
  const std::int64_t came = traffic.l2_read_sectors - traffic.l2_hit_sectors + written;
  return came * sector_bytes >= run.profile.l2->capacity.value().count();
}

}  // namespace gpusim::machine
