// Conflict degrees that are known: textbook columns, padding, swizzles.
#include <doctest/doctest.h>

#include "gpusim/banks.h"
#include "gpusim/error.h"

namespace gpusim::banks_test {

namespace {

constexpr std::int64_t word = 4;

SharedTile tile(int rows, int columns, DType type, std::int64_t pitch, Swizzle swizzle = Swizzle::none) {
  SharedTile made;
  made.name = "tile";
  made.rows = rows;
  made.columns = columns;
  made.dtype = type;
  made.pitch = Bytes(pitch);
  made.swizzle = swizzle;
  return made;
}

SharedAccess access(const Layout& row, const Layout& column, int vector = 1) {
  SharedAccess made;
  made.row = row;
  made.column = column;
  made.vector = vector;
  return made;
}

const SharedAccess down_a_column = access(along(Coordinate::lane), 0);
const SharedAccess along_a_row = access(0, along(Coordinate::lane));
/// 16 rows, twice 16 bytes of each.
const SharedAccess matrices = access(along(Coordinate::lane, 1, 1, 16), along(Coordinate::lane, 8, 16), 8);

}  // namespace

TEST_CASE("a column of a 32x32 fp32 tile is one bank's, and one more word a row spreads it") {
  const BankConflicts plain = bank_conflicts(tile(32, 32, DType::fp32, 32 * word), down_a_column);
  CHECK(plain.wavefronts == 32);
  CHECK(plain.least == 1);
  CHECK(conflict_degree(plain) == 32);
  CHECK(bank_conflicts(tile(32, 32, DType::fp32, 33 * word), down_a_column).wavefronts == 1);
  CHECK(bank_conflicts(tile(32, 32, DType::fp32, 32 * word), along_a_row).wavefronts == 1);
}

TEST_CASE("ldmatrix of rows of 128 bytes conflicts eight times, and not when they are swizzled") {
  constexpr std::int64_t least = 4;
  CHECK(bank_conflicts(tile(64, 64, DType::fp16, 128), matrices, SharedRead::ldmatrix).wavefronts == 8 * least);
  const BankConflicts swizzled =
      bank_conflicts(tile(64, 64, DType::fp16, 128, Swizzle::bytes128), matrices, SharedRead::ldmatrix);
  CHECK(swizzled.wavefronts == least);
  CHECK(conflict_degree(swizzled) == 1);
  CHECK(bank_conflicts(tile(64, 32, DType::fp16, 64, Swizzle::bytes64), matrices, SharedRead::ldmatrix).wavefronts ==
        least);
  CHECK(bank_conflicts(tile(64, 64, DType::fp16, 128 + 16), matrices, SharedRead::ldmatrix).wavefronts == least);
}

TEST_CASE("lanes that share a word share its wavefront") {
  const BankConflicts one = bank_conflicts(tile(1, 1, DType::fp32, word), access(0, 0));
  CHECK(one.wavefronts == 1);
  CHECK(one.lanes.size() == 32);
  CHECK(one.bytes == 32 * word);
}

TEST_CASE("lanes that fill a wavefront together are a phase") {
  const auto phases = [](DType type, int vector) {
    return bank_conflicts(tile(1, 512, type, 512 * size_of(type)), access(0, along(Coordinate::lane, vector), vector))
        .phases;
  };
  CHECK(phases(DType::fp32, 1).size() == 1);
  CHECK(phases(DType::fp32, 2).size() == 2);
  const auto quarters = phases(DType::fp16, 8);
  REQUIRE(quarters.size() == 4);
  for (const BankPhase& phase : quarters) {
    CHECK(phase.first_lane == 8 * (&phase - quarters.data()));
    CHECK(phase.lanes == 8);
    CHECK(phase.wavefronts == 1);
  }
}

TEST_CASE("a lane says where its bytes lie") {
  const BankConflicts row =
      bank_conflicts(tile(2, 128, DType::fp32, 128 * word), access(1, along(Coordinate::lane, 4), 4));
  REQUIRE(row.lanes.size() == 32);
  CHECK(row.lanes[9].offset == 128 * word + 9 * 4 * word);
  CHECK(row.lanes[9].bank == 4);
  CHECK(row.lanes[9].banks == 4);
}

TEST_CASE("what lies outside the tile, is not aligned or is no width is refused") {
  const SharedTile small = tile(16, 32, DType::fp32, 32 * word);
  CHECK_THROWS_WITH_AS((void)bank_conflicts(small, down_a_column),
                       doctest::Contains("lane 16 reaches [16, 0], beyond the tile's 16x32"), ScheduleError);
  CHECK_THROWS_WITH_AS((void)bank_conflicts(small, access(0, 2, 4)), doctest::Contains("no multiple of its 4"),
                       ScheduleError);
  CHECK_THROWS_WITH_AS((void)bank_conflicts(small, access(0, 0, 8)), doctest::Contains("not 32"), ScheduleError);
}

}  // namespace gpusim::banks_test
