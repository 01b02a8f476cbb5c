#include "estimate/footprint.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sizes.h"

namespace gpusim::estimate {
namespace {

/// How many different units of so many bytes these words lie in.
std::int64_t distinct(const std::vector<std::int64_t>& sorted_words, std::int64_t bytes) {
  std::int64_t count = 0;
  std::int64_t last = -1;
  for (const std::int64_t word : sorted_words) {
    const std::int64_t unit = word * word_bytes / bytes;
    if (unit != last) ++count;
    last = unit;
  }
  return count;
}

/// Of different words.
std::int64_t most_in_a_bank(const std::vector<std::int64_t>& words) {
  std::array<std::int64_t, bank_count> wanted{};
  for (const std::int64_t word : words) ++wanted[static_cast<std::size_t>(word % bank_count)];
  return *std::max_element(wanted.begin(), wanted.end());
}

/// Values a layout takes: how far apart the outermost are, and at most how many.
struct Reach {
  std::int64_t extent = 0;
  std::int64_t values = 1;

  /// Elements from the first to the last when each value stands for `width` of them.
  [[nodiscard]] std::int64_t elements(std::int64_t width) const { return std::min(extent + width, values * width); }
};

Reach reach_of(const Layout& layout, const Spans& over) {
  constexpr std::int64_t many = std::int64_t{1} << 31;
  Reach reach;
  for (const Term& term : layout.terms()) {
    const Span& span = over[static_cast<std::size_t>(term.source)];
    const std::int64_t first = (span.first + term.shift) / term.divisor;
    const std::int64_t last = (span.first + span.count - 1 + term.shift) / term.divisor;
    std::int64_t digits = last - first + 1;
    if (term.modulus != 0) digits = std::min(digits, term.modulus);
    reach.extent += (digits - 1) * std::abs(term.stride);
    reach.values = std::min(reach.values * digits, many);
  }
  return reach;
}

}  // namespace

Sectors sectors_of(const GlobalAccess& access, const Buffer& buffer, const Coordinates& at) {
  const std::int64_t element = size_of(buffer.dtype);
  std::vector<std::int64_t> words;
  Sectors sum;
  std::int64_t first = buffer.columns;
  std::int64_t last = 0;
  Coordinates place = at;
  std::int64_t& lane = place[static_cast<std::size_t>(Coordinate::lane)];
  for (lane = 0; lane < lanes_per_warp; ++lane) {
    if (access.lanes && access.lanes->value(place) >= access.lanes->limit) continue;
    const std::int64_t row = access.row(place);
    const std::int64_t column = access.column(place);
    if (row < 0 || column < 0 || row >= buffer.rows || column >= buffer.columns) continue;
    // One line a row where a buffer lies in one slice.
    const std::int64_t begin = buffer.placement == Placement::linear ? (row * buffer.pitch + column) * element
                                                                     : row * line_bytes + column * element;
    const std::int64_t end = begin + access.vector * element;
    for (std::int64_t word = begin / word_bytes; word * word_bytes < end; ++word) words.push_back(word);
    sum.bytes += access.vector * element;
    first = std::min(first, column);
    last = std::max(last, column + access.vector);
  }
  sum.run = std::max<std::int64_t>(0, last - first) * element;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  sum.sectors = distinct(words, sector_bytes);
  sum.lines = distinct(words, line_bytes);
  sum.passes = most_in_a_bank(words);
  return sum;
}

Panel::Panel(const GlobalAccess& access, const Buffer& buffer, const Spans& over, const Sectors& sectors)
    : buffer_(&buffer), row_(&access.row), column_(&access.column), layer_(&access.layer) {
  measure(1, access.vector, over);
  if (sectors.lines == 0) return;
  const double part = static_cast<double>(sectors.sectors * sector_bytes) / static_cast<double>(sectors.lines);
  ask(sectors.run, access.whole_lines ? line_bytes : part);
}

Panel::Panel(const BulkCopy& copy, const Buffer& buffer, const Spans& over)
    : buffer_(&buffer), row_(&copy.row), column_(&copy.column), layer_(&copy.layer) {
  measure(copy.rows * copy.planes, copy.columns, over);
  const std::int64_t run = copy.columns * size_of(buffer.dtype);
  ask(run, static_cast<double>(std::min<std::int64_t>(run, line_bytes)));
}

Panel::Panel(const BulkStore& store, const Buffer& buffer, const Spans& over)
    : buffer_(&buffer), row_(&store.row), column_(&store.column), layer_(&store.layer) {
  measure(store.rows, store.columns, over);
}

/// Where a loop goes on beside what it has just asked for, lines side by side are asked for one after another, each in
/// a row of its own. Elsewhere other warps and CTAs ask for what lies between.
void Panel::ask(std::int64_t run, double bytes_of_line) {
  const auto goes_on = [&](const Term& term) {
    const bool is_loop =
        term.source == Coordinate::loop0 || term.source == Coordinate::loop1 || term.source == Coordinate::loop2;
    return is_loop && std::abs(term.stride) * size_of(buffer_->dtype) <= run * term.divisor;
  };
  if (std::any_of(column_->terms().begin(), column_->terms().end(), goes_on)) lines_alone_ = 1 / bytes_of_line;
}

/// The box of all places of `rows` x `columns` elements.
void Panel::measure(std::int64_t rows, std::int64_t columns, const Spans& over) {
  const std::int64_t high = std::min(reach_of(*row_, over).elements(rows), buffer_->rows);
  const std::int64_t wide = std::min(reach_of(*column_, over).elements(columns), buffer_->columns);
  bytes_ = static_cast<double>(high) * static_cast<double>(wide * size_of(buffer_->dtype));
}

}  // namespace gpusim::estimate
