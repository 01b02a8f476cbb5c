// What goes through registers into shared memory and back.
#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_shared_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t size = 32;
constexpr Token x{0}, c{1};

Matrix before() { return functional::random_matrix(size, size, 1); }

/// What one warp leaves in Y, size x size.
Matrix result(const Probe& probe) {
  Schedule schedule = probe.schedule();
  schedule.buffers = {{"X", size, size, size, DType::fp32}, {"Y", size, size, size, DType::fp32}};
  return functional::execute(schedule, {{"X", before()}, {"Y", Matrix::Zero(size, size)}}).at("Y");
}

Probe with_tokens() {
  Probe probe;
  (void)probe.token("x");
  (void)probe.token("c");
  return probe;
}

/// A row an instruction, an element a lane.
GlobalAccess rows_of(std::int64_t buffer) {
  return {BufferId(buffer), along(Coordinate::repeat), along(Coordinate::lane)};
}
SharedAccess tile_rows() { return {TileId(0), 0, along(Coordinate::repeat), along(Coordinate::lane)}; }

}  // namespace

TEST_CASE("lanes store in order what they loaded: vectors of a row become parts of columns") {
  // LDG.128: lane l takes row l, 4 columns at a time. STS.32: each element into row `column`.
  const GlobalAccess vectors{BufferId(0), along(Coordinate::lane), along(Coordinate::repeat, 4), 4};
  const SharedAccess columns{TileId(0), 0, along(Coordinate::repeat), along(Coordinate::lane)};
  Probe probe = with_tokens().add(LoadGlobal{vectors, x}, size / 4).add(StoreShared{columns, x}, size);
  probe.add(LoadShared{tile_rows(), x}, size).add(StoreGlobal{rows_of(1), x}, size);
  CHECK(result(probe) == before().transpose());
}

TEST_CASE("a computed fragment is stored at its coordinates, whichever lanes computed it") {
  Probe probe = with_tokens().add(LoadGlobal{rows_of(0), c}, size).add(Scale{.c = c, .alpha = 2});
  const SharedAccess other_lanes{TileId(0), 0, along(Coordinate::lane), along(Coordinate::repeat, 4), 4};
  probe.add(StoreShared{other_lanes, c}, size / 4).add(LoadShared{tile_rows(), x}, size);
  CHECK(result(probe.add(StoreGlobal{rows_of(1), x}, size)) == 2 * before());
}

TEST_CASE("an element the fragment does not have is stored as nothing") {
  Probe probe = with_tokens().add(LoadGlobal{rows_of(0), c}, size - 1).add(Scale{.c = c});
  probe.add(StoreShared{tile_rows(), c}, size).add(LoadShared{tile_rows(), x}, size);
  const Matrix after = result(probe.add(StoreGlobal{rows_of(1), x}, size));
  CHECK(after.topRows(size - 1) == before().topRows(size - 1));
  CHECK(after.row(size - 1).array().isNaN().all());
}

TEST_CASE("ldmatrix reads the same elements as LDS, transposed or not") {
  for (const SharedRead how : {SharedRead::lds, SharedRead::ldmatrix, SharedRead::ldmatrix_trans}) {
    const GlobalAccess half{BufferId(0), along(Coordinate::repeat), along(Coordinate::lane), 1};
    Probe probe = with_tokens().add(LoadGlobal{half, x}, size).add(StoreShared{tile_rows(), x}, size);
    const SharedAccess chunks{TileId(0), 0, along(Coordinate::lane), along(Coordinate::repeat, 8), 8};
    probe.add(LoadShared{chunks, x, how}, size / 8).add(StoreGlobal{rows_of(1), x}, size);
    Schedule schedule = probe.schedule();
    schedule.buffers = {{"X", size, size, size, DType::fp16}, {"Y", size, size, size, DType::fp16}};
    schedule.shared_tiles = {{"tile", size, size, DType::fp16, 1, Bytes(64), Swizzle::bytes64}};
    CHECK(functional::execute(schedule, {{"X", before()}, {"Y", Matrix::Zero(size, size)}}).at("Y") == before());
  }
}

TEST_CASE("a fragment set to zeros is zero until something is added") {
  Probe probe = with_tokens().add(LoadGlobal{rows_of(0), c}, size).add(Arithmetic{.writes = c});
  CHECK((result(Probe(probe).add(StoreGlobal{rows_of(1), c}, size)).array() == 0).all());
  probe.add(LoadGlobal{rows_of(0), x}, 1).add(Scale{.c = c, .source = x, .alpha = 1, .beta = 1});
  const Matrix after = result(probe.add(StoreGlobal{rows_of(1), c}, size));
  CHECK(after.row(0) == before().row(0));
  CHECK((after.bottomRows(size - 1).array() == 0).all());
}

}  // namespace gpusim::functional_shared_test
