// Loops over a CTA's work items and their k tiles, executed on numbers: every program adds up k tiles of rows of X.
#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_walk_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t rows = 5, k_tiles = 3, lanes = 32;
constexpr Token c{0}, x{1};

GlobalAccess row_of(std::int64_t buffer, const Layout& layer = 0) {
  GlobalAccess access{BufferId(buffer), along(Coordinate::block_m), along(Coordinate::lane)};
  access.layer = layer;
  return access;
}

/// The k tile that a loop of this depth stands at, its columns counted from its own first.
LoadGlobal k_tile(Coordinate loop) {
  LoadGlobal load{row_of(0), x};
  load.from.column += along(loop, lanes) + along(Coordinate::k_begin, lanes);
  load.origin_column = along(loop, lanes);
  return load;
}
Scale added() { return {.c = c, .source = x, .alpha = 1, .beta = 1}; }

Loop k_loop(Coordinate loop) {
  return {rows * k_tiles, {Operation{k_tile(loop)}, Operation{added()}}, true, Walk::k_tiles};
}

/// For each work item: zeros, its k tiles, and the sum to where `store` says.
std::vector<Statement> item_body(const Action& store, Coordinate loop = Coordinate::loop1) {
  return {Operation{Arithmetic{.writes = c}}, k_loop(loop), Operation{store}};
}

Schedule schedule_of(std::vector<Statement> body, std::int64_t ctas) {
  Program program;
  (void)program.token("c");
  (void)program.token("x");
  program.body = std::move(body);
  Schedule schedule = testing::probe_schedule({{"worker", 1, std::move(program)}});
  schedule.buffers = {{"X", rows, k_tiles * lanes, k_tiles * lanes, DType::fp32},
                      {"Y", rows, lanes, lanes, DType::fp32}};
  schedule.grid_m = rows;
  schedule.ctas = ctas;
  schedule.k_tiles = k_tiles;
  return schedule;
}

Schedule persistent(const Action& store, std::int64_t ctas) {
  return schedule_of({Loop{rows, item_body(store), false, Walk::items}}, ctas);
}

Matrix before() { return functional::random_matrix(rows, k_tiles * lanes, 1); }
Matrix sums(std::int64_t first = 0, std::int64_t tiles = k_tiles) {
  Matrix sum = Matrix::Zero(rows, lanes);
  for (std::int64_t tile = first; tile < first + tiles; ++tile) sum += before().middleCols(tile * lanes, lanes);
  return sum;
}
Matrix result(const Schedule& schedule) {
  const std::int64_t layers = schedule.buffers[1].layers;
  return functional::execute(schedule, {{"X", before()}, {"Y", Matrix::Zero(layers * rows, lanes)}}).at("Y");
}

}  // namespace

TEST_CASE("CTAs that walk the tiles do all of them, however many CTAs there are") {
  for (const std::int64_t ctas : {1, 2, 3, 5})
    for (const bool consecutive : {false, true}) {
      Schedule schedule = persistent(StoreGlobal{row_of(1), c}, ctas);
      schedule.consecutive = consecutive;
      CHECK(result(schedule) == sums());
    }
}

TEST_CASE("a CTA that does not walk has its own tile's k tiles") {
  CHECK(result(schedule_of(item_body(StoreGlobal{row_of(1), c}, Coordinate::loop0), 0)) == sums());
}

TEST_CASE("each slice of k has its own tiles, the last one fewer") {
  constexpr std::int64_t splits = 2;
  Schedule schedule =
      schedule_of(item_body(StoreGlobal{row_of(1, along(Coordinate::block_z)), c}, Coordinate::loop0), 0);
  schedule.grid_z = splits;
  schedule.splits = splits;
  schedule.buffers[1].layers = splits;
  const Matrix after = result(schedule);
  CHECK(after.topRows(rows) == sums(0, 2));
  CHECK(after.bottomRows(rows) == sums(2, 1));
}

TEST_CASE("roles that take items in turns do them all, each its own") {
  Schedule schedule = persistent(StoreGlobal{row_of(1), c}, 2);
  Role other = schedule.roles[0];
  other.name = "other";
  schedule.roles.push_back(other);
  for (std::int64_t turn : {0, 1}) {
    Loop& items = std::get<Loop>(schedule.roles[static_cast<std::size_t>(turn)].program.body[0]);
    items.turns = 2;
    items.turn = turn;
  }
  CHECK(result(schedule) == sums());
  schedule.roles.pop_back();
  CHECK(result(schedule) != sums());
}

TEST_CASE("k tiles dealt evenly to CTAs add up with atomics") {
  for (const std::int64_t ctas : {2, 3, 4, 7}) {
    Schedule schedule = persistent(AtomicAdd{row_of(1), c}, ctas);
    schedule.stream_k = true;
    CHECK(result(schedule) == sums());
  }
}

TEST_CASE("partial says whether other CTAs have the rest of k") {
  // 15 k tiles, three a row, for 4 CTAs: 4 + 4 + 4 + 3. One CTA has all of rows 0 (k tiles 0 to 2), 3 (9 to 11) and 4.
  Schedule schedule = persistent(StoreGlobal{row_of(1), c}, 4);
  schedule.stream_k = true;
  auto& loop = std::get<Loop>(schedule.roles[0].program.body[0]);
  std::get<Operation>(loop.body.back()).guard = Bound{along(Coordinate::partial), 1};
  const Matrix after = result(schedule);
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool whole = row != 1 && row != 2;
    CHECK(after.row(row) == (whole ? Matrix(sums().row(row)) : Matrix::Zero(1, lanes)));
  }
}

TEST_CASE("the index of k tiles goes on counting from item to item") {
  Schedule schedule = persistent(StoreGlobal{row_of(1), c}, 1);
  auto& items = std::get<Loop>(schedule.roles[0].program.body[0]);
  auto& tiles = std::get<Loop>(items.body[1]);
  std::get<Operation>(tiles.body[1]).guard = Bound{along(Coordinate::loop1), k_tiles + 1};
  const Matrix after = result(schedule);
  CHECK(after.row(0) == sums().row(0));
  CHECK(after.row(1) == sums(0, 1).row(1));
  CHECK((after.bottomRows(rows - 2).array() == 0).all());
}

TEST_CASE("accumulators that are not zeroed between items are caught") {
  Schedule schedule = persistent(StoreGlobal{row_of(1), c}, 1);
  auto& items = std::get<Loop>(schedule.roles[0].program.body[0]);
  items.body.erase(items.body.begin());
  const Matrix after = result(schedule);
  CHECK(after.row(0) == sums().row(0));
  CHECK(after.row(1) != sums().row(1));
}

TEST_CASE("a load without its origin puts the elements elsewhere") {
  Schedule schedule = persistent(StoreGlobal{row_of(1), c}, rows);
  auto& items = std::get<Loop>(schedule.roles[0].program.body[0]);
  auto& tiles = std::get<Loop>(items.body[1]);
  std::get<LoadGlobal>(std::get<Operation>(tiles.body[0]).action).origin_column = 0;
  CHECK(result(schedule).array().isNaN().all());
}

}  // namespace gpusim::functional_walk_test
