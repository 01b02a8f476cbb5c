#include "gpusim/schedule.h"

#include <doctest/doctest.h>

namespace gpusim::schedule_test {

using namespace gpusim::literals;

namespace {

Schedule with_tiles() {
  Schedule schedule;
  schedule.roles = {{"worker", 8, {}}};
  schedule.shared_tiles = {{"A", 128, 32, DType::fp16, 4, 64_B, Swizzle::bytes64},
                           {"B", 3, 8, DType::fp32, 2, 48_B, Swizzle::none}};
  schedule.barriers = {{"full", 4, 1}, {"empty", 4, 8}};
  return schedule;
}

/// A GPU without any limit.
Profile boundless() {
  Profile profile;
  profile.sm.registers_per_thread = 255;
  return profile;
}

}  // namespace

TEST_CASE("shared memory is tiles in order, stages at multiples of 128 bytes, then eight bytes a barrier slot") {
  const Schedule schedule = with_tiles();
  CHECK(stage_bytes(schedule.shared_tiles[0]) == 128 * 64_B);
  CHECK(stage_bytes(schedule.shared_tiles[1]) == 256_B);  // 3 rows of 48 bytes, rounded up
  CHECK(tile_offset(schedule, TileId(1)) == 4 * 128 * 64_B);
  CHECK(shared_bytes(schedule) == 4 * 128 * 64_B + 2 * 256_B + (4 + 4) * 8_B);
}

TEST_CASE("elements lie where pitch and swizzle put them") {
  const Schedule schedule = with_tiles();
  CHECK(offset_of(schedule.shared_tiles[1], 2, 3) == 2 * 48_B + 3 * 4_B);
  // Rows of 64 bytes, two a line: row 5 is of line 2, so chunk 1 moves to 1 XOR 2.
  CHECK(offset_of(schedule.shared_tiles[0], 5, 8) == 5 * 64_B + (1 ^ 2) * 16_B);
}

TEST_CASE("a buffer of several layers has them one after another") {
  Buffer buffer{"C", 10, 6, 8, DType::fp32};
  CHECK(size_of(buffer) == 10 * 8 * 4_B);
  buffer.layers = 3;
  CHECK(size_of(buffer) == 3 * 10 * 8 * 4_B);
}

TEST_CASE("nothing limits occupancy on a GPU without limits") {
  CHECK(occupancy(with_tiles(), boundless()).limiter == "nothing");
}

TEST_CASE("registers are given to warps in granules") {
  Profile profile = boundless();
  profile.sm.registers = 65536;
  profile.sm.register_granule = 256;
  Schedule schedule = with_tiles();
  schedule.registers_per_thread = 33;  // 33 * 32 = 1056, given as 1280
  CHECK(occupancy(schedule, profile).ctas == 65536 / (8 * 1280));
  CHECK(occupancy(schedule, profile).limiter == "registers");
}

TEST_CASE("a warp has its registers in one sub-partition: what is left of several holds no further warp") {
  Profile profile = boundless();
  profile.sm.registers = 65536;
  profile.sm.register_granule = 256;
  profile.sm.sub_partitions = 4;
  Schedule schedule = with_tiles();
  schedule.roles.front().warps = 2;
  schedule.registers_per_thread = 180;  // 5760 of a warp, given as 5888
  const std::int64_t warps = 4 * (65536 / 4 / 5888);
  REQUIRE(65536 / 5888 / 2 == 5);
  CHECK(occupancy(schedule, profile).ctas == warps / 2);
  profile.sm.sub_partitions = 1;
  CHECK(occupancy(schedule, profile).ctas == 5);
}

TEST_CASE("shared memory counts what the system reserves for each CTA") {
  Profile profile = boundless();
  const Bytes needed = shared_bytes(with_tiles());
  profile.shared.capacity = 2 * needed + 1024_B;
  CHECK(occupancy(with_tiles(), profile).ctas == 2);
  profile.shared.reserved_per_cta = 1024_B;
  CHECK(occupancy(with_tiles(), profile).ctas == 1);
  CHECK(occupancy(with_tiles(), profile).limiter == "shared memory");
}

TEST_CASE("warps and CTA slots limit occupancy too, and the tightest limit is named") {
  Profile profile = boundless();
  profile.sm.warps = 32;
  CHECK(occupancy(with_tiles(), profile).ctas == 32 / 8);
  CHECK(occupancy(with_tiles(), profile).limiter == "warps");
  profile.sm.ctas = 3;
  CHECK(occupancy(with_tiles(), profile).ctas == 3);
  CHECK(occupancy(with_tiles(), profile).limiter == "CTA slots");
}

}  // namespace gpusim::schedule_test
