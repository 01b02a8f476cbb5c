#include "validate/gemm_notes.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace gpusim::validate {
namespace {

constexpr std::string_view number_letters = "0123456789x";

/// The numbers of "128x64x8" at the beginning of `text`; none when it does not begin so.
std::vector<std::int64_t> sizes_at(std::string_view text) {
  std::vector<std::int64_t> sizes;
  while (true) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 1) return sizes;
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('x')) return sizes;
    text.remove_prefix(1);
  }
}

/// The numbers after the first "key=" that begins a word.
std::vector<std::int64_t> sizes_of(std::string_view notes, const std::string& key) {
  for (std::size_t at = notes.find(key); at != std::string_view::npos; at = notes.find(key, at + 1))
    if (at == 0 || notes[at - 1] == ' ') return sizes_at(notes.substr(at + key.size()));
  return {};
}

/// The numbers before the first " CTA".
std::vector<std::int64_t> sizes_before_cta(std::string_view notes) {
  const std::size_t end = notes.find(" CTA");
  if (end == std::string_view::npos) return {};
  const std::string_view before = notes.substr(0, end);
  const std::size_t last_other = before.find_last_not_of(number_letters);
  return sizes_at(last_other == std::string_view::npos ? before : before.substr(last_other + 1));
}

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

}  // namespace

std::optional<NotedTile> noted_tile(std::string_view notes, std::int64_t m, std::int64_t n) {
  constexpr std::int64_t most = 1024;
  std::vector<std::int64_t> sizes = sizes_of(notes, "cta_tile=");
  if (sizes.empty()) sizes = sizes_before_cta(notes);
  if (sizes.size() < 2 || sizes.size() > 3) return std::nullopt;
  for (const std::int64_t size : sizes)
    if (size > most) return std::nullopt;

  const std::vector<std::int64_t> grid = sizes_of(notes, "grid=");
  if (grid.size() >= 2) {
    // A grid's x counts the tiles along what the kernel calls its rows.
    const bool as_written = tiles(m, sizes[0]) == grid[0] && tiles(n, sizes[1]) == grid[1];
    const bool turned = tiles(n, sizes[0]) == grid[0] && tiles(m, sizes[1]) == grid[1];
    if (turned || !as_written) std::swap(sizes[0], sizes[1]);
  }
  NotedTile tile{static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), std::nullopt};
  if (sizes.size() == 3) tile.k = static_cast<int>(sizes[2]);
  return tile;
}

std::int64_t noted_split(std::string_view notes) {
  const std::vector<std::int64_t> split = sizes_of(notes, "splitK=");
  return split.empty() ? 1 : split.front();
}

}  // namespace gpusim::validate
