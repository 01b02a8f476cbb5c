// Sizes and places that follow from a schedule's fields.
#include <algorithm>
#include <cstddef>

#include "gpusim/schedule.h"
#include "sizes.h"

namespace gpusim {
namespace {

constexpr std::int64_t stage_alignment = 128;
constexpr std::int64_t barrier_slot_bytes = 8;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

Bytes size_of(const Buffer& buffer) {
  if (buffer.placement == Placement::one_slice) return Bytes(buffer.layers * buffer.rows * line_bytes);
  const std::int64_t row = buffer.layer_pitch != 0 ? buffer.layer_pitch : buffer.pitch;
  return Bytes(buffer.layers * buffer.rows * row * size_of(buffer.dtype));
}

Bytes span_of(const Buffer& buffer) {
  return buffer.layer_pitch != 0 ? Bytes(buffer.rows * buffer.pitch * size_of(buffer.dtype)) : size_of(buffer);
}

Bytes stage_bytes(const SharedTile& tile) { return Bytes(round_up(tile.rows * tile.pitch.count(), stage_alignment)); }

Bytes size_of(const SharedTile& tile) { return stage_bytes(tile) * tile.stages; }

Bytes offset_of(const SharedTile& tile, std::int64_t row, std::int64_t column) {
  return Bytes(
      swizzled_offset(row, column * size_of(tile.dtype), tile.pitch.count(), static_cast<std::int64_t>(tile.swizzle)));
}

int warps_per_cta(const Schedule& schedule) {
  int warps = 0;
  for (const Role& role : schedule.roles) warps += role.warps;
  return warps;
}

Bytes shared_bytes(const Schedule& schedule) {
  Bytes bytes = tile_offset(schedule, TileId(static_cast<std::int64_t>(schedule.shared_tiles.size())));
  for (const SharedTile& tile : schedule.shared_tiles)
    if (tile.overlaps) bytes = std::max(bytes, size_of(tile));
  for (const Barrier& barrier : schedule.barriers) bytes += Bytes(barrier.slots * barrier_slot_bytes);
  return bytes;
}

Bytes tile_offset(const Schedule& schedule, TileId tile) {
  const auto index = static_cast<std::size_t>(tile.index());
  Bytes offset;
  if (index < schedule.shared_tiles.size() && schedule.shared_tiles[index].overlaps) return offset;
  for (std::size_t i = 0; i < index; ++i)
    if (!schedule.shared_tiles.at(i).overlaps) offset += size_of(schedule.shared_tiles[i]);
  return offset;
}

}  // namespace gpusim
