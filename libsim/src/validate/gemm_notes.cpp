#include "validate/gemm_notes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "validate/measured_table.h"
#include "validate/note_values.h"

namespace gpusim::validate {
namespace {

struct LayoutForm {
  std::string_view text;
  NotedLayout layout;
};

// Small letters are the schedules' own names. What lies in columns is the transposed, in rows: C' = B' A'.
constexpr std::array layout_forms{
    LayoutForm{"nn", {schedules::GemmLayout::nn, false}},
    LayoutForm{"nt", {schedules::GemmLayout::nt, false}},
    LayoutForm{"tn", {schedules::GemmLayout::tn, false}},
    LayoutForm{"tt", {schedules::GemmLayout::tt, false}},
    LayoutForm{"NN", {schedules::GemmLayout::nn, false}},
    LayoutForm{"NN row-major", {schedules::GemmLayout::nn, false}},
    LayoutForm{"NT", {schedules::GemmLayout::nt, false}},
    LayoutForm{"TN", {schedules::GemmLayout::nt, false}},
    LayoutForm{"row x col", {schedules::GemmLayout::nt, false}},
    LayoutForm{"A col(MxK,m fastest) B (KxN,n fastest)", {schedules::GemmLayout::tn, true}},
    LayoutForm{"A col", {schedules::GemmLayout::tn, true}},
    LayoutForm{"op(A)=N op(B)=N col-major", {schedules::GemmLayout::nn, true}},
    LayoutForm{"op(A)=N op(B)=T col-major", {schedules::GemmLayout::tn, true}},
    LayoutForm{"op(A)=T op(B)=N col-major", {schedules::GemmLayout::nt, true}},
    LayoutForm{"op(A)=T op(B)=T col-major", {schedules::GemmLayout::tt, true}}};

/// Nothing, or one pair of brackets and nothing behind it: "(x[m,k] row, W[n,k] row)". What says that matrices lie in
/// columns is no remark.
bool is_remark(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.empty()) return true;
  return text.front() == '(' && text.find(')') == text.size() - 1 && text.find("col-major") == std::string_view::npos;
}

std::string unknown_layout(std::string_view text) {
  std::vector<std::string_view> forms;
  std::string list;
  for (const LayoutForm& form : layout_forms) {
    forms.push_back(form.text);
    list += (list.empty() ? "" : ", ") + std::string(form.text);
  }
  return "unknown layout " + in_quotes(text) + did_you_mean(text, forms) + " (there are " + list +
         "; a remark in brackets may follow)";
}

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

/// The numbers before the first `word`.
std::vector<std::int64_t> sizes_before(std::string_view notes, std::string_view word) {
  const std::size_t end = notes.find(word);
  if (end == std::string_view::npos) return {};
  const std::string_view before = notes.substr(0, end);
  const std::size_t last_other = before.find_last_not_of(number_letters);
  return sizes_at(last_other == std::string_view::npos ? before : before.substr(last_other + 1));
}

std::int64_t tiles(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

std::optional<int> number_of(std::string_view notes, std::string_view key) {
  const std::vector<std::int64_t> values = note_values(notes, key);
  return values.empty() ? std::nullopt : std::optional(static_cast<int>(values.front()));
}

/// "block=16x16"
std::optional<int> product_of(std::string_view notes, std::string_view key) {
  const std::vector<std::int64_t> values = note_values(notes, key);
  if (values.empty()) return std::nullopt;
  return static_cast<int>(std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>()));
}

std::optional<schedules::GemmShape> shape_of(const std::vector<std::int64_t>& sizes) {
  if (sizes.size() != 2 || sizes[0] > most_noted || sizes[1] > most_noted) return std::nullopt;
  return schedules::GemmShape{static_cast<int>(sizes[0]), static_cast<int>(sizes[1])};
}

/// "smemA=0"
std::optional<bool> flag_of(std::string_view notes, std::string_view key) {
  const std::vector<std::int64_t> values = note_values(notes, key);
  return values.empty() ? std::nullopt : std::optional(values.front() != 0);
}

/// What CUTLASS's names tell behind the tile of a kernel of FFMAs: "_simt_sgemm_128x256_8x4_tn" goes through k in steps
/// of 8 and has 4 stages.
std::vector<std::int64_t> steps_and_stages(std::string_view notes) {
  constexpr std::string_view family = "_simt_sgemm_";
  const std::size_t at = notes.find(family);
  if (at == std::string_view::npos) return {};
  const std::string_view name = notes.substr(at + family.size());
  const std::size_t behind_tile = name.find('_');
  if (behind_tile == std::string_view::npos) return {};
  const std::vector<std::int64_t> sizes = sizes_at(name.substr(behind_tile + 1));
  return sizes.size() == 2 ? sizes : std::vector<std::int64_t>();
}

std::optional<int> stages_of(std::string_view notes) {
  if (const auto stages = number_of(notes, "stages")) return stages;
  if (const auto before = sizes_before(notes, "-stage"); before.size() == 1) return static_cast<int>(before.front());
  constexpr std::string_view in_name = "_stage";
  if (const std::size_t at = notes.find(in_name); at != std::string_view::npos)
    if (const auto after = sizes_at(notes.substr(at + in_name.size())); after.size() == 1)
      return static_cast<int>(after.front());
  if (const auto both = steps_and_stages(notes); !both.empty()) return static_cast<int>(both.back());
  return std::nullopt;
}

std::optional<int> slices_of(std::string_view notes) {
  constexpr std::string_view sliced = "_sliced1x";
  const std::size_t at = notes.find(sliced);
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::int64_t> slices = sizes_at(notes.substr(at + sliced.size()));
  if (slices.size() != 1 || slices.front() < 1 || slices.front() > most_noted) return std::nullopt;
  return static_cast<int>(slices.front());
}

}  // namespace

