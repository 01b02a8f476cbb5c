#include <cmath>
#include <string>

#include "schedule/collector.h"
#include "schedule/grid_problems.h"
#include "schedule/structure.h"
#include "sizes.h"

namespace gpusim::schedule {
namespace {

constexpr std::int64_t bank_bytes = 4;

/// Whether it is a type that memory can hold; without, sizes mean nothing.
bool check_type(DType dtype, const std::string& where, Collector& collect) {
  collect.require(is_storable(dtype), where + "/dtype",
                  std::string(name(dtype)) + " is a type of tensor-core fragments only, not of memory");
  return is_storable(dtype);
}

void check_placement(const Buffer& buffer, const std::string& where, Collector& collect) {
  collect.require(buffer.slice >= 0, where + "/slice", "a slice has a number of at least 0");
  collect.require(buffer.placement == Placement::linear || buffer.layers == 1, where + "/layers",
                  "scattered rows are of one layer, not of " + std::to_string(buffer.layers));
  if (buffer.placement == Placement::shuffled)
    collect.require(buffer.rows > 0 && (buffer.rows & (buffer.rows - 1)) == 0, where + "/placement",
                    "shuffled rows need a power of two of them, not " + std::to_string(buffer.rows));
  if (buffer.placement == Placement::one_slice)
    collect.require(buffer.pitch <= line_bytes / size_of(buffer.dtype), where + "/placement",
                    "rows of one slice take at most " + std::to_string(line_bytes) + " bytes each, pitch included");
}

/// Layers side by side keep apart, within a row's pitch.
void check_layer_pitch(const Buffer& buffer, const std::string& where, Collector& collect) {
  if (buffer.layer_pitch == 0) return;
  collect.within(buffer.layer_pitch, buffer.columns, most_buffer_bytes, where + "/layer_pitch", "the pitch of layers");
  collect.require(buffer.layer_pitch < 0 || buffer.layers <= buffer.pitch / buffer.layer_pitch, where + "/layer_pitch",
                  std::to_string(buffer.layers) + " layers " + std::to_string(buffer.layer_pitch) +
                      " elements apart are more than the " + std::to_string(buffer.pitch) +
                      " from one row to the next");
}

void check_buffer(const Buffer& buffer, const std::string& where, Collector& collect) {
  collect.within(buffer.rows, 1, most_extent, where + "/rows", "the number of rows");
  collect.within(buffer.columns, 1, most_columns, where + "/columns", "the number of columns");
  collect.within(buffer.layers, 1, most_extent, where + "/layers", "the number of layers");
  collect.within(buffer.pitch, buffer.columns, most_buffer_bytes, where + "/pitch", "the pitch");
  check_layer_pitch(buffer, where, collect);
  if (!check_type(buffer.dtype, where, collect)) return;
  const double layers = buffer.layer_pitch != 0 ? 1 : static_cast<double>(buffer.layers);
  const double bytes =
      layers * static_cast<double>(buffer.rows) * static_cast<double>(buffer.pitch) * size_of(buffer.dtype);
  collect.require(bytes < static_cast<double>(most_buffer_bytes), where, "the buffer is larger than 2^47 bytes");
  const std::int64_t granule = 16 / size_of(buffer.dtype);
  collect.require(buffer.pitch % granule == 0, where + "/pitch", "rows must begin at multiples of 16 bytes");
  collect.require(buffer.layer_pitch % granule == 0, where + "/layer_pitch",
                  "layers must begin at multiples of 16 bytes");
  check_placement(buffer, where, collect);
}

void check_tile(const SharedTile& tile, const std::string& where, Collector& collect) {
  collect.within(tile.rows, 1, most_tile_extent, where + "/rows", "the number of rows");
  collect.within(tile.columns, 1, most_tile_extent, where + "/columns", "the number of columns");
  collect.within(tile.stages, 1, most_stages, where + "/stages", "the number of stages");
  if (!check_type(tile.dtype, where, collect)) return;
  const std::int64_t pitch = tile.pitch.count();
  collect.within(pitch, std::int64_t{tile.columns} * size_of(tile.dtype), most_shared_bytes, where + "/pitch",
                 "the pitch in bytes");
  collect.require(pitch % bank_bytes == 0, where + "/pitch", "rows must begin at multiples of 4 bytes");
  const auto width = static_cast<std::int64_t>(tile.swizzle);
  collect.require(width == 0 || pitch % width == 0, where + "/swizzle",
                  "a swizzle of " + std::to_string(width) + " bytes needs a pitch that is a multiple of it");
}

void check_role(const Role& role, const std::string& where, Collector& collect) {
  collect.within(role.warps, 1, most_warps, where + "/warps", "the number of warps");
  collect.names(role.program.tokens, most_tokens, where + "/program/tokens");
}

/// Bytes of all tiles, safe from overflow whatever their sizes.
double shared_estimate(const Schedule& schedule) {
  double bytes = 0;
  for (const SharedTile& tile : schedule.shared_tiles)
    bytes += static_cast<double>(tile.rows) * static_cast<double>(tile.pitch.count()) * tile.stages;
  return bytes;
}

}  // namespace

std::vector<Problem> resource_problems(const Schedule& schedule) {
  std::vector<Problem> problems;
  Collector collect(problems);
  check_grid(schedule, collect);
  collect.within(schedule.registers_per_thread, 1, most_registers, "/registers_per_thread",
                 "the number of registers a thread");
  collect.require(std::isfinite(schedule.work.flops) && schedule.work.flops >= 0, "/work/flops",
                  "useful operations are a number of at least 0");
  collect.require(schedule.work.pipe == Pipe::tensor || schedule.work.pipe == Pipe::fma, "/work/pipe",
                  "useful operations run on the tensor or fma pipe, not " + std::string(name(schedule.work.pipe)));
  collect.names(schedule.buffers, most_things, "/buffers");
  collect.names(schedule.shared_tiles, most_things, "/shared_tiles");
  collect.names(schedule.barriers, most_things, "/barriers");
  collect.names(schedule.roles, most_roles, "/roles");
  collect.require(!schedule.roles.empty(), "/roles", "a schedule needs at least one role");
  for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
    check_buffer(schedule.buffers[i], "/buffers/" + std::to_string(i), collect);
  for (std::size_t i = 0; i < schedule.shared_tiles.size(); ++i)
    check_tile(schedule.shared_tiles[i], "/shared_tiles/" + std::to_string(i), collect);
  collect.require(shared_estimate(schedule) <= static_cast<double>(most_shared_bytes), "/shared_tiles",
                  "the tiles take more than 16 MiB");
  for (std::size_t i = 0; i < schedule.barriers.size(); ++i) {
    const std::string where = "/barriers/" + std::to_string(i);
    collect.within(schedule.barriers[i].slots, 1, most_slots, where + "/slots", "the number of slots");
    collect.within(schedule.barriers[i].arrivals, 1, most_slots, where + "/arrivals", "the number of arrivals");
  }
  std::int64_t warps = 0;
  for (std::size_t i = 0; i < schedule.roles.size(); ++i) {
    check_role(schedule.roles[i], "/roles/" + std::to_string(i), collect);
    warps += schedule.roles[i].warps;
  }
  collect.require(warps <= most_warps, "/roles",
                  "a CTA of " + std::to_string(warps) + " warps; the most is " + std::to_string(most_warps));
  return problems;
}

}  // namespace gpusim::schedule
