// Arithmetic element by element, within rows and between lanes, and stores that move coordinates.
#include <doctest/doctest.h>

#include <cmath>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_elements_test {

using functional::Matrix;
using testing::Probe;

namespace {

constexpr std::int64_t rows = 4;
constexpr std::int64_t columns = 32;
constexpr Token x{0}, y{1}, z{2};

Matrix before() { return functional::random_matrix(rows, columns, 1); }

Probe with_tokens() {
  Probe probe;
  for (const char* const name : {"x", "y", "z"}) (void)probe.token(name);
  return probe;
}

/// A row an instruction, an element a lane.
GlobalAccess rows_of(std::int64_t buffer) {
  return {BufferId(buffer), along(Coordinate::repeat), along(Coordinate::lane)};
}

Probe loaded() { return with_tokens().add(LoadGlobal{rows_of(0), x, false, {}, {}}, rows); }

/// What one warp leaves in Y.
Matrix result(const Probe& probe) {
  Schedule schedule = probe.schedule();
  schedule.buffers = {{"X", rows, columns, columns, DType::fp32}, {"Y", columns, columns, columns, DType::fp32}};
  return functional::execute(schedule, {{"X", before()}, {"Y", Matrix::Zero(columns, columns)}}).at("Y");
}
Matrix stored(Probe probe, Token token) {
  return result(probe.add(StoreGlobal{.to = rows_of(1), .from = token}, rows));
}

constexpr Dealing a_lane_each{1, columns};

}  // namespace

TEST_CASE("a map combines, adds its term and then applies its function") {
  const Map map{.into = y, .a = x, .b = x, .alpha = 2, .beta = 3, .term = 1, .function = Function::square};
  const Matrix after = stored(loaded().add(map), y);
  CHECK(after.topRows(rows) == Matrix((5 * before().array() + 1).square()));
}

TEST_CASE("a map of zeros is what its function makes of 0") {
  const Matrix after = stored(with_tokens()
                                  .add(Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = x, .overhead = false})
                                  .add(Map{.into = x, .a = x, .term = 7}),
                              x);
  CHECK(after.topRows(rows) == Matrix::Constant(rows, columns, 7));
}

TEST_CASE("a column's element meets all rows") {
  const Matrix after = stored(loaded().add(Map{.into = y, .a = x, .b = x, .b_from = BroadcastFrom::column}), y);
  CHECK(after.topRows(rows) == Matrix(before().rowwise() + before().row(0)));
}

TEST_CASE("elements beyond the bound and the diagonal are minus infinity") {
  Matrix after = stored(loaded().add(Map{.into = y, .a = x, .columns = Layout(20)}), y);
  CHECK(after(1, 19) == before()(1, 19));
  CHECK(after(1, 20) == -INFINITY);
  after = stored(loaded().add(Map{.into = y, .a = x, .diagonal = Layout(2)}), y);
  CHECK(after(1, 3) == before()(1, 3));
  CHECK(after(1, 4) == -INFINITY);
}

TEST_CASE("lanes that reduce and shuffle know their row's sum") {
  Probe probe = loaded().add(Reduce{.into = y, .from = x, .dealing = a_lane_each});
  for (int distance = 16; distance >= 1; distance /= 2)
    probe.add(Shuffle{.into = z, .from = y, .distance = distance}).add(Map{.into = y, .a = y, .b = z});
  probe.add(Map{.into = x, .a = x, .b = y, .b_from = BroadcastFrom::row, .dealing = a_lane_each});
  CHECK(stored(probe, x).topRows(rows) == Matrix(before().colwise() + before().rowwise().sum()));
}

TEST_CASE("a reduction that keeps goes on from what was there, and otherwise begins anew") {
  const Reduce maximum{.into = y, .from = x, .reduction = Reduction::maximum, .dealing = {columns, 1}};
  Reduce kept = maximum;
  kept.keep = true;
  const auto first_column = [](const Probe& probe) {
    const GlobalAccess column{BufferId(1), along(Coordinate::lane), 0, 1, Bound{along(Coordinate::lane), rows}};
    Probe storing = probe;
    return Matrix(result(storing.add(StoreGlobal{.to = column, .from = y})).col(0).head(rows));
  };
  const Matrix maxima = before().rowwise().maxCoeff();
  CHECK(first_column(loaded().add(maximum)) == maxima);
  Probe lowered = loaded().add(maximum).add(Map{.into = y, .a = y, .term = 100});
  CHECK(first_column(lowered.add(kept)) == Matrix(maxima.array() + 100));
}

TEST_CASE("without the shuffles a lane has its own elements only") {
  Probe probe = loaded().add(Reduce{.into = y, .from = x, .dealing = a_lane_each});
  probe.add(Map{.into = x, .a = x, .b = y, .b_from = BroadcastFrom::row, .dealing = a_lane_each});
  CHECK(stored(probe, x).topRows(rows) == 2 * before());
}

TEST_CASE("a term that its source has of some elements is added to those") {
  GlobalAccess every_second = rows_of(0);
  every_second.row = along(Coordinate::repeat, 2);
  Scale scale;
  scale.c = x;
  scale.source = y;
  scale.alpha = 2;
  scale.beta = 3;
  const Matrix added =
      stored(loaded().add(LoadGlobal{every_second, y, false, {}, {}}, rows / 2).add(scale), x).topRows(rows);
  for (Eigen::Index row = 0; row < rows; ++row)
    CHECK(added.row(row).isApprox((row % 2 == 0 ? 5 : 2) * before().row(row)));
}

TEST_CASE("of a source that was read from elsewhere nothing is known") {
  GlobalAccess elsewhere = rows_of(1);
  elsewhere.row = along(Coordinate::repeat) + rows;
  Scale scale;
  scale.c = x;
  scale.source = y;
  scale.beta = 1;
  const Matrix added = stored(loaded().add(LoadGlobal{elsewhere, y, false, {}, {}}, rows).add(scale), x).topRows(rows);
  CHECK(added.array().isNaN().all());
}

TEST_CASE("a store's origin moves its elements") {
  GlobalAccess below = rows_of(1);
  below.row += 8;
  const Matrix after =
      result(loaded().add(Map{.into = x, .a = x}).add(StoreGlobal{.to = below, .from = x, .origin_row = 8}, rows));
  CHECK(after.middleRows(8, rows) == before());
}

TEST_CASE("lanes that store in order turn a row into a column, from memory and from shared memory") {
  const GlobalAccess down{BufferId(1), along(Coordinate::lane), along(Coordinate::repeat)};
  const StoreGlobal turned{.to = down, .from = x, .by_lane = true};
  CHECK(result(loaded().add(turned, rows)).leftCols(rows) == before().transpose());
  const SharedAccess tile{TileId(0), 0, along(Coordinate::repeat), along(Coordinate::lane)};
  Probe probe = loaded().add(StoreShared{tile, x, {}, {}}, rows).add(LoadShared{tile, x}, rows);
  CHECK(result(probe.add(turned, rows)).leftCols(rows) == before().transpose());
}

}  // namespace gpusim::functional_elements_test
