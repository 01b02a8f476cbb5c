// What a CTA works on: its work items, and a warp's place among them.
//
// A CTA's items are known from its number, so the SM asks for them as it needs them. Each warp walks them by itself:
// the warp that copies may be at an item, or a k tile, far ahead of those that multiply.
#pragma once

#include <cstdint>
#include <functional>

namespace gpusim::sm {

/// A tile of the output, and which of its k tiles.
struct Item {
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;
  std::int64_t block_z = 0;
  std::int64_t k_first = 0;
  std::int64_t k_tiles = 0;
  bool partial = false;
};

/// The items of every CTA.
struct Items {
  std::function<std::int64_t(std::int64_t cta)> count;
  std::function<Item(std::int64_t cta, std::int64_t index)> at;
};

/// Where a warp is.
struct WalkPlace {
  std::int64_t items = 0;     ///< of its CTA
  std::int64_t k_tiles = 0;   ///< of its item
  std::int64_t k_before = 0;  ///< k tiles of the items before, where the index goes on
};

}  // namespace gpusim::sm
