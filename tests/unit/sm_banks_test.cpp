// Passes over the 32 banks of shared memory, for accesses whose conflicts are known.
#include <doctest/doctest.h>

#include <numeric>

#include "machine/lower_access.h"
#include "sm/banks.h"

namespace gpusim::sm_banks_test {

namespace {

sm::SharedPlan plan_of(const SharedTile& tile, const SharedAccess& access, std::int64_t repeats = 1) {
  Schedule schedule;
  schedule.shared_tiles = {tile};
  return machine::lower_shared(access, repeats, {0, 1}, schedule);
}

sm::BankCost cost(const SharedTile& tile, const SharedAccess& access, std::int64_t repeats = 1) {
  sm::SharedPlan plan = plan_of(tile, access, repeats);
  return sm::bank_cost(plan, 0, {}).all;
}

SharedAccess words(const Layout& row, const Layout& column, int vector = 1) {
  return {TileId(0), 0, row, column, vector, std::nullopt};
}

const SharedTile floats{"floats", 64, 2048, DType::fp32, 1, Bytes(2048 * 4), Swizzle::none};

/// The 16 x 16 halves of one ldmatrix.x4: lane l brings 16 bytes of row l % 16.
std::int64_t ldmatrix_wavefronts(std::int64_t pitch, Swizzle swizzle) {
  const SharedTile tile{"a", 64, 32, DType::fp16, 1, Bytes(pitch), swizzle};
  return cost(tile, words(along(Coordinate::lane, 1, 1, 16), along(Coordinate::lane, 8, 16), 8)).wavefronts;
}
constexpr std::int64_t ldmatrix_ideal = 32 * 16 / 128;

}  // namespace

TEST_CASE("words a stride apart conflict as often as the stride divides the banks") {
  for (const std::int64_t stride : {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 48}) {
    CAPTURE(stride);
    CHECK(cost(floats, words(0, along(Coordinate::lane, stride))).wavefronts == std::gcd(stride, std::int64_t{32}));
    CHECK(cost(floats, words(0, along(Coordinate::lane, stride))).ideal == 1);
  }
}

TEST_CASE("lanes that want the same word share it") {
  CHECK(cost(floats, words(0, 17)).wavefronts == 1);
  CHECK(cost(floats, words(0, along(Coordinate::lane, 1, 4))).wavefronts == 1);
  CHECK(cost(floats, words(0, along(Coordinate::lane, 32, 16))).wavefronts == 2);  // two words of bank 0
}

TEST_CASE("a word that two quarters of a warp read 16 bytes at is read twice, halves of a warp 8 bytes at") {
  const Layout every_eighth_lane = along(Coordinate::lane, 4, 1, 8);
  const Layout every_sixteenth_lane = along(Coordinate::lane, 2, 1, 16);
  CHECK(cost(floats, words(0, every_eighth_lane, 4)).wavefronts == 4);
  CHECK(cost(floats, words(0, every_sixteenth_lane, 2)).wavefronts == 2);
  CHECK(cost(floats, words(0, along(Coordinate::lane, 1, 1, 8))).wavefronts == 1);  // 4 bytes: the warp is one
}

TEST_CASE("two quarters of a warp are one where neighbours, or next but one, share their places") {
  CHECK(cost(floats, words(0, 0, 4)).wavefronts == 2);
  CHECK(cost(floats, words(0, 0, 2)).wavefronts == 1);
  CHECK(cost(floats, words(0, along(Coordinate::lane, 4, 2), 4)).wavefronts == 2);
  CHECK(cost(floats, words(0, along(Coordinate::lane, 4, 4) + along(Coordinate::lane, 4, 1, 2), 4)).wavefronts == 2);
}

TEST_CASE("halves of a word are one word") {
  const SharedTile halves{"halves", 1, 64, DType::fp16, 1, Bytes(128), Swizzle::none};
  CHECK(cost(halves, words(0, along(Coordinate::lane, 2))).wavefronts == 1);
  CHECK(cost(halves, words(0, along(Coordinate::lane))).wavefronts == 1);
}

TEST_CASE("an element of eight bytes is two words") {
  const SharedTile doubles{"doubles", 1, 32, DType::fp64, 1, Bytes(256), Swizzle::none};
  const sm::BankCost of_doubles = cost(doubles, words(0, along(Coordinate::lane)));
  CHECK(of_doubles.wavefronts == 2);
  CHECK(of_doubles.ideal == 2);
  CHECK(of_doubles.bytes == 32 * 8);
}

TEST_CASE("16 consecutive bytes a lane are four passes and no conflict") {
  const sm::BankCost vectors = cost(floats, words(0, along(Coordinate::lane, 4), 4));
  CHECK(vectors.wavefronts == 4);
  CHECK(vectors.ideal == 4);
  CHECK(vectors.bytes == 32 * 16);
}

TEST_CASE("a column of a tile of 128-byte rows is all in one bank, and padding or a swizzle spreads it") {
  const auto column_of = [](std::int64_t pitch, Swizzle swizzle, int vector) {
    const SharedTile tile{"tile", 32, 32, DType::fp32, 1, Bytes(pitch), swizzle};
    return cost(tile, words(along(Coordinate::lane), 0, vector)).wavefronts;
  };
  CHECK(column_of(128, Swizzle::none, 1) == 32);
  CHECK(column_of(128 + 16, Swizzle::none, 1) == 32 / 8);  // 36 words on: every eighth row meets again
  CHECK(column_of(128, Swizzle::bytes128, 1) == 32 / 8);   // eight chunks of a row to go to
  CHECK(column_of(128, Swizzle::bytes32, 1) == 32 / 2);
  CHECK(column_of(128, Swizzle::bytes128, 4) == 32 * 16 / 128);  // whole chunks: no conflict at all
}

TEST_CASE("ldmatrix of rows of 64 bytes conflicts, padded or swizzled it does not") {
  CHECK(ldmatrix_wavefronts(64, Swizzle::none) == 4 * ldmatrix_ideal);
  CHECK(ldmatrix_wavefronts(64, Swizzle::bytes64) == ldmatrix_ideal);
  CHECK(ldmatrix_wavefronts(64 + 16, Swizzle::none) == ldmatrix_ideal);
  CHECK(ldmatrix_wavefronts(128, Swizzle::none) == 8 * ldmatrix_ideal);
  CHECK(ldmatrix_wavefronts(128, Swizzle::bytes128) == ldmatrix_ideal);
}

TEST_CASE("inactive lanes touch no bank") {
  SharedAccess access = words(0, along(Coordinate::lane, 32));
  access.lanes = Bound{along(Coordinate::lane), 3};
  CHECK(cost(floats, access).wavefronts == 3);
  CHECK(cost(floats, access).bytes == 3 * 4);
  access.lanes->limit = 0;
  CHECK(cost(floats, access).wavefronts == 0);
}

TEST_CASE("the repeats of an operation add up") {
  const SharedAccess access = words(along(Coordinate::repeat), along(Coordinate::lane));
  CHECK(cost(floats, access, 5).wavefronts == 5);
  CHECK(cost(floats, access, 5).bytes == 5 * 128);
}

TEST_CASE("what the parts of a run pay adds up to the whole run's cost, even or not") {
  for (const bool is_even : {true, false}) {
    SharedAccess access = words(0, along(Coordinate::lane, 32));
    if (!is_even)
      access.lanes = Bound{along(Coordinate::lane) + along(Coordinate::repeat), 32};  // each has a lane less
    sm::SharedPlan plan = plan_of(floats, access, 6);
    const sm::RunCost run = sm::bank_cost(plan, 0, {});
    REQUIRE(run.instructions == 6);
    REQUIRE(run.even == is_even);
    sm::BankCost paid;
    std::int64_t before = 0;
    for (const std::int64_t count : {1, 2, 3}) {
      const sm::BankCost part = run.part(before, count);
      paid.wavefronts += part.wavefronts;
      paid.ideal += part.ideal;
      paid.bytes += part.bytes;
      before += count;
    }
    CHECK(paid.wavefronts == run.all.wavefronts);
    CHECK(paid.ideal == run.all.ideal);
    CHECK(paid.bytes == run.all.bytes);
  }
}

TEST_CASE("a cost worked out for one base is not used for another") {
  const SharedTile tile{"tile", 64, 32, DType::fp32, 1, Bytes(128), Swizzle::bytes128};
  // Chunk 0 of a row and chunk 1 of the next: the swizzle puts them together for rows 0 and 1, not for rows 1 and 2.
  sm::SharedPlan plan =
      plan_of(tile, words(along(Coordinate::lane, 1, 16) + along(Coordinate::loop0), along(Coordinate::lane, 4, 16)));
  Coordinates at{};
  for (int time = 0; time < 2; ++time) {
    at[static_cast<std::size_t>(Coordinate::loop0)] = 0;
    CHECK(sm::bank_cost(plan, 0, at).all.wavefronts == 2);
    at[static_cast<std::size_t>(Coordinate::loop0)] = 1;
    CHECK(sm::bank_cost(plan, 0, at).all.wavefronts == 1);
  }
}

}  // namespace gpusim::sm_banks_test
