#include "sm/coalescer.h"

#include <algorithm>

namespace gpusim::sm {
namespace {

/// The chunks of `line` that [begin, end) has part of.
unsigned chunks_within(std::uint64_t line, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t bytes = line_bytes;
  unsigned chunks = whole_line;
  if (begin > line * bytes) chunks &= whole_line << (begin % bytes / chunk_bytes);
  if (end < (line + 1) * bytes) chunks &= whole_line >> (bytes / chunk_bytes - 1 - (end - 1) % bytes / chunk_bytes);
  return chunks;
}

/// Adds [begin, end), which is not empty, to `lines`; calls find(line) for where a line is already.
template <class Find>
void add_bytes(std::int64_t first_byte, std::int64_t end_byte, std::vector<LineChunks>& lines, Find&& find) {
  const auto begin = static_cast<std::uint64_t>(first_byte);
  const auto end = static_cast<std::uint64_t>(end_byte);
  const std::uint64_t last = (end - 1) / line_bytes;
  for (std::uint64_t line = begin / line_bytes; line <= last; ++line) {
    const unsigned chunks = chunks_within(line, begin, end);
    if (LineChunks* const known = find(line))
      known->chunks = (known->chunks | chunks) & whole_line;
    else
      lines.push_back({line, static_cast<std::uint8_t>(chunks)});
  }
}

/// An instruction's base.
struct Place {
  std::int64_t layer_begin = 0;  ///< address
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Lines of the part of the footprint that lies inside the buffer; a vector that begins inside is whole.
std::int64_t clipped(const GlobalPlan& plan, const Footprint& footprint, const Place& base,
                     std::vector<LineChunks>& lines) {
  const Matrix& matrix = plan.matrix;
  const auto whole_vectors = [&](std::int64_t elements) {
    return (elements + plan.vector - 1) / plan.vector * plan.vector;
  };
  std::int64_t asked = 0;
  for (const Segment& segment : footprint.segments) {
    const std::int64_t row = base.row + segment.row;
    const std::int64_t column = base.column + segment.column;
    if (row < 0 || row >= matrix.rows || column >= matrix.columns) continue;
    const std::int64_t before = column < 0 ? whole_vectors(-column) : 0;
    const std::int64_t elements = std::min(segment.elements, whole_vectors(matrix.columns - column)) - before;
    if (elements <= 0) continue;
    const std::int64_t begin = matrix.begin_of(base.layer_begin, row) + (column + before) * matrix.element_bytes;
    add_bytes(begin, begin + elements * matrix.element_bytes, lines, [&](std::uint64_t line) {
      const auto known =
          std::find_if(lines.rbegin(), lines.rend(), [&](const LineChunks& it) { return it.line == line; });
      return known == lines.rend() ? nullptr : &*known;
    });
    asked += elements * matrix.element_bytes;
  }
  return asked;
}

}  // namespace

std::int64_t coalesce(const GlobalPlan& plan, Footprint& footprint, const Coordinates& at,
                      std::vector<LineChunks>& lines) {
  lines.clear();
  const Matrix& matrix = plan.matrix;
  const std::optional<std::int64_t> layer_begin = matrix.layer_begin(at);
  if (!layer_begin) return 0;
  const Place place{*layer_begin, plan.row(at), plan.column(at)};
  const std::int64_t base = place.layer_begin + place.row * matrix.pitch + place.column * matrix.element_bytes;
  const bool inside = !matrix.row_address && place.row + footprint.rows_begin >= 0 &&
                      place.column + footprint.columns_begin >= 0 && place.row + footprint.rows_end <= matrix.rows &&
                      place.column + footprint.columns_end <= matrix.columns && base % chunk_bytes == 0;
  if (!inside) return clipped(plan, footprint, place, lines);

  const std::int64_t base_line = base / line_bytes;
  std::vector<RelativeLine>& pattern =
      footprint.by_alignment[static_cast<std::size_t>(base % line_bytes / chunk_bytes)];
  if (pattern.empty() && footprint.elements != 0) {
    clipped(plan, footprint, place, lines);
    for (const LineChunks& line : lines)
      pattern.push_back({static_cast<std::int32_t>(static_cast<std::int64_t>(line.line) - base_line),
                         static_cast<std::uint8_t>(line.chunks)});
  } else {
    for (const RelativeLine& line : pattern)
      lines.push_back({static_cast<std::uint64_t>(base_line + line.line), line.chunks});
  }
  return footprint.elements * matrix.element_bytes;
}

namespace {

struct Window {
  std::int64_t row_begin, row_end, column_begin, column_end;
};

/// The part of one plane that lies inside the buffer.
Window inside_buffer(const BoxPlan& box, const Coordinates& at, std::int64_t plane) {
  const std::int64_t row = box.row(at) + plane * box.plane_rows;
  const std::int64_t column = box.column(at);
  Window window{std::max(row, std::int64_t{0}), std::min(row + box.rows, box.matrix.rows),
                std::max(column, std::int64_t{0}), std::min(column + box.columns, box.matrix.columns)};
  if (window.column_begin >= window.column_end) window.row_end = window.row_begin;
  window.row_end = std::max(window.row_end, window.row_begin);
  return window;
}

}  // namespace

std::int64_t box_bytes(const BoxPlan& box, const Coordinates& at) {
  if (!box.matrix.layer_begin(at)) return 0;
  std::int64_t elements = 0;
  for (std::int64_t plane = 0; plane < box.planes; ++plane) {
    const Window window = inside_buffer(box, at, plane);
    elements += (window.row_end - window.row_begin) * (window.column_end - window.column_begin);
  }
  return elements * box.matrix.element_bytes;
}

namespace {

/// Lines of the part of the box that lies inside the buffer.
void clipped_box(const BoxPlan& box, const Coordinates& at, std::int64_t layer_begin, std::vector<LineChunks>& lines) {
  const Matrix& matrix = box.matrix;
  for (std::int64_t plane = 0; plane < box.planes; ++plane) {
    const Window window = inside_buffer(box, at, plane);
    const std::int64_t bytes = (window.column_end - window.column_begin) * matrix.element_bytes;
    for (std::int64_t row = window.row_begin; row < window.row_end; ++row) {
      const std::int64_t begin = matrix.begin_of(layer_begin, row) + window.column_begin * matrix.element_bytes;
      // Rows ascend: only the last line can be shared.
      add_bytes(begin, begin + bytes, lines, [&](std::uint64_t line) {
        return !lines.empty() && lines.back().line == line ? &lines.back() : nullptr;
      });
    }
  }
}

/// Where a box begins that lies inside the buffer, rows a pitch apart, at a chunk; nothing for any other.
std::optional<std::int64_t> begin_inside(const BoxPlan& box, const Coordinates& at, std::int64_t layer_begin) {
  const Matrix& matrix = box.matrix;
  const std::int64_t row = box.row(at);
  const std::int64_t column = box.column(at);
  const std::int64_t rows = box.rows + (box.planes - 1) * box.plane_rows;
  if (matrix.row_address || row < 0 || column < 0 || row + rows > matrix.rows || column + box.columns > matrix.columns)
    return std::nullopt;
  const std::int64_t begin = matrix.begin_of(layer_begin, row) + column * matrix.element_bytes;
  return begin % chunk_bytes == 0 ? std::optional(begin) : std::nullopt;
}

}  // namespace

void box_lines(BoxPlan& box, const Coordinates& at, std::vector<LineChunks>& lines) {
  lines.clear();
  const std::optional<std::int64_t> layer_begin = box.matrix.layer_begin(at);
  if (!layer_begin) return;
  const std::optional<std::int64_t> begin = begin_inside(box, at, *layer_begin);
  if (!begin) return clipped_box(box, at, *layer_begin, lines);
  const auto base = static_cast<std::uint64_t>(*begin / line_bytes);
  std::vector<LineChunks>& pattern = box.by_alignment[static_cast<std::size_t>(*begin % line_bytes / chunk_bytes)];
  if (pattern.empty()) {
    clipped_box(box, at, *layer_begin, pattern);
    for (LineChunks& line : pattern) line.line -= base;
  }
  lines = pattern;
  for (LineChunks& line : lines) line.line += base;
}

}  // namespace gpusim::sm
