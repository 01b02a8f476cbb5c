// Barriers over the whole grid, executed on numbers.
#include <doctest/doctest.h>

#include <functional>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_grid_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr std::int64_t ctas = 3, lanes = 32;
constexpr Token x{0};

GlobalAccess row_of(std::int64_t buffer, std::int64_t next = 0) {
  return {BufferId(buffer), along(Coordinate::block_m, 1, 1, ctas, next), along(Coordinate::lane)};
}

/// Each CTA stores its row of X into Y, does what `between` adds, and copies the next CTA's row of Y to Z.
Memory run_with(const std::function<void(Probe&)>& between) {
  Probe probe;
  (void)probe.token("x");
  probe.add(LoadGlobal{row_of(0), x}).add(StoreGlobal{row_of(1), x});
  between(probe);
  Schedule schedule = probe.add(LoadGlobal{.from = row_of(1, 1), .into = x, .origin_row = 1})
                          .add(StoreGlobal{row_of(2), x})
                          .schedule(2, ctas);
  Memory memory;
  schedule.buffers.clear();
  for (const char* const name : {"X", "Y", "Z"}) {
    schedule.buffers.push_back({name, ctas, lanes, lanes, DType::fp32});
    memory[name] = *name == 'X' ? functional::random_matrix(ctas, lanes, 1) : Matrix::Zero(ctas, lanes);
  }
  return functional::execute(schedule, memory);
}

/// The same with what `between` says.
Memory run(const std::vector<Action>& between, const std::optional<Bound>& guard = std::nullopt) {
  return run_with([&](Probe& probe) {
    for (const Action& action : between) probe.add(action, 1, guard);
  });
}

}  // namespace

TEST_CASE("behind a grid barrier every CTA sees what all have stored") {
  const Memory after = run({GridBarrier{}});
  for (std::int64_t row = 0; row < ctas; ++row) CHECK(after.at("Z").row(row) == after.at("X").row((row + 1) % ctas));
}

TEST_CASE("without one, a CTA that reads ahead finds nothing") {
  const Memory after = run({});
  CHECK((after.at("Z").row(0).array() == 0).all());
  CHECK(after.at("Z").row(ctas - 1) == after.at("X").row(0));
}

TEST_CASE("one grid barrier after another") {
  const Memory after = run({GridBarrier{}, GridBarrier{}, GridBarrier{}});
  CHECK(after.at("Z").row(0) == after.at("X").row(1));
}

TEST_CASE("behind a grid barrier that others only count at the last CTA sees what all have stored") {
  const Memory after = run_with([](Probe& probe) {
    probe.add(GridBarrier{.waits = false}, 1, Bound{along(Coordinate::block_m), ctas - 1});
    probe.add(GridBarrier{}, 1, Bound{along(Coordinate::block_m, -1) + (ctas - 1), 1});
  });
  CHECK(after.at("Z").row(ctas - 1) == after.at("X").row(0));
}

TEST_CASE("a grid barrier that a CTA never reaches is a deadlock that says so") {
  try {
    static_cast<void>(run({GridBarrier{}}, Bound{along(Coordinate::block_m), ctas - 1}));
    FAIL("it should have been a deadlock");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waits().size() == 4);
    CHECK(error.waits()[3] == "CTA 1: warp 1 (worker) waits for the grid barrier: 4 of 6 warps are there");
  }
}

TEST_CASE("how many registers a warp has means nothing to the twin") {
  const Memory after = run({RegisterReallocate{40}, GridBarrier{}});
  CHECK(after.at("Z").row(0) == after.at("X").row(1));
}

}  // namespace gpusim::functional_grid_test
