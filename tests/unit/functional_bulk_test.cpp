// Bulk stores and multicast copies, executed on numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_bulk_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t rows = 4, lanes = 32;
constexpr Token x{0}, other{1};

GlobalAccess rows_of(std::int64_t buffer, const Layout& first = 0) {
  return {BufferId(buffer), first + along(Coordinate::repeat), along(Coordinate::lane)};
}
SharedAccess tile_rows(const Layout& first = 0) {
  return {TileId(0), 0, first + along(Coordinate::repeat), along(Coordinate::lane)};
}
BulkStore stored(std::int64_t count = rows) {
  return {.tile = TileId(0), .rows = count, .columns = lanes, .buffer = BufferId(1)};
}

Probe with_tokens() {
  Probe probe;
  (void)probe.token("x");
  (void)probe.token("other");
  return probe;
}
/// X lies in the tile.
Probe with_tile() { return with_tokens().add(LoadGlobal{rows_of(0), x}, rows).add(StoreShared{tile_rows(), x}, rows); }

Matrix x_before(std::int64_t count = rows) { return functional::random_matrix(count, lanes, 1); }

/// What one CTA leaves in Y, which begins as ones.
Matrix result(const Probe& probe, std::int64_t columns = lanes) {
  Schedule schedule = probe.schedule();
  schedule.buffers = {{"X", rows, lanes, lanes, DType::fp32}, {"Y", rows, columns, lanes, DType::fp32}};
  return functional::execute(schedule, {{"X", x_before()}, {"Y", Matrix::Ones(rows, columns)}}).at("Y");
}

/// Four CTAs in a cluster of two by two: each brings a row of X and delivers it; what is then in each one's tile.
/// Row r of a CTA's tile is that of rank r's copy.
Matrix delivered(Multicast multicast, std::int64_t expected_rows, bool wait = true) {
  constexpr std::int64_t ctas = 4;
  const Layout rank = along(Coordinate::block_m, 2) + along(Coordinate::block_n);
  BulkCopy copy = testing::bulk_lines(rank, 1, testing::full());
  copy.tile_row = rank;
  copy.multicast = multicast;
  Probe probe = with_tokens();
  probe.add(BarrierArrive{testing::full(), Bytes(expected_rows * lanes * 4), {}}).add(copy).add(ClusterBarrier{});
  if (wait) probe.add(BarrierWait{testing::full(), 0});
  probe.add(LoadShared{tile_rows(), x}, ctas).add(StoreGlobal{rows_of(1, rank * ctas), x}, ctas).add(ClusterBarrier{});
  Schedule schedule = probe.schedule();
  schedule.grid_m = 2;
  schedule.grid_n = 2;
  schedule.cluster = ctas;
  schedule.cluster_m = 2;
  schedule.buffers = {{"X", ctas, lanes, lanes, DType::fp32}, {"Y", ctas * ctas, lanes, lanes, DType::fp32}};
  return functional::execute(schedule, {{"X", x_before(ctas)}, {"Y", Matrix::Zero(ctas * ctas, lanes)}}).at("Y");
}

