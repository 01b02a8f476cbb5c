#include <doctest/doctest.h>

#include "support/cluster_programs.h"

namespace gpusim::schedule_walk_check_test {

using testing::Probe;

namespace {

std::string first_problem(const Schedule& schedule) {
  const std::vector<Problem> problems = check(schedule);
  return problems.empty() ? "" : problems.front().where + ": " + problems.front().what;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One operation in a walk over k tiles in a walk over work items: five tiles of four k tiles, two CTAs.
Schedule walking(Action action = CtaBarrier{}, std::optional<Bound> guard = {}) {
  Probe probe;
  (void)probe.token("x");
  Schedule schedule = probe.schedule(4, 5);
  schedule.ctas = 2;
  schedule.k_tiles = 4;
  Loop k{.trips = 4, .body = {Operation{std::move(action), 1, std::move(guard)}}, .walk = Walk::k_tiles};
  schedule.roles[0].program.body = {Loop{.trips = 3, .body = {std::move(k)}, .walk = Walk::items}};
  return schedule;
}

Loop& items_of(Schedule& schedule) { return std::get<Loop>(schedule.roles[0].program.body[0]); }
Loop& k_tiles_of(Schedule& schedule) { return std::get<Loop>(items_of(schedule).body[0]); }

/// What is wrong with the walk changed so.
template <class Change>
std::string refusal(const Change& change) {
  Schedule schedule = walking();
  change(schedule);
  return first_problem(schedule);
}

}  // namespace

TEST_CASE("a sound walk is taken, with more trips than any CTA makes, too") {
  CHECK(refusal([](Schedule&) {}).empty());
  CHECK(refusal([](Schedule& s) { items_of(s).trips = 100; }).empty());
  CHECK(refusal([](Schedule& s) {
          s.stream_k = true;
          items_of(s).trips = 4;
        }).empty());
}

TEST_CASE("the trips of a walk are at least what any CTA makes") {
  CHECK(refusal([](Schedule& s) { items_of(s).trips = 2; }) ==
        "/roles/0/program/body/0: the trips of a walk are the most that it makes: at least 3, not 2");
  CHECK(refusal([](Schedule& s) { k_tiles_of(s).trips = 3; }) ==
        "/roles/0/program/body/0/body/0: the trips of a walk are the most that it makes: at least 4, not 3");
}

TEST_CASE("items are taken in turns that there are, and nothing else is") {
  CHECK(refusal([](Schedule& s) { items_of(s).turns = 2, items_of(s).turn = 1; }).empty());
  CHECK(refusal([](Schedule& s) { items_of(s).turns = 2, items_of(s).turn = 2; }) ==
        "/roles/0/program/body/0: of 2 turns there is none of number 2; they are numbered from 0");
  CHECK(contains(refusal([](Schedule& s) { items_of(s).turns = 0; }), "of 0 turns there is none of number 0"));
  CHECK(contains(refusal([](Schedule& s) { items_of(s).turns = 65; }), "items are taken in at most 64 turns"));
  CHECK(contains(refusal([](Schedule& s) { k_tiles_of(s).turns = 2; }), "only work items are taken in turns"));
}

TEST_CASE("work items are walked once and outermost, k tiles within them") {
  CHECK(contains(refusal([](Schedule& s) { k_tiles_of(s).walk = Walk::items; }), "is an outermost loop"));
  CHECK(contains(refusal([](Schedule& s) {
                   auto& body = s.roles[0].program.body;
                   body.emplace_back(Statement(body[0]));
                 }),
                 "walks over its CTA's work items once"));
  CHECK(contains(refusal([](Schedule& s) { items_of(s).walk = Walk::none; }),
                 "an outermost loop, or directly within the walk over work items"));
  CHECK(contains(refusal([](Schedule& s) {
                   auto& body = s.roles[0].program.body;
                   body[0] = Loop(std::get<Loop>(std::get<Loop>(body[0]).body[0]));
                 }),
                 "k tiles only within the walk over their work items"));
  CHECK(contains(refusal([](Schedule& s) { s.k_tiles = 0; }), "the schedule's k_tiles is 0"));
}

TEST_CASE("CTAs that walk have a place in the grid only in the walk") {
  CHECK(refusal([](Schedule& s) {
          k_tiles_of(s).body[0] = Operation{CtaBarrier{}, 1, Bound{along(Coordinate::block_m), 2}};
        }).empty());
  CHECK(
      contains(refusal([](Schedule& s) {
                 s.roles[0].program.body.emplace_back(Operation{CtaBarrier{}, 1, Bound{along(Coordinate::block_m), 2}});
               }),
               "the guard depends on block_m outside such a loop"));
}

TEST_CASE("a walk's k tiles are counted over all items, and may be before the first") {
  SharedAccess row = testing::one_wavefront(along(Coordinate::loop1));
  CHECK(first_problem(walking(LoadShared{row, Token(0)})).empty());  // 3 items of 4 k tiles, of 32 rows
  row.row = along(Coordinate::loop1) + 21;
  CHECK(contains(first_problem(walking(LoadShared{row, Token(0)})), "runs from 21 to 32"));
  row.row = along(Coordinate::k_begin, 1, 2) + 16;
  CHECK(contains(first_problem(walking(LoadShared{row, Token(0)})), "divides k_begin, which may be negative"));
  row.row = along(Coordinate::partial, 32);
  CHECK(contains(first_problem(walking(LoadShared{row, Token(0)})), "runs from 0 to 32"));
}

TEST_CASE("clusters with a shape divide themselves and the grid") {
  Schedule schedule = testing::cluster_schedule();
  schedule.grid_m = 4;
  schedule.grid_n = 6;
  schedule.cluster = 8;
  schedule.cluster_m = 3;
  CHECK(first_problem(schedule) == "/cluster_m: a cluster of 8 CTAs cannot have 3 along m; it can have 2");
  schedule.cluster_m = 2;
  CHECK(first_problem(schedule) ==
        "/cluster_m: clusters of 2 x 4 CTAs do not divide a grid of 4 x 6; they divide one of 4 x 8");
  schedule.cluster_m = 4;
  CHECK(first_problem(schedule).empty());
}

TEST_CASE("slices divide the layers; CTAs that walk are whole clusters") {
  CHECK(refusal([](Schedule& s) {
          s.grid_z = 6;
          s.splits = 4;
        }) == "/splits: 4 slices of k do not divide 6 layers of tiles; 3 do");
  CHECK(refusal([](Schedule& s) {
          s.grid_m = 6;
          s.cluster = s.cluster_m = 3;
          s.ctas = 8;
        }) == "/ctas: 8 CTAs are not whole clusters of 3; 6 are");
  CHECK(contains(refusal([](Schedule& s) { s.ctas = 100'000; }), "it must be 0 to 65536"));
  CHECK(contains(refusal([](Schedule& s) { s.group = 0; }), "/group: "));
}

TEST_CASE("what would be ignored is refused") {
  CHECK(contains(refusal([](Schedule& s) {
                   s.ctas = 0;
                   s.consecutive = true;
                 }),
                 "/consecutive: only CTAs that walk"));
  CHECK(contains(refusal([](Schedule& s) { s.restarts_k = true; }), "/restarts_k: only where k tiles are dealt"));
  const auto streaming = [](const auto& change) {
    return refusal([&](Schedule& s) {
      s.stream_k = true;
      items_of(s).trips = 4;
      change(s);
    });
  };
  CHECK(contains(streaming([](Schedule& s) { s.ctas = 0; }), "/stream_k: k tiles are dealt to a number of CTAs"));
  CHECK(contains(streaming([](Schedule& s) { s.grid_z = s.splits = 2; }), "splits is 2; it must be 1"));
  CHECK(contains(streaming([](Schedule& s) {
                   s.grid_m = 6;
                   s.cluster = 2;
                 }),
                 "cluster is 2; it must be 1"));
  CHECK(contains(streaming([](Schedule& s) { s.consecutive = true; }), "/consecutive: "));
  CHECK(contains(streaming([](Schedule& s) { s.k_tiles = 0; }), "there are no k tiles to deal"));
}

TEST_CASE("sizes that would overflow are refused") {
  CHECK(refusal([](Schedule& s) { s.grid_m = s.grid_n = s.grid_z = 2'000'000'000; }) ==
        "/grid_m: grid_m x grid_n x grid_z are more than 2^47 tiles");
  CHECK(contains(refusal([](Schedule& s) {
                   s.grid_m = s.k_tiles = 2'000'000'000;
                   s.stream_k = true;
                 }),
                 "more than 2^47 k tiles to deal"));
}

TEST_CASE("a grid barrier stands outside of walks, for all warps of a CTA") {
  CHECK(contains(first_problem(walking(GridBarrier{})), "a grid barrier may not stand in one"));
  Probe probe;
  probe.add(GridBarrier{}, 1, Bound{along(Coordinate::warp), 1});
  CHECK(contains(first_problem(probe.schedule(2, 2)), "its guard may not depend on warp"));
}

TEST_CASE("setmaxnreg gives 24 to 256 registers in steps of 8, to all warps of the role") {
  const auto given = [](int registers, std::optional<Bound> guard = {}) {
    Probe probe;
    probe.add(RegisterReallocate{registers}, 1, std::move(guard));
    return first_problem(probe.schedule(4));
  };
  CHECK(given(240).empty());
  CHECK(contains(given(100), "not 100; 96 would do"));
  CHECK(contains(given(16), "not 16; 24 would do"));
  CHECK(contains(given(264), "not 264; 256 would do"));
  CHECK(contains(given(240, Bound{along(Coordinate::warp), 1}), "the guard may not depend on warp"));
}

}  // namespace gpusim::schedule_walk_check_test
