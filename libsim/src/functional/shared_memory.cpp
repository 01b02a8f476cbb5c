#include "functional/shared_memory.h"

#include <algorithm>

namespace gpusim::functional {

TileMap::TileMap(const SharedTile& tile)
    : columns_(tile.columns),
      stage_(static_cast<std::size_t>(stage_bytes(tile).count() / size_of(tile.dtype))),
      size_(stage_ * static_cast<std::size_t>(tile.stages)) {
  offsets_.reserve(static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.columns));
  for (std::int64_t row = 0; row < tile.rows; ++row)
    for (std::int64_t column = 0; column < tile.columns; ++column)
      offsets_.push_back(static_cast<std::uint32_t>(offset_of(tile, row, column).count() / size_of(tile.dtype)));
}

SharedMemory::SharedMemory(const std::vector<TileMap>& maps) : maps_(maps) {
  tiles_.reserve(maps.size());
  for (const TileMap& map : maps) tiles_.emplace_back(map.size(), nothing);
}

void SharedMemory::clear() {
  for (std::vector<double>& tile : tiles_) std::fill(tile.begin(), tile.end(), nothing);
}

}  // namespace gpusim::functional