/// Whether the CTA of rank `to` got exactly these ranks' rows.
bool got(const Matrix& tiles, std::int64_t to, const std::vector<std::int64_t>& from) {
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    const auto row = tiles.row(to * 4 + rank);
    const bool is_there = std::find(from.begin(), from.end(), rank) != from.end();
    if (is_there ? row != x_before().row(rank) : !row.array().isNaN().all()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a bulk store moves a box of the tile to the buffer") {
  CHECK(result(with_tile().add(stored()).add(BulkCommit{}).add(BulkWait{})) == x_before());
  BulkStore part = stored(2);
  part.tile_row = 1;
  part.row = 2;
  const Matrix after = result(with_tile().add(part).add(BulkCommit{}).add(BulkWait{}));
  CHECK((after.topRows(2).array() == 1).all());
  CHECK(after.bottomRows(2) == x_before().middleRows(1, 2));
}

TEST_CASE("what of a bulk store's box lies outside the buffer is left out") {
  BulkStore low = stored();
  low.row = 3;
  low.column = 30;
  const Matrix after = result(with_tile().add(low).add(BulkCommit{}).add(BulkWait{}), 31);
  CHECK(after(3, 30) == x_before()(0, 0));
  CHECK((after.topRows(3).array() == 1).all());
  CHECK((after.row(3).head(30).array() == 1).all());
}

TEST_CASE("a bulk store that reduces adds to what is there") {
  BulkStore adding = stored();
  adding.reduce = true;
  CHECK(result(with_tile().add(adding).add(BulkCommit{}).add(adding).add(BulkCommit{})) ==
        2 * x_before() + Matrix::Ones(rows, lanes));
}

TEST_CASE("a tile overwritten before the wait is nothing to rely on") {
  // Row 0 becomes X's row 1.
  const auto overwriting = [](bool waits_before) {
    Probe probe = with_tile().add(LoadGlobal{rows_of(0, 1), other}).add(stored()).add(BulkCommit{});
    if (waits_before) probe.add(BulkWait{});
    return result(probe.add(StoreShared{tile_rows(), other}).add(BulkWait{}));
  };
  CHECK(overwriting(true) == x_before());
  const Matrix after = overwriting(false);
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    CHECK(std::isnan(after(0, lane)) == (x_before()(0, lane) != x_before()(1, lane)));
  CHECK(after.bottomRows(rows - 1) == x_before().bottomRows(rows - 1));
}

TEST_CASE("a tile overwritten after a wait for too few groups is nothing to rely on") {
  const auto waiting_for_all_but = [](int pending) {
    Probe probe = with_tile().add(LoadGlobal{rows_of(0, 1), other}).add(stored()).add(BulkCommit{});
    return result(probe.add(BulkCommit{}).add(BulkWait{pending}).add(StoreShared{tile_rows(), other}));
  };
  CHECK(waiting_for_all_but(1) == x_before());
  CHECK(waiting_for_all_but(2).row(0).array().isNaN().any());
}

TEST_CASE("a bulk store issued before its tile is written stores nothing") {
  Probe probe = with_tokens().add(LoadGlobal{rows_of(0), x}, rows).add(stored());
  probe.add(StoreShared{tile_rows(), x}, rows).add(BulkCommit{}).add(BulkWait{});
  CHECK(result(probe).array().isNaN().all());
}

TEST_CASE("a bulk store that nobody waits for is there when the CTA has ended") {
  CHECK(result(with_tile().add(stored())) == x_before());
}

TEST_CASE("a bulk copy without multicast is the CTA's own") {
  const Matrix tiles = delivered(Multicast::none, 1);
  for (std::int64_t rank = 0; rank < 4; ++rank) CHECK(got(tiles, rank, {rank}));
}

TEST_CASE("a multicast copy lands in each CTA of its group and counts on its own mbarrier") {
  // Ranks 0 1
  //       2 3
  const Matrix along_m = delivered(Multicast::along_m, 2);
  for (std::int64_t rank = 0; rank < 4; ++rank) CHECK(got(along_m, rank, {rank % 2, rank % 2 + 2}));
  const Matrix along_n = delivered(Multicast::along_n, 2);
  for (std::int64_t rank = 0; rank < 4; ++rank) CHECK(got(along_n, rank, {rank / 2 * 2, rank / 2 * 2 + 1}));
  const Matrix cluster = delivered(Multicast::cluster, 4);
  for (std::int64_t rank = 0; rank < 4; ++rank) CHECK(got(cluster, rank, {0, 1, 2, 3}));
}

TEST_CASE("a multicast copy nobody expects leaves all its CTAs waiting") {
  CHECK_THROWS_AS(static_cast<void>(delivered(Multicast::cluster, 1)), DeadlockError);
}

TEST_CASE("a multicast copy is nothing in each CTA until that one's phase is complete") {
  CHECK(delivered(Multicast::cluster, 5, false).array().isNaN().all());
}

TEST_CASE("an arrival at a peer's mbarrier lets the peer go on, and not the CTA itself") {
  const auto run = [](const std::optional<Layout>& peer) {
    Probe probe = with_tokens().add(LoadGlobal{rows_of(0), x});
    probe.add(BarrierArrive{testing::full(), Bytes(), peer}, 1, Bound{along(Coordinate::block_n), 1});
    probe.add(BarrierWait{testing::full(), 0}, 1, Bound{along(Coordinate::block_n, -1), 0});
    Schedule schedule = probe.add(StoreGlobal{rows_of(1, along(Coordinate::block_n)), x}).schedule();
    schedule.grid_n = 2;
    schedule.cluster = 2;
    schedule.buffers = {{"X", 1, lanes, lanes, DType::fp32}, {"Y", 2, lanes, lanes, DType::fp32}};
    return functional::execute(schedule, {{"X", x_before(1)}, {"Y", Matrix::Zero(2, lanes)}}).at("Y");
  };
  CHECK(run(along(Coordinate::block_n) + 1).row(1) == x_before(1).row(0));
  CHECK_THROWS_AS(static_cast<void>(run(std::nullopt)), DeadlockError);
}

}  // namespace gpusim::functional_bulk_test
