#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "support/cluster_programs.h"

namespace gpusim::functional_cluster_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr int ctas = 4;
constexpr Token x{0};

SharedAccess words(const std::optional<Layout>& peer = std::nullopt) {
  SharedAccess access = testing::one_wavefront();
  access.peer = peer;
  return access;
}

/// Each CTA of clusters of two loads its row of X, runs `body`, and stores a row of Y from its token.
Schedule rows(const Probe& body) {
  Schedule schedule = body.schedule(1, ctas);
  const GlobalAccess row{BufferId(0), along(Coordinate::block_m), along(Coordinate::lane)};
  GlobalAccess result = row;
  result.buffer = BufferId(1);
  std::vector<Statement>& program = schedule.roles[0].program.body;
  program.insert(program.begin(), Operation{LoadGlobal{row, x}});
  program.emplace_back(Operation{StoreGlobal{result, x}});
  schedule.buffers = {{"X", ctas, 32, 32, DType::fp32}, {"Y", ctas, 32, 32, DType::fp32}};
  schedule.cluster = 2;
  return schedule;
}

Probe body() {
  Probe probe;
  (void)probe.token("x");
  return probe;
}

Memory before() { return {{"X", functional::random_matrix(ctas, 32, 1)}, {"Y", Matrix::Zero(ctas, 32)}}; }

/// X with the rows of each pair of CTAs exchanged.
Matrix exchanged() {
  Matrix rows = before().at("X");
  for (Eigen::Index row = 0; row < ctas; row += 2) rows.row(row).swap(rows.row(row + 1));
  return rows;
}

const Layout other = along(Coordinate::block_m) + 1;  // modulo 2

}  // namespace

TEST_CASE("a CTA reads what its peer wrote into its own shared memory") {
  Probe probe = body();
  probe.add(StoreShared{words(), x}).add(ClusterBarrier{}).add(LoadShared{words(other), x}).add(ClusterBarrier{});
  CHECK(functional::execute(rows(probe), before()).at("Y") == exchanged());
}

TEST_CASE("a CTA writes into its peer's shared memory") {
  Probe probe = body();
  probe.add(StoreShared{words(other), x}).add(ClusterBarrier{}).add(LoadShared{words(), x});
  CHECK(functional::execute(rows(probe), before()).at("Y") == exchanged());
}

TEST_CASE("reading a peer before it has written is caught") {
  Probe probe = body();
  probe.add(StoreShared{words(), x}).add(LoadShared{words(other), x}).add(ClusterBarrier{});
  CHECK(functional::execute(rows(probe), before()).at("Y").row(0).array().isNaN().all());
}

TEST_CASE("reading a peer that may have ended is caught") {
  Probe probe = body();
  const Bound first_rank{along(Coordinate::block_m, 1, 1, 2), 1};
  probe.add(StoreShared{words(), x}).add(ClusterBarrier{}).add(LoadShared{words(other), x}, 1, first_rank);
  const Matrix after = functional::execute(rows(probe), before()).at("Y");
  CHECK(after.row(0).array().isNaN().all());
  CHECK(after.row(1) == before().at("X").row(1));
  const Matrix waiting = functional::execute(rows(probe.add(ClusterBarrier{})), before()).at("Y");
  CHECK(waiting.row(0) == before().at("X").row(1));
}

TEST_CASE("a cluster barrier that a CTA never reaches is a deadlock that says so") {
  Probe probe = body();
  probe.add(ClusterBarrier{}, 1, Bound{along(Coordinate::block_m), 3});
  try {
    static_cast<void>(functional::execute(rows(probe), before()));
    FAIL("it should have been a deadlock");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waits().size() == 1);
    CHECK(error.waits()[0] == "CTA 2: warp 0 (worker) waits for the cluster barrier: 1 of 2 warps are there");
  }
}

}  // namespace gpusim::functional_cluster_test
