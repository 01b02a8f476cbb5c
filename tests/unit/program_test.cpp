#include "gpusim/program.h"

#include <doctest/doctest.h>

using namespace gpusim;

namespace {

void append(std::vector<Statement>& body, Action action, std::int64_t count, std::optional<Bound> guard = {}) {
  body.emplace_back(Operation{std::move(action), count, std::move(guard)});
}

Coordinates of_warp(std::int64_t warp) {
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::warp)] = warp;
  return at;
}

}  // namespace

TEST_CASE("loops and counts are expanded when instructions are counted") {
  Program program;
  append(program.body, CommitGroup{}, 2);
  Loop inner{5, {}};
  append(inner.body, Arithmetic{}, 3);
  Loop outer{7, {}};
  append(outer.body, CtaBarrier{}, 1);
  outer.body.emplace_back(inner);
  program.body.emplace_back(outer);
  CHECK(instruction_count(program) == 2 + 7 * (1 + 5 * 3));
}

TEST_CASE("a guard on the loop counts the trips at which it holds") {
  Program program;
  Loop loop{10, {}};
  append(loop.body, CommitGroup{}, 4, Bound{along(Coordinate::loop0) + 3, 10});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 4 * (10 - 3));
}

TEST_CASE("a guard that comes and goes with the loop is counted trip by trip") {
  Program program;
  Loop loop{10, {}};
  append(loop.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0, 1, 1, 4), 1});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 3);  // trips 0, 4, 8
}

TEST_CASE("a guard on two loops at once is counted over both") {
  Program program;
  Loop inner{4, {}};
  append(inner.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0) + along(Coordinate::loop1), 3});
  Loop outer{4, {}};
  outer.body.emplace_back(inner);
  program.body.emplace_back(outer);
  CHECK(instruction_count(program) == 3 + 2 + 1);
}

TEST_CASE("two billion trips are counted without walking them") {
  Program program;
  Loop loop{2'000'000'000, {}};
  append(loop.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0), 1'999'999'999});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 1'999'999'999);
}

TEST_CASE("a guard on the warp holds for some warps only") {
  Program program;
  append(program.body, CommitGroup{}, 6, Bound{along(Coordinate::warp), 4});
  CHECK(instruction_count(program, of_warp(3)) == 6);
  CHECK(instruction_count(program, of_warp(4)) == 0);
}

TEST_CASE("actions are listed under the names assembly has for them") {
  CHECK(name(Action(LoadGlobal{})) == "LDG");
  CHECK(name(Action(CopyAsync{})) == "LDGSTS");
  CHECK(name(Action(Multiply{.pipe = Pipe::fma})) == "FFMA");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor})) == "HMMA");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor, .input = DType::int8})) == "IMMA");
}

TEST_CASE("a listing has one operation a line, loops indented, layouts in readable form") {
  Program program;
  const Token a = program.token("a");
  Loop loop{3, {}, true};
  append(loop.body,
         LoadShared{{TileId(1),
                     along(Coordinate::loop0, 1, 1, 4, 3),
                     along(Coordinate::lane, 1, 4) + 8,
                     along(Coordinate::lane, 2, 1, 4),
                     2,
                     {}},
                    a},
         4);
  append(loop.body, CtaBarrier{}, 1, Bound{along(Coordinate::warp), 2});
  program.body.emplace_back(loop);
  CHECK(to_string(program) ==
        "for loop0 < 3:  ; a k tile a trip\n"
        "     4 x LDS          a, tile1{(loop0 + 3)%4}[lane/4 + 8, 2*(lane%4)] x2\n"
        "         BAR  ; if warp < 2\n");
}
