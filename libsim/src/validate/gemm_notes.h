// What a table's schedule_notes say about how a kernel cut its product.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpusim::validate {

/// A CTA's tile, its sides as our row-major C has them.
struct NotedTile {
  int m = 0;
  int n = 0;
  std::optional<int> k;
};

/// "cta_tile=128x64", "cta_tile=128x64x8" or "128x64x8 CTA". A kernel noted with its grid ("grid=30x32x2") is a
/// library's, which thinks in columns: its first side goes with n, unless the grid fits m x n the other way only.
[[nodiscard]] std::optional<NotedTile> noted_tile(std::string_view notes, std::int64_t m, std::int64_t n);

/// "splitK=9"; 1 when nothing is said.
[[nodiscard]] std::int64_t noted_split(std::string_view notes);

}  // namespace gpusim::validate
