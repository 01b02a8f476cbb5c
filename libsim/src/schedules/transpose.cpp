#include "gpusim/schedules/transpose.h"

#include "schedules/kernel_parts.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t bank_bytes = 4;
constexpr std::int64_t most_side = std::int64_t{1} << 31;
constexpr int most_tile = 128;
constexpr int most_gathered_tile = 4096;
/// The place of an element of a tensor of any strides, by two divisions, and branches around each element: counted in
/// what PyTorch 2.11's copy of strided tensors is for sm_90 (elementwise_kernel of TensorIterator).
constexpr std::int64_t gathered_index_instructions = 43;
constexpr int gathered_registers = 24;
constexpr BufferId source{0};
constexpr BufferId target{1};

std::string_view variant_name(TransposeVariant variant) {
  return names_of(variant).at(static_cast<std::size_t>(variant));
}

struct TransposeWriter {
  const TransposeProblem& problem;
  const TransposeTiling& tiling;

  [[nodiscard]] int warps() const { return tiling.threads / lanes_per_warp; }
  /// Pieces of 32 elements of a tile's row, and instructions of a warp that take all of the tile.
  [[nodiscard]] int across() const { return tiling.tile / lanes_per_warp; }
  [[nodiscard]] std::int64_t accesses() const { return std::int64_t{tiling.tile} / warps() * across(); }

  /// A lane's row and column of the tile: neighbours along the row.
  [[nodiscard]] Layout along_tile_rows() const {
    return along(Coordinate::warp) + along(Coordinate::repeat, warps(), across());
  }
  [[nodiscard]] Layout along_tile_columns() const {
    Layout column = along(Coordinate::lane);
    if (across() > 1) column += along(Coordinate::repeat, lanes_per_warp, 1, across());
    return column;
  }
  [[nodiscard]] GlobalAccess global(BufferId buffer, const Layout& row, const Layout& column) const {
    const bool of_source = buffer == source;
    GlobalAccess access;
    access.buffer = buffer;
    access.row = along(of_source ? Coordinate::block_m : Coordinate::block_n, tiling.tile) + row;
    access.column = along(of_source ? Coordinate::block_n : Coordinate::block_m, tiling.tile) + column;
    return access;
  }

  [[nodiscard]] Program write() const {
    constexpr std::int64_t index_instructions = 14;
    Program program;
    Body& body = program.body;
    const Token x = program.token("x");
    append_overhead(body, index_instructions);
    append(body, LoadGlobal{.from = global(source, along_tile_rows(), along_tile_columns()), .into = x}, accesses());
    if (tiling.variant == TransposeVariant::naive) {
      append(body,
             StoreGlobal{.to = global(target, along_tile_columns(), along_tile_rows()), .from = x, .by_lane = true},
             accesses());
      return program;
    }
    SharedAccess stored{.tile = TileId(0), .row = along_tile_rows(), .column = along_tile_columns()};
    SharedAccess read{.tile = TileId(0), .row = along_tile_columns(), .column = along_tile_rows()};
    append(body, StoreShared{.to = stored, .from = x}, accesses());
    append(body, CtaBarrier{});
    append(body, LoadShared{.from = read, .into = x}, accesses());
    append(body, StoreGlobal{.to = global(target, along_tile_rows(), along_tile_columns()), .from = x, .by_lane = true},
           accesses());
    return program;
  }

  /// An element a thread at a time, stored before the next is asked for.
  [[nodiscard]] Program gather() const {
    Program program;
    const Token x = program.token("x");
    const Layout thread = along(Coordinate::lane) + along(Coordinate::warp, lanes_per_warp);
    for (std::int64_t first = 0; first < tiling.tile; first += tiling.threads) {
      GlobalAccess from{.buffer = source};
      from.row = along(Coordinate::block_m, tiling.tile) + thread + first;
      from.column = along(Coordinate::block_n);
      GlobalAccess to{.buffer = target};
      to.row = from.column;
      to.column = from.row;
      append_beside(program.body, gathered_index_instructions);
      append(program.body, LoadGlobal{.from = from, .into = x});
      append(program.body, StoreGlobal{.to = to, .from = x, .by_lane = true});
    }
    return program;
  }

