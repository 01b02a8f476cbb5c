#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule_order_test {

namespace {

using Place = std::pair<std::int64_t, std::int64_t>;

Schedule grid_of(std::int64_t m, std::int64_t n, TileOrder order) {
  Schedule schedule;
  schedule.grid_m = m;
  schedule.grid_n = n;
  schedule.order = order;
  return schedule;
}

/// Where the CTAs are, in the order of their launch.
std::vector<Place> places(const Schedule& schedule) {
  std::vector<Place> places;
  for (std::int64_t cta = 0; cta < cta_count(schedule); ++cta) {
    const WorkItem item = work_item(schedule, CtaId(cta), 0);
    places.emplace_back(item.block_m, item.block_n);
  }
  return places;
}

std::int64_t distance(const Place& a, const Place& b) {
  return std::abs(a.first - b.first) + std::abs(a.second - b.second);
}

}  // namespace

TEST_CASE("tiles are numbered along the rows, or along the columns") {
  CHECK(places(grid_of(2, 3, TileOrder::row)) == std::vector<Place>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(places(grid_of(2, 3, TileOrder::column)) == std::vector<Place>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("groups are bands of rows, along m within a band; the last band may be lower") {
  Schedule schedule = grid_of(3, 2, TileOrder::grouped);
  schedule.group = 2;
  CHECK(places(schedule) == std::vector<Place>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}});
  schedule.group = 8;
  CHECK(places(schedule) == places(grid_of(3, 2, TileOrder::column)));
}

TEST_CASE("a Hilbert curve over a square of a power of two steps from neighbour to neighbour") {
  CHECK(places(grid_of(2, 2, TileOrder::hilbert)) == std::vector<Place>{{0, 0}, {0, 1}, {1, 1}, {1, 0}});
  for (const std::int64_t side : {4, 8, 32}) {
    const std::vector<Place> curve = places(grid_of(side, side, TileOrder::hilbert));
    for (std::size_t i = 1; i < curve.size(); ++i) CHECK(distance(curve[i - 1], curve[i]) == 1);
  }
}

TEST_CASE("a Hilbert curve over any other grid is that of the square around it, less what lies outside") {
  std::vector<Place> expected;
  for (const Place& place : places(grid_of(8, 8, TileOrder::hilbert)))
    if (place.first < 5 && place.second < 3) expected.push_back(place);
  CHECK(places(grid_of(5, 3, TileOrder::hilbert)) == expected);
}

TEST_CASE("layers come one after another") {
  Schedule schedule = grid_of(2, 2, TileOrder::column);
  schedule.grid_z = 3;
  CHECK(tile_count(schedule) == 12);
  CHECK(work_item(schedule, CtaId(9), 0) == WorkItem{.block_m = 1, .block_n = 0, .block_z = 2});
}

TEST_CASE("the grid of clusters is numbered, and the CTAs within each along m first") {
  Schedule schedule = grid_of(4, 4, TileOrder::row);
  schedule.cluster = 4;
  schedule.cluster_m = 2;
  const std::vector<Place> all = places(schedule);
  CHECK(std::vector<Place>(all.begin() + 4, all.begin() + 8) == std::vector<Place>{{0, 2}, {1, 2}, {0, 3}, {1, 3}});
  CHECK(all[8] == Place{2, 0});
  CHECK(place_in_cluster(schedule, 1) == std::pair{1, 0});
  CHECK(place_in_cluster(schedule, 2) == std::pair{0, 1});
}

TEST_CASE("without a shape, a cluster's CTAs lie as they are numbered") {
  Schedule schedule = grid_of(4, 4, TileOrder::column);
  schedule.cluster = 2;
  CHECK(place_in_cluster(schedule, 1) == std::pair{1, 0});
  schedule.order = TileOrder::row;
  CHECK(place_in_cluster(schedule, 1) == std::pair{0, 1});
}

TEST_CASE("groups count rows of tiles, also where clusters are numbered") {
  Schedule schedule = grid_of(8, 2, TileOrder::grouped);
  schedule.cluster = 2;
  schedule.cluster_m = 2;
  schedule.group = 4;
  const std::vector<Place> all = places(schedule);
  const std::set<Place> band(all.begin(), all.begin() + 8);
  for (const Place& place : band) CHECK(place.first < 4);
  CHECK(band.size() == 8);
}

}  // namespace gpusim::schedule_order_test
