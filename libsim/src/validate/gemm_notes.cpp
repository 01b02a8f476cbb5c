#include "validate/gemm_notes.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace gpusim::validate {
namespace {

constexpr std::string_view number_letters = "0123456789x";
constexpr std::int64_t most = 1024;  ///< of a side, of threads

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

/// The numbers before the first `word`.
std::vector<std::int64_t> sizes_before(std::string_view notes, std::string_view word) {
  const std::size_t end = notes.find(word);
  if (end == std::string_view::npos) return {};
  const std::string_view before = notes.substr(0, end);
  const std::size_t last_other = before.find_last_not_of(number_letters);
  return sizes_at(last_other == std::string_view::npos ? before : before.substr(last_other + 1));
}

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

std::optional<int> number_of(std::string_view notes, const std::string& key) {
  const std::vector<std::int64_t> sizes = sizes_of(notes, key);
  if (sizes.size() != 1 || sizes.front() > most) return std::nullopt;
  return static_cast<int>(sizes.front());
}

std::optional<schedules::GemmShape> shape_of(const std::vector<std::int64_t>& sizes) {
  if (sizes.size() != 2 || sizes[0] > most || sizes[1] > most) return std::nullopt;
  return schedules::GemmShape{static_cast<int>(sizes[0]), static_cast<int>(sizes[1])};
}

/// "smemA=0"
std::optional<bool> flag_of(std::string_view notes, const std::string& key) {
  const std::size_t at = notes.find(key);
  if (at == std::string_view::npos || at + key.size() >= notes.size()) return std::nullopt;
  return notes[at + key.size()] != '0';
}

std::optional<int> stages_of(std::string_view notes) {
  if (const auto stages = number_of(notes, "stages=")) return stages;
  if (const auto before = sizes_before(notes, "-stage"); before.size() == 1) return static_cast<int>(before.front());
  constexpr std::string_view in_name = "_stage";
  if (const std::size_t at = notes.find(in_name); at != std::string_view::npos)
    if (const auto after = sizes_at(notes.substr(at + in_name.size())); after.size() == 1)
      return static_cast<int>(after.front());
  return std::nullopt;
}

std::optional<int> slices_of(std::string_view notes) {
  constexpr std::string_view sliced = "_sliced1x";
  const std::size_t at = notes.find(sliced);
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::int64_t> slices = sizes_at(notes.substr(at + sliced.size()));
  if (slices.size() != 1 || slices.front() < 1 || slices.front() > most) return std::nullopt;
  return static_cast<int>(slices.front());
}

}  // namespace

std::optional<NotedKernel> noted_kernel(std::string_view notes, std::int64_t m, std::int64_t n) {
  std::vector<std::int64_t> sizes = sizes_of(notes, "cta_tile=");
  if (sizes.empty()) sizes = sizes_before(notes, " CTA");
  if (sizes.size() < 2 || sizes.size() > 3) return std::nullopt;
  for (const std::int64_t size : sizes)
    if (size > most) return std::nullopt;

  NotedKernel kernel;
  const std::vector<std::int64_t> grid = sizes_of(notes, "grid=");
  kernel.split = number_of(notes, "splitK=");
  if (grid.size() >= 2) {
    // A grid's x counts the tiles along what the kernel calls its rows.
    const bool as_written = tiles(m, sizes[0]) == grid[0] && tiles(n, sizes[1]) == grid[1];
    const bool turned = tiles(n, sizes[0]) == grid[0] && tiles(m, sizes[1]) == grid[1];
    if (turned || !as_written) std::swap(sizes[0], sizes[1]);
    if (!kernel.split) kernel.split = 1;
  }
  kernel.m = static_cast<int>(sizes[0]);
  kernel.n = static_cast<int>(sizes[1]);
  kernel.k = sizes.size() == 3 ? static_cast<int>(sizes[2]) : number_of(notes, "kblk=");
  kernel.threads = number_of(notes, "block=");
  kernel.slices = slices_of(notes);
  kernel.stages = stages_of(notes);
  kernel.warp_tile = shape_of(sizes_before(notes, " warp"));
  kernel.thread_tile = shape_of(sizes_of(notes, "thread_tile="));
  kernel.thread_grid = shape_of(sizes_of(notes, "threads="));
  if (const auto along_m = number_of(notes, "vecM="), along_n = number_of(notes, "vecN="); along_m && along_n)
    kernel.vectors = schedules::GemmShape{*along_m, *along_n};
  kernel.stage_a = flag_of(notes, "smemA=");
  kernel.stage_b = flag_of(notes, "smemB=");
  kernel.unroll = number_of(notes, "KWI=");
  kernel.copy_lanes_a = number_of(notes, "MDIMA=");
  kernel.copy_lanes_b = number_of(notes, "NDIMB=");
  return kernel;
}

NotedKernel turned(const NotedKernel& kernel) {
  NotedKernel result = kernel;
  std::swap(result.m, result.n);
  for (auto* const shape : {&result.warp_tile, &result.thread_tile, &result.thread_grid, &result.vectors})
    if (*shape) std::swap((*shape)->m, (*shape)->n);
  std::swap(result.stage_a, result.stage_b);
  std::swap(result.copy_lanes_a, result.copy_lanes_b);
  return result;
}

NotedLayout noted_layout(std::string_view text) {
  using enum schedules::GemmLayout;
  constexpr std::string_view of_a = "op(A)=";
  constexpr std::string_view of_b = " op(B)=";
  if (text.starts_with(of_a)) {
    // What lies in columns is the transposed, in rows: C' = B' A'.
    const bool a = text.substr(of_a.size()).starts_with('T');
    const std::size_t at = text.find(of_b);
    const bool b = at != std::string_view::npos && text.substr(at + of_b.size()).starts_with('T');
    return {b ? (a ? tt : tn) : (a ? nt : nn), true};
  }
  if (text.starts_with("A col")) return {tn, true};
  if (text.starts_with("TN") || text.starts_with("NT") || text.starts_with("row x col")) return {nt, false};
  return {};
}

}  // namespace gpusim::validate
