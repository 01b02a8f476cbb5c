#include "gpusim/layout.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

namespace gpusim::layout_test {

namespace {

Coordinates at(Coordinate source, std::int64_t value) {
  Coordinates coordinates{};
  coordinates[static_cast<std::size_t>(source)] = value;
  return coordinates;
}

}  // namespace

TEST_CASE("a layout is the sum of its terms and its offset") {
  const Layout layout = along(Coordinate::block_m, 128) + along(Coordinate::lane, 2, /*divisor*/ 4) + 16;
  Coordinates coordinates = at(Coordinate::block_m, 3);
  coordinates[static_cast<std::size_t>(Coordinate::lane)] = 9;
  CHECK(layout(coordinates) == 128 * 3 + 2 * (9 / 4) + 16);
}

TEST_CASE("a shift moves the coordinate before it is divided: the stage of the tile three ahead in a ring of four") {
  const Layout stage = along(Coordinate::loop0, 1, 1, /*modulus*/ 4, /*shift*/ 3);
  for (std::int64_t tile = 0; tile < 20; ++tile) CHECK(stage(at(Coordinate::loop0, tile)) == (tile + 3) % 4);
}

TEST_CASE("a multiple of a layout is that multiple everywhere") {
  const Layout layout = along(Coordinate::warp, 3, 2, 5) + 7;
  for (std::int64_t warp = 0; warp < 16; ++warp)
    CHECK((layout * -4)(at(Coordinate::warp, warp)) == -4 * layout(at(Coordinate::warp, warp)));
}

TEST_CASE("a layout may be added to itself") {
  Layout layout = along(Coordinate::lane, 3) + 1;
  layout += layout;
  CHECK(layout(at(Coordinate::lane, 5)) == 2 * (3 * 5 + 1));
}

TEST_CASE("a layout depends on the sources of its terms only") {
  const Layout layout = along(Coordinate::warp) + along(Coordinate::loop1);
  CHECK(layout.depends_on(Coordinate::loop1));
  CHECK_FALSE(layout.depends_on(Coordinate::loop0));
  CHECK_FALSE(Layout(5).depends_on(Coordinate::lane));
}

TEST_CASE("a term with a divisor of zero, a negative modulus or a negative shift is a broken contract") {
  CHECK_THROWS_AS(static_cast<void>(along(Coordinate::lane, 1, 0)), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(along(Coordinate::lane, 1, 1, -1)), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(along(Coordinate::lane, 1, 1, 0, -1)), std::logic_error);
}

TEST_CASE("a swizzled tile puts every element in a place of its own") {
  for (const std::int64_t width : {32, 64, 128})
    for (std::int64_t pitch = width; pitch <= 256; pitch += width) {
      std::set<std::int64_t> places;
      for (std::int64_t row = 0; row < 16; ++row)
        for (std::int64_t byte = 0; byte < pitch; byte += 2) places.insert(swizzled_offset(row, byte, pitch, width));
      CHECK(places.size() == static_cast<std::size_t>(16 * pitch / 2));
      CHECK(*places.rbegin() == 16 * pitch - 2);
    }
}

TEST_CASE("eight rows of a swizzled tile of a power of two hold a column of chunks in eight groups of banks") {
  for (const std::int64_t pitch : {32, 64, 128, 256, 512}) {
    const std::int64_t width = pitch < 128 ? pitch : 128;
    for (std::int64_t chunk = 0; chunk < pitch / 16; ++chunk) {
      std::set<std::int64_t> groups;
      for (std::int64_t row = 8; row < 16; ++row)
        groups.insert(swizzled_offset(row, 16 * chunk, pitch, width) / 16 % 8);
      CHECK(groups.size() == 8);
    }
  }
}

}  // namespace gpusim::layout_test
