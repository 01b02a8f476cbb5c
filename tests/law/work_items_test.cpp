// Law: however tiles are numbered and dealt, each k tile of each tile is worked on exactly once.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "support/random_grids.h"

namespace gpusim::work_items_test {

using testing::RandomGrid;

namespace {

/// How often each k tile of each tile is worked on; a layer's slice of k belongs to the product that the slice is of.
std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> worked_on(const Schedule& schedule) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> times;
  for (std::int64_t cta = 0; cta < cta_count(schedule); ++cta)
    for (std::int64_t i = 0; i < work_items(schedule, CtaId(cta)); ++i) {
      const WorkItem item = work_item(schedule, CtaId(cta), i);
      for (std::int64_t k = item.k_first; k < item.k_first + item.k_tiles; ++k)
        ++times[{item.block_m, item.block_n, item.block_z / schedule.splits, k}];
    }
  return times;
}

}  // namespace

TEST_CASE("every k tile of every tile is one work item's, whatever the order and the walk") {
  RandomGrid random(7);
  for (int i = 0; i < 400; ++i) {
    const Schedule schedule = random.make();
    CAPTURE(i);
    REQUIRE(check(schedule).empty());
    const auto times = worked_on(schedule);
    const std::int64_t products = schedule.grid_z / schedule.splits;
    CHECK(static_cast<std::int64_t>(times.size()) == schedule.grid_m * schedule.grid_n * products * schedule.k_tiles);
    CHECK(std::all_of(times.begin(), times.end(), [](const auto& entry) { return entry.second == 1; }));
  }
}

TEST_CASE("CTAs' shares differ by one at most, and a cluster's CTAs lie side by side") {
  RandomGrid random(11);
  for (int i = 0; i < 200; ++i) {
    const Schedule schedule = random.make();
    CAPTURE(i);
    std::int64_t least = work_items(schedule, CtaId(0));
    std::int64_t most = 0;
    for (std::int64_t cta = 0; cta < cta_count(schedule); ++cta) {
      const std::int64_t items = work_items(schedule, CtaId(cta));
      const CtaId first(cta / schedule.cluster * schedule.cluster);
      CHECK(items == work_items(schedule, first));
      least = std::min(least, items);
      most = std::max(most, items);
      if (schedule.cluster_m == 0) continue;
      const auto [m, n] = place_in_cluster(schedule, static_cast<int>(cta % schedule.cluster));
      for (std::int64_t index = 0; index < items; ++index) {
        const WorkItem item = work_item(schedule, CtaId(cta), index);
        const WorkItem of_first = work_item(schedule, first, index);
        CHECK(item.block_m - of_first.block_m == m);
        CHECK(item.block_n - of_first.block_n == n);
      }
    }
    if (!schedule.stream_k) CHECK(most - least <= 1);
  }
}

}  // namespace gpusim::work_items_test