  [[nodiscard]] SharedTile tile() const {
    const std::int64_t row_bytes = std::int64_t{tiling.tile} * size_of(problem.dtype);
    SharedTile tile{"tile", tiling.tile, tiling.tile, problem.dtype, 1, Bytes(row_bytes)};
    // A 4-byte bank further with each row, or with elements of 8 bytes one of them.
    if (tiling.variant == TransposeVariant::padded)
      tile.pitch = Bytes(row_bytes + std::max<std::int64_t>(bank_bytes, size_of(problem.dtype)));
    if (tiling.variant == TransposeVariant::swizzled)
      tile.swizzle = row_bytes >= 128 ? Swizzle::bytes128 : row_bytes >= 64 ? Swizzle::bytes64 : Swizzle::bytes32;
    return tile;
  }
};

void check_tile(const TransposeTiling& tiling, bool gathered, KernelCollector& collect) {
  const std::string side = std::to_string(tiling.tile);
  if (gathered)
    collect.within(tiling.tile, lanes_per_warp, most_gathered_tile, "tile");
  else
    collect.require(tiling.tile >= lanes_per_warp && tiling.tile <= most_tile && tiling.tile % lanes_per_warp == 0,
                    "tile", "the tile's side is 32, 64, 96 or 128, not " + side);
  if (!collect.empty()) return;
  const int warps = tiling.threads / lanes_per_warp;
  const int sharing = gathered ? tiling.threads : warps;
  const int nearest = std::gcd(tiling.tile, gathered ? most_cta_threads : tiling.tile);
  collect.require(tiling.tile % sharing == 0, "threads",
                  std::to_string(sharing) + (gathered ? " threads" : " warps") + " do not share " + side +
                      " rows evenly; " + std::to_string(gathered ? nearest : nearest * lanes_per_warp) +
                      " threads would do");
}

/// With the tile chosen.
Schedule transposition(const TransposeProblem& problem, const TransposeTiling& tiling, bool gathered) {
  KernelCollector collect;
  collect.within(problem.rows, 1, most_side, "rows");
  collect.within(problem.columns, 1, most_side, "columns");
  collect.require(is_storable(problem.dtype), "dtype",
                  std::string(name(problem.dtype)) + " exists in the fragments of tensor cores only, not in memory");
  collect.threads(tiling.threads);
  check_tile(tiling, gathered, collect);
  collect.refuse();
  const TransposeWriter writer{problem, tiling};
  Schedule schedule;
  schedule.name = "transpose " + std::to_string(problem.rows) + "x" + std::to_string(problem.columns) + " " +
                  std::string(name(problem.dtype)) + " " + std::string(variant_name(tiling.variant));
  schedule.buffers = {matrix_buffer("X", problem.rows, problem.columns, problem.dtype),
                      matrix_buffer("Y", problem.columns, problem.rows, problem.dtype)};
  schedule.grid_m = divided_up(problem.rows, tiling.tile);
  schedule.grid_n = gathered ? problem.columns : divided_up(problem.columns, tiling.tile);
  // Neighbours along Y are launched one after another.
  if (gathered) schedule.order = TileOrder::column;
  schedule.roles = {{"worker", writer.warps(), gathered ? writer.gather() : writer.write()}};
  if (tiling.variant != TransposeVariant::naive && !gathered) schedule.shared_tiles = {writer.tile()};
  schedule.registers_per_thread = gathered ? gathered_registers : schedules::registers_for(16 + 2 * writer.accesses());
  schedule.work = {0, Pipe::fma, problem.dtype, DType::fp32};
  schedule.choices = {{"variant", std::string(variant_name(tiling.variant))},
                      {"tile", std::to_string(tiling.tile)},
                      {"threads", std::to_string(tiling.threads)}};
  return checked_kernel(std::move(schedule));
}

}  // namespace

Schedule transpose(const TransposeProblem& problem, const TransposeTiling& tiling) {
  const bool gathered = tiling.variant == TransposeVariant::gathered;
  TransposeTiling chosen = tiling;
  if (chosen.tile == 0) chosen.tile = gathered ? 2 * chosen.threads : lanes_per_warp;
  return transposition(problem, chosen, gathered);
}

}  // namespace gpusim::schedules
