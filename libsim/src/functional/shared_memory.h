// The shared memory of one CTA while it is executed: elements at the places their tile's layout gives, so that a layout
// which puts two elements in one place shows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::functional {

/// Where the elements of a tile lie; the same for all CTAs.
class TileMap {
 public:
  explicit TileMap(const SharedTile& tile);
  /// Elements of all stages.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t operator()(std::int64_t stage, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(stage) * stage_ + offsets_[static_cast<std::size_t>(row * columns_ + column)];
  }

 private:
  std::int64_t columns_;
  std::size_t stage_;
  std::size_t size_;
  std::vector<std::uint32_t> offsets_;  ///< in elements, row by row
};

class SharedMemory {
 public:
  static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

  /// Keeps a reference to `maps`. Nothing is written yet.
  explicit SharedMemory(const std::vector<TileMap>& maps);

  /// Forgets everything: its CTA has ended.
  void clear();

  [[nodiscard]] double& at(TileId tile, std::int64_t stage, std::int64_t row, std::int64_t column) {
    const auto index = static_cast<std::size_t>(tile.index());
    return tiles_[index][maps_[index](stage, row, column)];
  }

 private:
  const std::vector<TileMap>& maps_;
  std::vector<std::vector<double>> tiles_;
};

}  // namespace gpusim::functional
