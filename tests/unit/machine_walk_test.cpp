// Loops that walk: work items and their k tiles, each warp by itself.
#include <doctest/doctest.h>

#include <vector>

#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/run_log.h"
#include "support/scripted_fabric.h"

namespace gpusim::machine_walk_test {

using namespace gpusim::testing;

namespace {

constexpr std::int64_t tiles = 6;
constexpr std::int64_t k_tiles = 5;

Statement walking(Walk walk, std::vector<Statement> body, bool steps_tiles = false) {
  return Loop{1'000'000, std::move(body), steps_tiles, walk};
}

/// `body` for each k tile of each item, in a schedule of `tiles` tiles of `k_tiles` k tiles.
Schedule walk(std::vector<Statement> body, std::int64_t ctas = 1) {
  Schedule schedule = Probe().schedule(1, tiles);
  std::vector<Statement> items{walking(Walk::k_tiles, std::move(body), true)};
  schedule.roles[0].program.body = {walking(Walk::items, std::move(items))};
  schedule.k_tiles = k_tiles;
  schedule.ctas = ctas;
  return schedule;
}

/// The k tiles of the CTA's own tile.
Schedule one_tile_a_cta(std::vector<Statement> body) {
  Schedule schedule = Probe().schedule(1, tiles);
  schedule.roles[0].program.body = {walking(Walk::k_tiles, std::move(body), true)};
  schedule.k_tiles = k_tiles;
  return schedule;
}

/// A load of the line that `row` says, and an instruction that waits for it.
std::vector<Statement> load_of(Schedule& schedule, const Layout& row) {
  const Token x = schedule.roles[0].program.token("x");
  return {Operation{LoadGlobal{one_line(row), x}, 1, std::nullopt}, Operation{needs(x), 1, std::nullopt}};
}

/// The lines CTA 0 asks for, in order.
std::vector<std::int64_t> lines_of(const Schedule& schedule) {
  ScriptedFabric fabric(probe_machine(), schedule, always(Cycles(20)));
  fabric.run();
  std::vector<std::int64_t> lines;
  for (const Request& request : fabric.requests) lines.push_back(static_cast<std::int64_t>(request.lines[0].line));
  return lines;
}

/// The same of a walk whose k tiles each load the line `row`.
std::vector<std::int64_t> lines_of_walk(const Layout& row, Schedule schedule = walk({})) {
  Program& program = schedule.roles[0].program;
  Loop& items = std::get<Loop>(program.body[0]);
  std::get<Loop>(items.body[0]).body = load_of(schedule, row);
  return lines_of(schedule);
}

/// A dependent chain of one link a k tile.
std::vector<Statement> link(Schedule& schedule) {
  return {Operation{changes(schedule.roles[0].program.token("x")), 1, std::nullopt}};
}

KernelResult run(const Profile& profile, const Schedule& schedule) {
  return machine::Machine(profile, {}, {}).run(std::span(&schedule, 1)).kernels[0];
}

Profile one_cta_at_a_time() {
  Profile profile = probe_machine();
  profile.sm.ctas = 1;
  return profile;
}

}  // namespace

TEST_CASE("a CTA that walks all tiles saves the hand-over between CTAs of one tile each") {
  const Profile profile = one_cta_at_a_time();
  Schedule persistent = walk({});
  std::get<Loop>(std::get<Loop>(persistent.roles[0].program.body[0]).body[0]).body = link(persistent);
  Schedule launched = one_tile_a_cta({});
  std::get<Loop>(launched.roles[0].program.body[0]).body = link(launched);
  const Cycles tile = profile.pipes.fma.latency * k_tiles;
  const Cycles hand_over = profile.launch.cta_exit + profile.launch.cta_start;
  CHECK(run(profile, persistent).cycles == tile * tiles);
  CHECK(run(profile, launched).cycles == tile * tiles + hand_over * (tiles - 1));
}

TEST_CASE("a role that takes items in turns has every so many, and counts all items' k tiles") {
  Schedule schedule = walk({});
  Loop& items = std::get<Loop>(schedule.roles[0].program.body[0]);
  items.turns = 3;
  for (items.turn = 0; items.turn < items.turns; ++items.turn) {
    CAPTURE(items.turn);
    std::vector<std::int64_t> expected;
    for (std::int64_t tile = items.turn; tile < tiles; tile += items.turns)
      for (std::int64_t k = 0; k < k_tiles; ++k) expected.push_back(tile * 1000 + tile * 100 + tile * k_tiles + k);
    CHECK(lines_of_walk(along(Coordinate::block_m, 1000) + along(Coordinate::loop0, 100) + along(Coordinate::loop1),
                        schedule) == expected);
  }
  items.turns = 9;
  items.turn = tiles;  // no item is its turn
  CHECK(lines_of_walk(along(Coordinate::loop1), schedule).empty());
}

TEST_CASE("each item sets the block's coordinates") {
  std::vector<std::int64_t> expected;
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    for (std::int64_t k = 0; k < k_tiles; ++k) expected.push_back(tile * 100);
  CHECK(lines_of_walk(along(Coordinate::block_m, 100)) == expected);
}

TEST_CASE("layers come one after another") {
  Schedule schedule = walk({});
  schedule.grid_m = 2;
  schedule.grid_z = 3;
  std::vector<std::int64_t> expected;
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    for (std::int64_t k = 0; k < k_tiles; ++k) expected.push_back(tile / 2 * 1000 + tile % 2 * 100);
  CHECK(lines_of_walk(along(Coordinate::block_z, 1000) + along(Coordinate::block_m, 100), schedule) == expected);
}

TEST_CASE("the index of k tiles goes on counting from item to item, and k_begin takes it back") {
  std::vector<std::int64_t> counting, k;
  for (std::int64_t i = 0; i < tiles * k_tiles; ++i) {
    counting.push_back(i);
    k.push_back(i % k_tiles);
  }
  CHECK(lines_of_walk(along(Coordinate::loop1)) == counting);
  CHECK(lines_of_walk(along(Coordinate::loop1) + along(Coordinate::k_begin)) == k);
}

TEST_CASE("slices of k walk their own k tiles") {
  Schedule schedule = walk({});
  schedule.grid_m = 1;
  schedule.grid_z = schedule.splits = 2;  // 3 and 2 of 5
  CHECK(lines_of_walk(along(Coordinate::block_z, 100) + along(Coordinate::loop1) + along(Coordinate::k_begin),
                      schedule) == std::vector<std::int64_t>{0, 1, 2, 103, 104});
}

TEST_CASE("dealt k tiles begin and end within tiles, which are then partial") {
  Schedule schedule = walk({}, 4);
  schedule.grid_m = 3;
  schedule.stream_k = true;  // 15 k tiles for 4 CTAs: the first has 4
  schedule.ctas = 2;         // now 8
  const Layout row = along(Coordinate::block_m, 100) + along(Coordinate::loop1) + along(Coordinate::k_begin) +
                     along(Coordinate::partial, 1000);
  CHECK(lines_of_walk(row, schedule) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 1100, 1101, 1102});
}

