#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule_walk_test {

namespace {

/// A column of tiles, walked by so many CTAs.
Schedule column_of(std::int64_t tiles, std::int64_t ctas, std::int64_t k_tiles = 1) {
  Schedule schedule;
  schedule.grid_m = tiles;
  schedule.ctas = ctas;
  schedule.k_tiles = k_tiles;
  return schedule;
}

std::vector<WorkItem> items(const Schedule& schedule, std::int64_t cta) {
  std::vector<WorkItem> items;
  for (std::int64_t i = 0; i < work_items(schedule, CtaId(cta)); ++i)
    items.push_back(work_item(schedule, CtaId(cta), i));
  return items;
}

std::vector<std::int64_t> rows(const Schedule& schedule, std::int64_t cta) {
  std::vector<std::int64_t> rows;
  for (const WorkItem& item : items(schedule, cta)) rows.push_back(item.block_m);
  return rows;
}

using Rows = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("without a walk, each CTA has its own tile and all of k") {
  Schedule schedule = column_of(3, 0, 7);
  CHECK(cta_count(schedule) == 3);
  CHECK(items(schedule, 2) == std::vector<WorkItem>{{.block_m = 2, .k_tiles = 7}});
  CHECK_THROWS_AS((void)work_item(schedule, CtaId(2), 1), std::logic_error);
}

TEST_CASE("CTAs that walk take every so many tiles") {
  const Schedule schedule = column_of(8, 3);
  CHECK(cta_count(schedule) == 3);
  CHECK(rows(schedule, 0) == Rows{0, 3, 6});
  CHECK(rows(schedule, 1) == Rows{1, 4, 7});
  CHECK(rows(schedule, 2) == Rows{2, 5});
}

TEST_CASE("or neighbouring ones, as evenly as can be") {
  Schedule schedule = column_of(8, 3);
  schedule.consecutive = true;
  CHECK(rows(schedule, 0) == Rows{0, 1, 2});
  CHECK(rows(schedule, 1) == Rows{3, 4, 5});
  CHECK(rows(schedule, 2) == Rows{6, 7});
}

TEST_CASE("more CTAs than tiles leave some without work") {
  CHECK(work_items(column_of(2, 3), CtaId(2)) == 0);
  Schedule stream = column_of(1, 3, 2);
  stream.stream_k = true;
  CHECK(work_items(stream, CtaId(2)) == 0);
}

TEST_CASE("a cluster's CTAs walk side by side") {
  Schedule schedule = column_of(12, 4);
  schedule.cluster = 2;
  CHECK(rows(schedule, 0) == Rows{0, 4, 8});
  CHECK(rows(schedule, 1) == Rows{1, 5, 9});
  CHECK(rows(schedule, 2) == Rows{2, 6, 10});
  schedule.consecutive = true;
  CHECK(rows(schedule, 1) == Rows{1, 3, 5});
  CHECK(rows(schedule, 2) == Rows{6, 8, 10});
}

TEST_CASE("slices of k are equal, but for the last, and parts of a tile") {
  Schedule schedule = column_of(1, 0, 10);
  schedule.grid_z = schedule.splits = 4;
  CHECK(items(schedule, 0) == std::vector<WorkItem>{{.k_tiles = 3, .partial = true}});
  CHECK(items(schedule, 1) == std::vector<WorkItem>{{.block_z = 1, .k_first = 3, .k_tiles = 3, .partial = true}});
  CHECK(items(schedule, 3) == std::vector<WorkItem>{{.block_z = 3, .k_first = 9, .k_tiles = 1, .partial = true}});
  schedule.k_tiles = 5;
  CHECK(items(schedule, 3) == std::vector<WorkItem>{{.block_z = 3, .k_first = 5, .k_tiles = 0, .partial = true}});
}

TEST_CASE("each product of a batch has the same slices") {
  Schedule schedule = column_of(1, 0, 4);
  schedule.splits = 2;
  schedule.grid_z = 6;
  CHECK(items(schedule, 5) == std::vector<WorkItem>{{.block_z = 5, .k_first = 2, .k_tiles = 2, .partial = true}});
}

TEST_CASE("stream-K deals all k tiles evenly, and a tile it cuts is partial") {
  Schedule schedule = column_of(3, 2, 4);
  schedule.stream_k = true;
  CHECK(items(schedule, 0) ==
        std::vector<WorkItem>{{.block_m = 0, .k_tiles = 4}, {.block_m = 1, .k_tiles = 2, .partial = true}});
  CHECK(items(schedule, 1) == std::vector<WorkItem>{{.block_m = 1, .k_first = 2, .k_tiles = 2, .partial = true},
                                                    {.block_m = 2, .k_tiles = 4}});
}

}  // namespace gpusim::schedule_walk_test
