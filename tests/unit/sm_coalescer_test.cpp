// From lanes to lines, against lists written by hand.
#include <doctest/doctest.h>

#include <vector>

#include "machine/lower_access.h"
#include "sm/coalescer.h"

namespace gpusim::sm_coalescer_test {

namespace {

struct Line {
  std::int64_t line;
  unsigned chunks;
  bool operator==(const Line&) const = default;
};

std::vector<Line> readable(const std::vector<LineChunks>& lines) {
  std::vector<Line> result;
  for (const LineChunks& line : lines)
    result.push_back({static_cast<std::int64_t>(line.line), static_cast<unsigned>(line.chunks)});
  return result;
}

/// What warp 0 touches of a lone buffer (which begins at address 0), and the bytes it asks for.
struct Touched {
  std::vector<Line> lines;
  std::int64_t bytes = 0;
};
Touched touched(const Buffer& buffer, const GlobalAccess& access) {
  Schedule schedule;
  schedule.buffers = {buffer};
  const machine::MemoryMap memory(std::span(&schedule, 1), {});
  sm::GlobalPlan plan = machine::lower_global(access, 1, {0, 1}, schedule, memory);
  std::vector<LineChunks> lines;
  Touched result;
  result.bytes = sm::coalesce(plan, plan.footprint(0, 0), {}, lines);
  result.lines = readable(lines);
  return result;
}

const Buffer floats{"floats", 64, 1024, 1024, DType::fp32};
constexpr unsigned all_chunks = 0xFF;

GlobalAccess at(const Layout& row, const Layout& column, int vector = 1) {
  return {BufferId(0), row, column, vector, std::nullopt};
}

}  // namespace

TEST_CASE("32 lanes of 4 consecutive bytes are one line") {
  const Touched result = touched(floats, at(0, along(Coordinate::lane)));
  CHECK(result.lines == std::vector<Line>{{0, all_chunks}});
  CHECK(result.bytes == 32 * 4);
}

TEST_CASE("32 lanes of 16 consecutive bytes are four lines") {
  const Touched result = touched(floats, at(0, along(Coordinate::lane, 4), 4));
  CHECK(result.lines == std::vector<Line>{{0, all_chunks}, {1, all_chunks}, {2, all_chunks}, {3, all_chunks}});
  CHECK(result.bytes == 32 * 16);
}

TEST_CASE("a run that begins in the middle of a line has part of two") {
  const Touched result = touched(floats, at(0, along(Coordinate::lane) + 16));
  CHECK(result.lines == std::vector<Line>{{0, 0xF0}, {1, 0x0F}});
}

TEST_CASE("a run that begins in the middle of a chunk touches the whole chunk") {
  const Touched result = touched(floats, at(0, along(Coordinate::lane) + 2));
  CHECK(result.lines == std::vector<Line>{{0, all_chunks}, {1, 0x01}});
  CHECK(result.bytes == 32 * 4);
}

TEST_CASE("a line apart, every lane has its own line and one chunk of it") {
  const Touched result = touched(floats, at(0, along(Coordinate::lane, 32)));
  REQUIRE(result.lines.size() == 32);
  for (std::int64_t i = 0; i < 32; ++i) CHECK(result.lines[static_cast<std::size_t>(i)] == Line{i, 1});
  CHECK(result.bytes == 32 * 4);
}

TEST_CASE("lanes at the same element ask for it once") {
  const Touched result = touched(floats, at(0, 5));
  CHECK(result.lines == std::vector<Line>{{0, 0x02}});
  CHECK(result.bytes == 4);
}

TEST_CASE("inactive lanes ask for nothing") {
  GlobalAccess access = at(0, along(Coordinate::lane));
  access.lanes = Bound{along(Coordinate::lane), 4};
  const Touched result = touched(floats, access);
  CHECK(result.lines == std::vector<Line>{{0, 0x01}});
  CHECK(result.bytes == 4 * 4);
}

TEST_CASE("lanes beyond the last column or row do nothing") {
  const Buffer narrow{"narrow", 4, 20, 32, DType::fp32};
  CHECK(touched(narrow, at(0, along(Coordinate::lane))).bytes == 20 * 4);
  CHECK(touched(narrow, at(0, along(Coordinate::lane))).lines == std::vector<Line>{{0, 0x1F}});
  CHECK(touched(narrow, at(4, along(Coordinate::lane))).lines.empty());
  CHECK(touched(narrow, at(along(Coordinate::lane), 0)).bytes == 4 * 4);
}

TEST_CASE("lanes before the first column or row do nothing, and those after them do") {
  CHECK(touched(floats, at(0, along(Coordinate::lane) + -8)).bytes == (32 - 8) * 4);
  CHECK(touched(floats, at(0, along(Coordinate::lane) + -8)).lines == std::vector<Line>{{0, 0x3F}});
  CHECK(touched(floats, at(along(Coordinate::lane) + -2, 0)).bytes == (32 - 2) * 4);
}

TEST_CASE("a vector that begins inside is whole, into the row's padding") {
  const Buffer narrow{"narrow", 4, 18, 32, DType::fp32};
  const Touched result = touched(narrow, at(0, along(Coordinate::lane, 4), 4));
  CHECK(result.lines == std::vector<Line>{{0, 0x1F}});  // elements 16 to 19, though the matrix ends at 17
  CHECK(result.bytes == 5 * 16);
}

TEST_CASE("a box is its rows' lines, and what lies outside the buffer has none") {
  sm::BoxPlan box;
  box.matrix.rows = 10;
  box.matrix.columns = 100;
  box.matrix.pitch = 512;
  box.matrix.element_bytes = 4;
  box.rows = 4;
  box.columns = 32;
  box.row = sm::Base(Layout(8));
  box.column = sm::Base(Layout(80));
  std::vector<LineChunks> lines;
  sm::box_lines(box, {}, lines);
  // Rows 8 and 9, columns 80 to 99: bytes 320 to 399 of the four lines of a row.
  CHECK(readable(lines) ==
        std::vector<Line>{{8 * 4 + 2, 0xF0}, {8 * 4 + 3, 0x01}, {9 * 4 + 2, 0xF0}, {9 * 4 + 3, 0x01}});
  CHECK(sm::box_bytes(box, {}) == 2 * 20 * 4);
}

TEST_CASE("a box inside the buffer has the lines of its rows wherever it lies") {
  sm::BoxPlan box;
  box.matrix.rows = 64;
  box.matrix.columns = 512;
  box.matrix.pitch = 1056;  // rows begin at different places of their lines
  box.matrix.element_bytes = 2;
  box.rows = 8;
  box.columns = 96;
  box.planes = 2;
  box.plane_rows = 32;
  box.row = sm::Base(along(Coordinate::block_m));
  box.column = sm::Base(along(Coordinate::block_n, 8));
  std::vector<LineChunks> lines;
  for (std::int64_t row = 0; row < 25; ++row)
    for (std::int64_t column = 0; column < 20; ++column) {
      Coordinates at{};
      at[static_cast<std::size_t>(Coordinate::block_m)] = row;
      at[static_cast<std::size_t>(Coordinate::block_n)] = column;
      sm::box_lines(box, at, lines);
      std::vector<Line> expected;
      for (const std::int64_t plane : {0, 32})
        for (std::int64_t i = 0; i < box.rows; ++i) {
          const std::int64_t begin = (row + plane + i) * 1056 + column * 16;
          for (std::int64_t chunk = begin / 16; chunk < (begin + 192) / 16; ++chunk) {
            if (expected.empty() || expected.back().line != chunk / 8) expected.push_back({chunk / 8, 0});
            expected.back().chunks |= 1U << chunk % 8;
          }
        }
      REQUIRE(readable(lines) == expected);
    }
}

TEST_CASE("a box outside the buffer has no lines and no bytes") {
  sm::BoxPlan box;
  box.matrix.rows = box.matrix.columns = 16;
  box.matrix.pitch = 64;
  box.matrix.element_bytes = 4;
  box.rows = box.columns = 16;
  box.row = sm::Base(Layout(16));
  std::vector<LineChunks> lines(3);
  sm::box_lines(box, {}, lines);
  CHECK(lines.empty());
  CHECK(sm::box_bytes(box, {}) == 0);
}

TEST_CASE("a layer's rows begin where those of the layer before end") {
  Buffer layers = floats;
  layers.layers = 3;
  GlobalAccess access = at(1, along(Coordinate::lane));
  access.layer = 2;
  constexpr std::int64_t lines_a_row = 1024 * 4 / 128;
  CHECK(touched(layers, access).lines == std::vector<Line>{{(2 * 64 + 1) * lines_a_row, all_chunks}});
}

TEST_CASE("layers may lie side by side, a row of each before the next row of the first") {
  Buffer side_by_side{"heads", 64, 64, 4 * 64, DType::fp32};
  side_by_side.layers = 3;
  side_by_side.layer_pitch = 64;
  GlobalAccess access = at(1, along(Coordinate::lane));
  access.layer = 2;
  constexpr std::int64_t lines_a_row = 4 * 64 * 4 / 128;
  CHECK(touched(side_by_side, access).lines == std::vector<Line>{{lines_a_row + 2 * 64 * 4 / 128, all_chunks}});
  access.column = along(Coordinate::lane) + 48;  // the next layer's columns are beyond the edge
  CHECK(touched(side_by_side, access).bytes == 16 * 4);
}

TEST_CASE("rows end with their layer, though another follows") {
  Buffer layers = floats;
  layers.layers = 3;
  CHECK(touched(layers, at(64, along(Coordinate::lane))).bytes == 0);
  CHECK(touched(layers, at(along(Coordinate::lane) + 60, 0)).bytes == 4 * 4);
  GlobalAccess second = at(-1, along(Coordinate::lane));
  second.layer = 1;
  CHECK(touched(layers, second).lines.empty());
}

TEST_CASE("a layer the buffer does not have is outside it") {
  for (const std::int64_t layer : {-1, 1}) {
    GlobalAccess access = at(0, along(Coordinate::lane));
    access.layer = layer;
    CHECK(touched(floats, access).lines.empty());
  }
}

TEST_CASE("each warp may mean a layer of its own") {
  Buffer layers = floats;
  layers.layers = 2;
  Schedule schedule;
  schedule.buffers = {layers};
  GlobalAccess access = at(0, along(Coordinate::lane));
  access.layer = along(Coordinate::warp);
  const machine::MemoryMap memory(std::span(&schedule, 1), {});
  sm::GlobalPlan plan = machine::lower_global(access, 1, {0, 2}, schedule, memory);
  Coordinates second{};
  second[static_cast<std::size_t>(Coordinate::warp)] = 1;
  std::vector<LineChunks> lines;
  sm::coalesce(plan, plan.footprint(1, 0), second, lines);
  CHECK(readable(lines) == std::vector<Line>{{64 * 1024 * 4 / 128, all_chunks}});
}

TEST_CASE("a box of a layer ends with it") {
  sm::BoxPlan box;
  box.matrix.layers = 2;
  box.matrix.layer = 1;
  box.matrix.rows = 10;
  box.matrix.columns = 32;
  box.matrix.pitch = 128;
  box.matrix.layer_step = 10 * 128;
  box.matrix.element_bytes = 4;
  box.rows = 4;
  box.columns = 32;
  box.row = sm::Base(Layout(8));
  std::vector<LineChunks> lines;
  sm::box_lines(box, {}, lines);
  CHECK(readable(lines) == std::vector<Line>{{10 + 8, all_chunks}, {10 + 9, all_chunks}});
  CHECK(sm::box_bytes(box, {}) == 2 * 128);
}

TEST_CASE("boxes of layers side by side are each at its own place, and end with their layer's columns") {
  sm::BoxPlan box;
  box.matrix.layers = 3;
  box.matrix.layer = along(Coordinate::block_z);
  box.matrix.rows = 4;
  box.matrix.columns = 48;  // of 64 that a row has, of 4 x 64 from one row to the next
  box.matrix.pitch = 4 * 64 * 4;
  box.matrix.layer_step = 64 * 4;
  box.matrix.element_bytes = 4;
  box.rows = 2;
  box.columns = 32;
  box.row = sm::Base(Layout(1));
  const auto lines_of = [&](std::int64_t layer, std::int64_t column) {
    box.column = sm::Base(Layout(column));
    Coordinates at{};
    at[static_cast<std::size_t>(Coordinate::block_z)] = layer;
    std::vector<LineChunks> lines;
    sm::box_lines(box, at, lines);
    return readable(lines);
  };
  for (const std::int64_t layer : {0, 2, 1}) {  // the second and third by the pattern that the first left
    const std::int64_t first = 8 + 2 * layer;
    CHECK(lines_of(layer, 0) == std::vector<Line>{{first, all_chunks}, {first + 8, all_chunks}});
    CHECK(lines_of(layer, 32) == std::vector<Line>{{first + 1, 0x0F}, {first + 9, 0x0F}});
  }
  CHECK(lines_of(3, 0).empty());
}

}  // namespace gpusim::sm_coalescer_test
