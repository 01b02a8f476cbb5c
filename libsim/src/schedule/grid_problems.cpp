#include "schedule/grid_problems.h"

#include <algorithm>
#include <string>

#include "schedule/number_text.h"
#include "schedule/structure.h"

namespace gpusim::schedule {
namespace {

/// The multiple of `step` nearest below `value`, at least one.
std::int64_t multiple_below(std::int64_t value, std::int64_t step) { return std::max(step, value / step * step); }

/// The largest divisor of `whole` that is at most `value`.
std::int64_t divisor_below(std::int64_t whole, std::int64_t value) {
  std::int64_t largest = 1;
  for (std::int64_t small = 1; small * small <= whole; ++small)
    if (whole % small == 0)
      for (const std::int64_t divisor : {small, whole / small})
        if (divisor <= value) largest = std::max(largest, divisor);
  return largest;
}

void check_numbered_cluster(const Schedule& schedule, Collector& collect) {
  const std::int64_t rest = schedule.grid_m % schedule.cluster * (schedule.grid_n % schedule.cluster);
  collect.require(rest % schedule.cluster == 0, "/cluster",
                  "clusters of " + text(schedule.cluster) + " CTAs do not divide a grid of " +
                      extent_text(schedule.grid_m, schedule.grid_n));
}

void check_shaped_cluster(const Schedule& schedule, Collector& collect) {
  const int m = schedule.cluster_m;
  if (m < 0 || m > schedule.cluster || schedule.cluster % m != 0)
    return collect.require(false, "/cluster_m",
                           "a cluster of " + text(schedule.cluster) + " CTAs cannot have " + text(m) +
                               " along m; it can have " + text(divisor_below(schedule.cluster, std::max(1, m))));
  const int n = schedule.cluster / m;
  collect.require(schedule.grid_m % m == 0 && schedule.grid_n % n == 0, "/cluster_m",
                  "clusters of " + extent_text(m, n) + " CTAs do not divide a grid of " +
                      extent_text(schedule.grid_m, schedule.grid_n) + "; they divide one of " +
                      extent_text((schedule.grid_m + m - 1) / m * m, (schedule.grid_n + n - 1) / n * n));
}

void check_slices(const Schedule& schedule, Collector& collect) {
  collect.within(schedule.splits, 1, schedule.grid_z, "/splits", "the number of slices of k");
  if (schedule.splits < 1 || schedule.splits > schedule.grid_z) return;
  collect.require(schedule.grid_z % schedule.splits == 0, "/splits",
                  text(schedule.splits) + " slices of k do not divide " + text(schedule.grid_z) + " layers of tiles; " +
                      text(divisor_below(schedule.grid_z, schedule.splits)) + " do");
  collect.require(schedule.splits == 1 || schedule.k_tiles > 0, "/splits",
                  "slices are of k tiles, of which there are none: k_tiles is 0");
}

void check_stream(const Schedule& schedule, Collector& collect) {
  collect.require(schedule.ctas > 0, "/stream_k", "k tiles are dealt to a number of CTAs: ctas is 0");
  collect.require(schedule.k_tiles > 0, "/stream_k", "there are no k tiles to deal: k_tiles is 0");
  collect.require(
      schedule.splits == 1, "/stream_k",
      "k tiles that are dealt one by one are not in slices too: splits is " + text(schedule.splits) + "; it must be 1");
  collect.require(schedule.cluster == 1, "/stream_k",
                  "a cluster's CTAs walk side by side, k tiles are dealt to CTAs of their own: cluster is " +
                      text(schedule.cluster) + "; it must be 1");
  collect.require(!schedule.consecutive, "/consecutive", "k tiles that are dealt evenly are neighbours as it is");
  const double all = static_cast<double>(tile_count(schedule)) * static_cast<double>(schedule.k_tiles);
  collect.require(all <= static_cast<double>(most_tiles), "/stream_k", "there are more than 2^47 k tiles to deal");
}

void check_walk(const Schedule& schedule, Collector& collect) {
  collect.within(schedule.ctas, 0, most_walkers, "/ctas", "the number of CTAs that walk the tiles");
  collect.require(schedule.ctas % schedule.cluster == 0, "/ctas",
                  text(schedule.ctas) + " CTAs are not whole clusters of " + text(schedule.cluster) + "; " +
                      text(multiple_below(schedule.ctas, schedule.cluster)) + " are");
  collect.require(schedule.ctas > 0 || !schedule.consecutive, "/consecutive",
                  "only CTAs that walk have neighbouring tiles: ctas is 0");
  collect.require(schedule.stream_k || !schedule.restarts_k, "/restarts_k",
                  "only where k tiles are dealt one by one does it matter where their index begins: stream_k is false");
  if (schedule.stream_k) check_stream(schedule, collect);
}

}  // namespace

void check_grid(const Schedule& schedule, Collector& collect) {
  collect.within(schedule.grid_m, 1, most_extent, "/grid_m", "the grid's extent along m");
  collect.within(schedule.grid_n, 1, most_extent, "/grid_n", "the grid's extent along n");
  collect.within(schedule.grid_z, 1, most_extent, "/grid_z", "the number of layers of tiles");
  collect.within(schedule.cluster, 1, most_cluster, "/cluster", "the number of CTAs of a cluster");
  collect.within(schedule.group, 1, most_extent, "/group", "the number of rows of tiles of a group");
  collect.within(schedule.k_tiles, 0, most_extent, "/k_tiles", "the number of k tiles");
  if (schedule.grid_m < 1 || schedule.grid_n < 1 || schedule.grid_z < 1 || schedule.cluster < 1) return;
  const double tiles = static_cast<double>(schedule.grid_m) * static_cast<double>(schedule.grid_n) *
                       static_cast<double>(schedule.grid_z);
  if (tiles > static_cast<double>(most_tiles))
    return collect.require(false, "/grid_m", "grid_m x grid_n x grid_z are more than 2^47 tiles");
  if (schedule.cluster_m == 0)
    check_numbered_cluster(schedule, collect);
  else
    check_shaped_cluster(schedule, collect);
  check_slices(schedule, collect);
  check_walk(schedule, collect);
}

}  // namespace gpusim::schedule
