#include "validate/gemm_notes.h"

#include <doctest/doctest.h>

using namespace gpusim::validate;

namespace {

void check_tile(std::string_view notes, int m, int n, std::optional<int> k = std::nullopt) {
  CAPTURE(notes);
  const auto tile = noted_tile(notes, 2048, 3840);
  REQUIRE(tile);
  CHECK(tile->m == m);
  CHECK(tile->n == n);
  CHECK(tile->k == k);
}

}  // namespace

TEST_CASE("a tile is noted with or without its k step") {
  check_tile("cta_tile=128x64", 128, 64);
  check_tile("kernel=x cta_tile=128x64x8 stages=3", 128, 64, 8);
  check_tile("256x128x32 CTA, 64x64 warp; 3-stage", 256, 128, 32);
}

TEST_CASE("a library's first side goes with n, unless its grid fits the other way only") {
  check_tile("grid=30x32x2 cta_tile=128x64", 64, 128);
  check_tile("grid=16x60x1 cta_tile=128x64", 128, 64);
  check_tile("grid=32x60x8 cta_tile=128x64 swizzled", 64, 128);
}

TEST_CASE("notes without a tile give none") {
  CHECK_FALSE(noted_tile("", 1, 1));
  CHECK_FALSE(noted_tile("WORK=w4x2 m16n8k16", 1, 1));
  CHECK_FALSE(noted_tile("cta_tile=128", 1, 1));
  CHECK_FALSE(noted_tile("cta_tile=0x64", 1, 1));
  CHECK_FALSE(noted_tile("cta_tile=9999999x64", 1, 1));
  CHECK_FALSE(noted_tile("my_cta_tile=128x64", 1, 1));
  CHECK_FALSE(noted_tile(" CTA", 1, 1));
}

TEST_CASE("split-K is 1 where nothing is noted") {
  CHECK(noted_split("cta_tile=128x64 splitK=9") == 9);
  CHECK(noted_split("cta_tile=128x64") == 1);
}
