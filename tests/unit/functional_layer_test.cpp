// Buffers of several layers, executed on numbers.
#include <doctest/doctest.h>

#include <cmath>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_layer_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t layers = 3, rows = 2, lanes = 32;
constexpr Token x{0};

const Layout this_layer = along(Coordinate::block_z);
const Layout next_layer = along(Coordinate::block_z, 1, 1, layers, 1);

GlobalAccess rows_of(std::int64_t buffer, const Layout& layer) {
  GlobalAccess access{BufferId(buffer), along(Coordinate::repeat), along(Coordinate::lane)};
  access.layer = layer;
  return access;
}

Probe with_token() {
  Probe probe;
  (void)probe.token("x");
  return probe;
}

/// A CTA for each layer of X and Y; what it leaves in Y.
Matrix result(const Probe& probe) {
  Schedule schedule = probe.schedule();
  schedule.grid_z = layers;
  schedule.buffers = {{"X", rows, lanes, lanes, DType::fp32}, {"Y", rows, lanes, lanes, DType::fp32}};
  for (Buffer& buffer : schedule.buffers) buffer.layers = layers;
  const Memory before{{"X", functional::random_matrix(layers * rows, lanes, 1)},
                      {"Y", Matrix::Zero(layers * rows, lanes)}};
  return functional::execute(schedule, before).at("Y");
}

/// X, each layer moved on by one.
Matrix rotated() {
  const Matrix x_before = functional::random_matrix(layers * rows, lanes, 1);
  Matrix moved(layers * rows, lanes);
  moved.bottomRows((layers - 1) * rows) = x_before.topRows((layers - 1) * rows);
  moved.topRows(rows) = x_before.bottomRows(rows);
  return moved;
}

}  // namespace

TEST_CASE("loads, stores and atomics find their layer") {
  const LoadGlobal load{rows_of(0, this_layer), x};
  CHECK(result(with_token().add(load, rows).add(StoreGlobal{rows_of(1, next_layer), x}, rows)) == rotated());
  CHECK(result(with_token().add(load, rows).add(AtomicAdd{rows_of(1, next_layer), x, {}}, rows)) == rotated());
}

TEST_CASE("a row past the end of a layer is outside, not the next layer's first") {
  LoadGlobal beyond{.from = rows_of(0, this_layer), .into = x, .origin_row = rows};
  beyond.from.row += rows;
  CHECK((result(with_token().add(beyond).add(StoreGlobal{rows_of(1, this_layer), x})).array() == 0).all());
}

TEST_CASE("asynchronous and bulk copies find their layer") {
  const SharedAccess tile{TileId(0), 0, along(Coordinate::repeat), along(Coordinate::lane)};
  const StoreGlobal store{rows_of(1, next_layer), x};
  Probe probe = with_token();
  probe.add(CopyAsync{rows_of(0, this_layer), tile}, rows).add(CommitGroup{}).add(WaitGroup{});
  CHECK(result(probe.add(LoadShared{tile, x}, rows).add(store, rows)) == rotated());

  BulkCopy copy = testing::bulk_lines(0, rows, testing::full());
  copy.layer = this_layer;
  Probe bulk = with_token();
  bulk.add(BarrierArrive{testing::full(), Bytes(rows * lanes * 4), {}}).add(copy).add(BarrierWait{testing::full(), 0});
  CHECK(result(bulk.add(LoadShared{tile, x}, rows).add(store, rows)) == rotated());
}

TEST_CASE("a bulk store finds its layer") {
  const SharedAccess tile{TileId(0), 0, along(Coordinate::repeat), along(Coordinate::lane)};
  BulkStore store{.tile = TileId(0), .rows = rows, .columns = lanes, .buffer = BufferId(1)};
  store.layer = next_layer;
  Probe probe = with_token();
  probe.add(LoadGlobal{rows_of(0, this_layer), x}, rows).add(StoreShared{tile, x}, rows);
  CHECK(result(probe.add(store).add(BulkCommit{}).add(BulkWait{})) == rotated());
}

TEST_CASE("a memory without all layers of a buffer is refused") {
  Schedule schedule = with_token().schedule();
  schedule.buffers = {{"X", rows, lanes, lanes, DType::fp32}};
  schedule.buffers[0].layers = layers;
  CHECK_THROWS_WITH_AS(static_cast<void>(functional::execute(schedule, {{"X", Matrix::Zero(rows, lanes)}})),
                       "X: the buffer is 6 x 32, the matrix given 2 x 32", ScheduleError);
}

}  // namespace gpusim::functional_layer_test
