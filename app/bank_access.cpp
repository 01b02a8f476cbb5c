#include "bank_access.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "errors.h"
#include "option_values.h"

namespace app {

namespace {

using namespace gpusim;
using schedules::GemmShape;

constexpr int chunk_bytes = 16;
constexpr int word_bytes = 4;
constexpr int warp_lanes = 32;
constexpr std::int64_t matrix_rows = 8;  // of each of ldmatrix's four
constexpr std::int64_t most_pitch = 1 << 20;

/// Bytes a lane moves.
const Words<int> instructions{{"ldmatrix", 16}, {"lds.8", 1},    {"lds.16", 2},  {"lds.32", 4},
                              {"lds.64", 8},    {"lds.128", 16}, {"sts.8", 1},   {"sts.16", 2},
                              {"sts.32", 4},    {"sts.64", 8},   {"sts.128", 16}};
const Words<Swizzle> swizzles{
    {"swizzle32", Swizzle::bytes32}, {"swizzle64", Swizzle::bytes64}, {"swizzle128", Swizzle::bytes128}};

std::optional<DType> storable_type(const std::string& text, Problems& problems) {
  std::vector<std::string> names;
  for (const DType type : all_dtypes) {
    if (!is_storable(type)) continue;
    if (name(type) == text) return type;
    names.emplace_back(name(type));
  }
  refuse_choice(text, "--layout", "type", names, problems);
  return std::nullopt;
}

/// Rows so far apart that neighbouring ones begin in different banks: an odd number of what a lane moves at a time.
std::int64_t padded_pitch(std::int64_t row_bytes, int lane_bytes) {
  const std::int64_t unit = lane_bytes <= word_bytes ? word_bytes : chunk_bytes;
  const std::int64_t units = (row_bytes + unit - 1) / unit;
  return (units + (units % 2 == 0 ? 1 : 0)) * unit;
}

void read_swizzle(const std::string& text, Swizzle swizzle, SharedTile& tile, Problems& problems) {
  const auto width = static_cast<std::int64_t>(swizzle);
  const std::int64_t row_bytes = tile.pitch.count();
  if (row_bytes % width == 0) {
    tile.swizzle = swizzle;
    return;
  }
  std::string nearest = "plain or padded";
  for (const auto& [word, each] : swizzles)
    if (row_bytes % static_cast<std::int64_t>(each) == 0) nearest = word;
  problems.push_back({"--layout", fmt::format("{} needs rows of a multiple of {} bytes, and these have {}; {} would do",
                                              text, width, row_bytes, nearest)});
}

/// "padded", "swizzle128", "pitch=144"
void read_arrangement(const std::string& text, int lane_bytes, SharedTile& tile, Problems& problems) {
  const std::int64_t row_bytes = tile.pitch.count();
  if (text == "plain") return;
  if (text == "padded") {
    tile.pitch = Bytes(padded_pitch(row_bytes, lane_bytes));
    return;
  }
  if (text.starts_with("pitch=")) {
    const auto pitch = whole_number(text.substr(6), "--layout", {row_bytes, most_pitch}, problems);
    if (pitch && *pitch % lane_bytes != 0)
      problems.push_back(
          {"--layout", fmt::format("rows {} bytes apart are not aligned for {} bytes a lane; {} would do", *pitch,
                                   lane_bytes, (*pitch / lane_bytes + 1) * lane_bytes)});
    tile.pitch = Bytes(pitch.value_or(row_bytes));
    return;
  }
  for (const auto& [word, swizzle] : swizzles)
    if (word == text) return read_swizzle(text, swizzle, tile, problems);
  refuse_choice(text, "--layout", "arrangement",
                {"plain", "padded", "swizzle32", "swizzle64", "swizzle128", "pitch=BYTES"}, problems);
}

std::optional<SharedTile> read_tile(const std::string& text, int lane_bytes, Problems& problems) {
  const std::size_t before = problems.size();
  const std::vector<std::string> parts = split(text, ':');
  const std::vector<std::string> extents = split(parts.front(), 'x');
  if (parts.size() < 2 || parts.size() > 3 || extents.size() != 2) {
    problems.push_back({"--layout", fmt::format("'{}' is not ROWSxCOLUMNS:TYPE, as 64x64:fp16:swizzle128", text)});
    return std::nullopt;
  }
  SharedTile tile;
  tile.name = "tile";
  tile.rows = static_cast<int>(whole_number(extents[0], "--layout", extent_range, problems).value_or(1));
  tile.columns = static_cast<int>(whole_number(extents[1], "--layout", extent_range, problems).value_or(1));
  tile.dtype = storable_type(parts[1], problems).value_or(DType::fp32);
  tile.pitch = Bytes(std::int64_t{tile.columns} * size_of(tile.dtype));
  if (parts.size() == 3 && problems.size() == before) read_arrangement(parts[2], lane_bytes, tile, problems);
  return problems.size() == before ? std::optional(tile) : std::nullopt;
}

/// Of the grids of 32 lanes the one whose sides differ least.
GemmShape nearest_grid(const GemmShape& wanted) {
  const auto away = [&](int rows) { return std::abs(rows - wanted.m) + std::abs(warp_lanes / rows - wanted.n); };
  int best = 1;
  for (int rows = 2; rows <= warp_lanes; rows *= 2)
    if (away(rows) < away(best)) best = rows;
  return {best, warp_lanes / best};
}

/// The grid the lanes stand in, and how far apart.
std::optional<GemmShape> read_lanes(const Options& options, Problems& problems) {
  const std::string text = options.value_or("lanes", "row");
  if (text == "row") return GemmShape{1, warp_lanes};
  if (text == "column") return GemmShape{warp_lanes, 1};
  if (text.find('x') == std::string::npos) {
    refuse_choice(text, "--lanes", "arrangement", {"row", "column", "ROWSxCOLUMNS of 32 lanes, as 8x4"}, problems);
    return std::nullopt;
  }
  const auto grid = shape_option(options, "lanes", {1, warp_lanes}, problems);
  if (grid && grid->m * grid->n != warp_lanes) {
    const GemmShape nearest = nearest_grid(*grid);
    problems.push_back({"--lanes", fmt::format("{} by {} are {} lanes, not a warp's 32; {}x{} would do", grid->m,
                                               grid->n, grid->m * grid->n, nearest.m, nearest.n)});
    return std::nullopt;
  }
  return grid;
}

void place_lanes(const Options& options, SharedAccess& access, Problems& problems) {
  const auto grid = read_lanes(options, problems);
  const GemmShape spacing =
      shape_option(options, "spacing", {0, extent_range.maximum}, problems).value_or(GemmShape{1, access.vector});
  if (!grid) return;
  access.row = along(Coordinate::lane, spacing.m, grid->n);
  access.column = along(Coordinate::lane, spacing.n, 1, grid->n);
}

/// Four matrices of eight rows: two below each other, two beside those.
void place_matrices(const Options& options, SharedAccess& access, Problems& problems) {
  for (const char* option : {"lanes", "spacing"})
    if (options.has(option))
      problems.push_back({fmt::format("--{}", option), "ldmatrix has its lanes: 16 rows, twice 16 bytes of each"});
  access.row = along(Coordinate::lane, 1, 1, 2 * matrix_rows);
  access.column = along(Coordinate::lane, access.vector, 2 * matrix_rows);
}

}  // namespace

OptionGroup bank_access_option_group() {
  return {
      "Access",
      {{"layout", "LAYOUT",
        "ROWSxCOLUMNS:TYPE[:HOW] of a tile in shared memory; HOW is plain (default), padded, swizzle32, swizzle64, "
        "swizzle128 or pitch=BYTES from row to row"},
       {"access", "NAME", "ldmatrix, or lds or sts with the bits a lane moves: lds.32, lds.64, lds.128, sts.32 ..."},
       {"lanes", "GRID", "how lanes stand in the tile: row (default), column, or ROWSxCOLUMNS, as 8x4"},
       {"spacing", "MxN", "rows and elements from lane to lane (default: one row, and what a lane moves); 0 shares"}}};
}

std::optional<BankAccess> read_bank_access(const Options& options, Problems& problems) {
  const auto layout = options.value("layout");
  if (!layout) throw UsageError("--layout: which tile? For example --layout 64x64:fp16:swizzle128");
  if (!options.has("access")) throw UsageError("--access: how? For example --access ldmatrix");
  const auto lane_bytes = word_option(options, "access", "access", instructions, problems);
  if (!lane_bytes) return std::nullopt;
  const auto tile = read_tile(*layout, *lane_bytes, problems);
  if (!tile) return std::nullopt;
  BankAccess found;
  found.tile = *tile;
  found.instruction = options.value_or("access", "");
  found.access.vector = *lane_bytes / size_of(tile->dtype);
  if (found.access.vector == 0) {
    problems.push_back({"--access", fmt::format("{} moves {} of the {} bytes an element has", found.instruction,
                                                *lane_bytes, size_of(tile->dtype))});
    return std::nullopt;
  }
  if (found.instruction == "ldmatrix") {
    found.how = SharedRead::ldmatrix;
    place_matrices(options, found.access, problems);
  } else {
    place_lanes(options, found.access, problems);
  }
  return found;
}

}  // namespace app
