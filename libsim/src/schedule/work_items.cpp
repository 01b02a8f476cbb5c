// What each CTA of a schedule works on.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "gpusim/schedule.h"
#include "schedule/tile_order.h"
#include "schedule/walk_trips.h"

namespace gpusim {
namespace {

std::int64_t tiles_of_layer(const Schedule& schedule) { return schedule.grid_m * schedule.grid_n; }

struct TileRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The part of `total` that is dealt to one of `shares`, as evenly as whole numbers allow, the larger parts first.
TileRange dealt(std::int64_t total, std::int64_t shares, std::int64_t share) {
  const auto begin = [&](std::int64_t i) { return total / shares * i + std::min(i, total % shares); };
  return {begin(share), begin(share + 1)};
}

/// Of all tiles' k tiles, one after another, those of a CTA.
TileRange stream_range(const Schedule& schedule, CtaId cta) {
  return dealt(tile_count(schedule) * schedule.k_tiles, schedule.ctas, cta.index());
}

TileRange slice_of_k(const Schedule& schedule, std::int64_t block_z) {
  const std::int64_t length = (schedule.k_tiles + schedule.splits - 1) / schedule.splits;
  const std::int64_t first = std::min(schedule.k_tiles, block_z % schedule.splits * length);
  return {first, std::min(schedule.k_tiles, first + length)};
}

WorkItem item_of(const Schedule& schedule, std::int64_t tile) {
  const std::int64_t layer = tiles_of_layer(schedule);
  const schedule::TilePlace place = schedule::place_of_tile(schedule, tile % layer);
  WorkItem item{.block_m = place.m, .block_n = place.n, .block_z = tile / layer};
  const TileRange k = slice_of_k(schedule, item.block_z);
  item.k_first = k.begin;
  item.k_tiles = k.end - k.begin;
  item.partial = schedule.splits > 1;
  return item;
}

/// Clusters of tiles and of CTAs: a cluster's CTAs walk side by side, so that it is clusters that are dealt.
struct Deal {
  std::int64_t tiles;
  std::int64_t walkers;
  std::int64_t walker;
  TileRange run;  ///< of tiles, where they are dealt in runs
};

Deal deal_of(const Schedule& schedule, CtaId cta) {
  Deal deal{tile_count(schedule) / schedule.cluster,
            cta_count(schedule) / schedule.cluster,
            cta.index() / schedule.cluster,
            {}};
  if (schedule.consecutive) deal.run = dealt(deal.tiles, deal.walkers, deal.walker);
  return deal;
}

WorkItem stream_item(const Schedule& schedule, CtaId cta, std::int64_t index) {
  const TileRange range = stream_range(schedule, cta);
  const std::int64_t tile = range.begin / schedule.k_tiles + index;
  WorkItem item = item_of(schedule, tile);
  item.k_first = std::max<std::int64_t>(0, range.begin - tile * schedule.k_tiles);
  item.k_tiles = std::min(schedule.k_tiles, range.end - tile * schedule.k_tiles) - item.k_first;
  item.partial = item.k_tiles < schedule.k_tiles;
  return item;
}

}  // namespace

std::int64_t tile_count(const Schedule& schedule) { return tiles_of_layer(schedule) * schedule.grid_z; }

std::int64_t cta_count(const Schedule& schedule) { return schedule.ctas > 0 ? schedule.ctas : tile_count(schedule); }

std::int64_t work_items(const Schedule& schedule, CtaId cta) {
  if (schedule.stream_k) {
    const TileRange range = stream_range(schedule, cta);
    if (range.begin == range.end) return 0;
    return (range.end - 1) / schedule.k_tiles - range.begin / schedule.k_tiles + 1;
  }
  const Deal deal = deal_of(schedule, cta);
  if (schedule.consecutive) return deal.run.end - deal.run.begin;
  return std::max<std::int64_t>(0, (deal.tiles - deal.walker + deal.walkers - 1) / deal.walkers);
}

WorkItem work_item(const Schedule& schedule, CtaId cta, std::int64_t index) {
  if (index < 0 || index >= work_items(schedule, cta)) throw std::logic_error("a CTA has no such work item");
  if (schedule.stream_k) return stream_item(schedule, cta, index);
  const Deal deal = deal_of(schedule, cta);
  const std::int64_t tiles = schedule.consecutive ? deal.run.begin + index : deal.walker + index * deal.walkers;
  return item_of(schedule, tiles * schedule.cluster + cta.index() % schedule.cluster);
}

std::pair<int, int> place_in_cluster(const Schedule& schedule, int rank) {
  const schedule::TilePlace first = schedule::place_of_tile(schedule, 0);
  const schedule::TilePlace place = schedule::place_of_tile(schedule, rank);
  return {static_cast<int>(place.m - first.m), static_cast<int>(place.n - first.n)};
}

schedule::WalkTrips schedule::most_trips(const Schedule& schedule) {
  if (!schedule.stream_k) {
    // The first CTA has as many items as any, and the first slice as many k tiles.
    const TileRange k = slice_of_k(schedule, 0);
    const std::int64_t items = work_items(schedule, CtaId(0));
    return {items, k.end - k.begin, items * (k.end - k.begin)};
  }
  const TileRange first = stream_range(schedule, CtaId(0));
  WalkTrips most{0, std::min(schedule.k_tiles, first.end), first.end};
  for (std::int64_t cta = 0; cta < schedule.ctas; ++cta)
    most.items = std::max(most.items, work_items(schedule, CtaId(cta)));
  return most;
}

}  // namespace gpusim
