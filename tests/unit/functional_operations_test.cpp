#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "support/probe_programs.h"

namespace gpusim::functional_operations_test {

using functional::Matrix;
using functional::Memory;
using testing::Probe;

namespace {

constexpr Token x{0}, old{1};

GlobalAccess row_of(std::int64_t buffer, const Layout& row = 0) {
  return {BufferId(buffer), row, along(Coordinate::lane)};
}

/// A program of `ctas` CTAs with one warp each, on matrices X, Y and Z of `rows` rows.
Memory run(const Probe& probe, std::int64_t ctas, std::int64_t rows) {
  Schedule schedule = probe.schedule(1, ctas);
  Memory memory;
  schedule.buffers.clear();
  for (const char* const name : {"X", "Y", "Z"}) {
    schedule.buffers.push_back({name, rows, 32, 32, DType::fp32});
    memory[name] = *name == 'X' ? functional::random_matrix(rows, 32, 1) : Matrix::Zero(rows, 32);
  }
  return functional::execute(schedule, memory);
}

Probe with_tokens() {
  Probe probe;
  (void)probe.token("x");
  (void)probe.token("old");
  return probe;
}

}  // namespace

TEST_CASE("atomics of all CTAs add up") {
  constexpr int ctas = 5;
  const Memory after = run(with_tokens().add(LoadGlobal{row_of(0), x}).add(AtomicAdd{row_of(1), x}), ctas, 1);
  CHECK(after.at("Y") == ctas * after.at("X"));
}

TEST_CASE("an atomic that returns a value returns the one before, in order of CTAs") {
  Probe probe = with_tokens();
  probe.add(LoadGlobal{row_of(0), x}).add(AtomicAdd{row_of(1), x, old});
  const Memory after = run(probe.add(StoreGlobal{row_of(2), old}, 1, Bound{along(Coordinate::block_m), 3}), 4, 1);
  CHECK(after.at("Z") == 2 * after.at("X"));
}

TEST_CASE("an atomic outside the buffer, or outside the lanes' bound, adds nothing") {
  GlobalAccess bounded = row_of(1);
  bounded.lanes = Bound{along(Coordinate::lane), 8};
  Probe probe = with_tokens();
  probe.add(LoadGlobal{row_of(0), x}).add(AtomicAdd{bounded, x}).add(AtomicAdd{row_of(2, 1), x});
  const Memory after = run(probe, 1, 1);
  CHECK(after.at("Y").leftCols(8) == after.at("X").leftCols(8));
  CHECK((after.at("Y").rightCols(24).array() == 0).all());
  CHECK((after.at("Z").array() == 0).all());
}

TEST_CASE("the planes of a bulk copy come from rows apart and lie one after another") {
  constexpr int planes = 3, rows = 2, apart = 5;
  BulkCopy copy = testing::bulk_lines(1, rows, testing::full());
  copy.rank = 3;
  copy.planes = planes;
  copy.plane_rows = apart;
  Probe probe = with_tokens();
  probe.add(BarrierArrive{testing::full(), Bytes(planes * rows * 128)}).add(copy).add(BarrierWait{testing::full(), 0});
  probe.add(LoadShared{testing::one_wavefront(along(Coordinate::repeat)), x}, planes * rows);
  const Memory after = run(probe.add(StoreGlobal{row_of(1, along(Coordinate::repeat)), x}, planes * rows), 1, 16);
  for (int plane = 0; plane < planes; ++plane)
    CHECK(after.at("Y").middleRows(plane * rows, rows) == after.at("X").middleRows(1 + plane * apart, rows));
}

TEST_CASE("a value from constant memory, and where rows lie, mean nothing to the twin") {
  Probe probe = with_tokens();
  probe.add(LoadConstant{old}).add(LoadGlobal{row_of(0), x}).add(StoreGlobal{row_of(1), x});
  Schedule schedule = probe.schedule();
  schedule.buffers = {{"X", 1, 32, 32, DType::fp32, Placement::shuffled},
                      {"Y", 1, 32, 32, DType::fp32, Placement::one_slice, 7}};
  const Matrix numbers = functional::random_matrix(1, 32, 1);
  CHECK(functional::execute(schedule, {{"X", numbers}, {"Y", Matrix::Zero(1, 32)}}).at("Y") == numbers);
}

}  // namespace gpusim::functional_operations_test