std::optional<NotedKernel> noted_kernel(std::string_view notes, std::int64_t m, std::int64_t n) {
  std::vector<std::int64_t> sizes = note_values(notes, "cta_tile");
  if (sizes.empty()) sizes = sizes_before(notes, " CTA");
  if (sizes.size() < 2 || sizes.size() > 3) return std::nullopt;
  for (const std::int64_t size : sizes)
    if (size > most_noted) return std::nullopt;

  NotedKernel kernel;
  const std::vector<std::int64_t> grid = note_values(notes, "grid");
  kernel.split = number_of(notes, "splitK");
  if (grid.size() >= 2) {
    // A grid's x counts the tiles along what the kernel calls its rows.
    const bool as_written = tiles(m, sizes[0]) == grid[0] && tiles(n, sizes[1]) == grid[1];
    const bool turned = tiles(n, sizes[0]) == grid[0] && tiles(m, sizes[1]) == grid[1];
    if (turned || !as_written) std::swap(sizes[0], sizes[1]);
    if (!kernel.split) kernel.split = 1;
  }
  kernel.m = static_cast<int>(sizes[0]);
  kernel.n = static_cast<int>(sizes[1]);
  kernel.k = sizes.size() == 3 ? static_cast<int>(sizes[2]) : number_of(notes, "kblk");
  if (const auto both = steps_and_stages(notes); !kernel.k && !both.empty()) kernel.k = static_cast<int>(both.front());
  kernel.threads = product_of(notes, "block");
  kernel.slices = slices_of(notes);
  kernel.stages = stages_of(notes);
  kernel.warp_tile = shape_of(sizes_before(notes, " warp"));
  kernel.thread_tile = shape_of(note_values(notes, "thread_tile"));
  kernel.thread_grid = shape_of(note_values(notes, "threads"));
  if (const auto along_m = number_of(notes, "vecM"), along_n = number_of(notes, "vecN"); along_m && along_n)
    kernel.vectors = schedules::GemmShape{*along_m, *along_n};
  kernel.stage_a = flag_of(notes, "smemA");
  kernel.stage_b = flag_of(notes, "smemB");
  kernel.unroll = number_of(notes, "KWI");
  kernel.copy_lanes_a = number_of(notes, "MDIMA");
  kernel.copy_lanes_b = number_of(notes, "NDIMB");
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

std::optional<NotedLayout> noted_layout(std::string_view text) {
  if (text.empty()) return NotedLayout();
  for (const LayoutForm& form : layout_forms)
    if (text.starts_with(form.text) && is_remark(text.substr(form.text.size()))) return form.layout;
  return std::nullopt;
}

std::optional<Problem> unreadable(std::string_view layout, std::string_view notes) {
  if (!noted_layout(layout)) return Problem{"layout", unknown_layout(layout)};
  if (const auto problem = note_problem(notes)) return Problem{"schedule_notes", *problem};
  return std::nullopt;
}

}  // namespace gpusim::validate
