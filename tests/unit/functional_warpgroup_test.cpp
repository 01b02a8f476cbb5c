#include <doctest/doctest.h>

#include <cmath>

#include "gpusim/functional.h"
#include "support/cluster_programs.h"

namespace gpusim::functional_warpgroup_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr int m = 64, n = 64, k = 16;
constexpr Token c{0}, a{1};

/// 16 bytes a lane of A into its tile: 16 rows a warp.
CopyAsync copy_a() {
  const Layout row = along(Coordinate::warp, 16) + along(Coordinate::lane, 1, 2);
  const Layout column = along(Coordinate::lane, 8, 1, 2);
  return {{BufferId(0), row, column, 8}, {TileId(0), 0, row, column, 8}};
}
/// The same of B: 4 rows a warp.
CopyAsync copy_b() {
  const Layout row = along(Coordinate::warp, 4) + along(Coordinate::lane, 1, 8);
  const Layout column = along(Coordinate::lane, 8, 1, 8);
  return {{BufferId(1), row, column, 8}, {TileId(1), 0, row, column, 8}};
}
/// A warp's 16 rows of C, one an instruction.
StoreGlobal store_c() {
  const Layout row = along(Coordinate::warp, 16) + along(Coordinate::repeat);
  return {{BufferId(2), row, along(Coordinate::lane, 2), 2}, c};
}

Probe with_operands() {
  Probe probe;
  (void)probe.token("c");
  (void)probe.token("a");
  return probe.add(copy_a()).add(copy_b()).add(CommitGroup{}).add(WaitGroup{}).add(CtaBarrier{});
}

Memory before() {
  return {
      {"A", functional::random_matrix(m, k, 1)}, {"B", functional::random_matrix(k, n, 2)}, {"C", Matrix::Zero(m, n)}};
}

/// What the program of four warps leaves in C.
Matrix result(const Probe& probe) {
  Schedule schedule = probe.schedule(4);
  schedule.buffers = {{"A", m, k, k, DType::fp16}, {"B", k, n, n, DType::fp16}, {"C", m, n, n, DType::fp32}};
  schedule.shared_tiles = testing::wgmma_tiles();
  return functional::execute(schedule, before()).at("C");
}

Matrix product() { return before().at("A") * before().at("B"); }

}  // namespace

TEST_CASE("wgmma multiplies what lies in shared memory") {
  Probe probe = with_operands();
  probe.add(testing::wgmma(c)).add(WarpgroupCommit{}).add(WarpgroupWait{}).add(store_c(), 16);
  CHECK(result(probe) == product());
}

TEST_CASE("wgmma takes a from a fragment, too") {
  WarpgroupMultiply multiply = testing::wgmma(c);
  const LoadShared load{std::get<SharedAccess>(multiply.a), a};
  multiply.a = a;
  Probe probe = with_operands();
  probe.add(load).add(multiply).add(WarpgroupCommit{}).add(WarpgroupWait{}).add(store_c(), 16);
  CHECK(result(probe) == product());
}

TEST_CASE("groups of wgmma add up in the same accumulators") {
  Probe probe = with_operands();
  for (int group = 0; group < 3; ++group) probe.add(testing::wgmma(c)).add(WarpgroupCommit{});
  probe.add(WarpgroupWait{}).add(store_c(), 16);
  CHECK(result(probe) == 3 * product());
}

TEST_CASE("a sum that has not been waited for is nothing") {
  const auto waiting_for_all_but = [](int pending) {
    Probe probe = with_operands();
    probe.add(testing::wgmma(c)).add(WarpgroupCommit{}).add(testing::wgmma(c)).add(WarpgroupCommit{});
    return result(probe.add(WarpgroupWait{pending}).add(store_c(), 16));
  };
  CHECK(waiting_for_all_but(0) == 2 * product());
  CHECK(waiting_for_all_but(1).array().isNaN().all());
}

TEST_CASE("operands that change before the wait are nothing to rely on") {
  const Bound last_warp{along(Coordinate::warp, -1), -2};
  const GlobalAccess first_row{BufferId(1), 0, along(Coordinate::lane)};
  const StoreShared overwrite{{TileId(1), 0, 3, along(Coordinate::lane)}, a};
  Probe probe = with_operands();
  probe.add(LoadGlobal{first_row, a}).add(testing::wgmma(c)).add(WarpgroupCommit{}).add(overwrite, 1, last_warp);
  const Matrix after = result(probe.add(WarpgroupWait{}).add(store_c(), 16));
  const Matrix b = before().at("B");
  for (Eigen::Index column = 0; column < 32; ++column)
    CHECK(std::isnan(after(48, column)) == (b(0, column) != b(3, column)));
  CHECK(after.bottomRightCorner(16, 32) == product().bottomRightCorner(16, 32));
}

}  // namespace gpusim::functional_warpgroup_test