TEST_CASE("dealt k tiles may be counted anew in each item, which says how many it has") {
  Schedule schedule = walk({}, 4);
  schedule.grid_m = 3;
  schedule.stream_k = true;
  schedule.restarts_k = true;
  schedule.ctas = 2;  // 8 k tiles: 5 and 3
  const Layout counted = along(Coordinate::block_m, 100) + along(Coordinate::loop1) + along(Coordinate::k_count, 1000);
  CHECK(lines_of_walk(counted, schedule) == std::vector<std::int64_t>{5000, 5001, 5002, 5003, 5004, 3100, 3101, 3102});
  const Layout number = along(Coordinate::block_m, 100) + along(Coordinate::loop1) + along(Coordinate::k_begin);
  CHECK(lines_of_walk(number, schedule) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 100, 101, 102});
}

TEST_CASE("without a loop over items k tiles are those of the CTA's own tile") {
  Schedule schedule = one_tile_a_cta({});
  schedule.grid_z = schedule.splits = 2;
  const Layout row = along(Coordinate::loop0) + along(Coordinate::k_begin, 100) + along(Coordinate::partial, 1000);
  std::get<Loop>(schedule.roles[0].program.body[0]).body = load_of(schedule, row);
  CHECK(lines_of(schedule) == std::vector<std::int64_t>{1000, 1001, 1002});
}

TEST_CASE("a CTA without items walks none and ends") {
  Schedule schedule = walk({}, tiles + 2);
  std::get<Loop>(std::get<Loop>(schedule.roles[0].program.body[0]).body[0]).body = link(schedule);
  const Profile profile = probe_machine();
  const KernelResult result = run(profile, schedule);
  CHECK(result.ctas_done == tiles + 2);
  CHECK(result.roles[0].instructions == tiles * k_tiles);
}

TEST_CASE("a role that is quicker is items ahead of the others") {
  Schedule schedule = walk({});
  std::get<Loop>(std::get<Loop>(schedule.roles[0].program.body[0]).body[0]).body = link(schedule);
  Role quick{"quick", 1, {}};
  quick.program.body = {walking(Walk::items, {Operation{needs(quick.program.token("y")), 1, std::nullopt}})};
  schedule.roles.push_back(quick);
  RunLog log;
  Observer* const observer = &log;
  (void)machine::Machine(probe_machine(), {}, std::span(&observer, 1)).run(std::span(&schedule, 1));
  const Cycle second_item = log.issue("FMA", k_tiles, 0);
  REQUIRE(second_item != Cycle::never());
  CHECK(log.issue("ALU", tiles - 1, 1) < second_item);
}

TEST_CASE("the steady state is the second half of each item's k tiles") {
  const Profile profile = probe_machine();
  Schedule schedule = walk({});
  std::get<Loop>(std::get<Loop>(schedule.roles[0].program.body[0]).body[0]).body = link(schedule);
  const KernelResult result = run(profile, schedule);
  CHECK(result.steady_tiles == tiles * (k_tiles - k_tiles / 2));
  CHECK(result.steady_tile_cycles == result.steady_tiles * profile.pipes.fma.latency.count());
}

}  // namespace gpusim::machine_walk_test
