// From lanes to lines: the coalescer of global accesses.
//
// Where a warp's lanes begin, relative to the instruction's base row and column, never changes, so it is worked out
// once as a footprint: runs of consecutive elements. Away from the matrix's edges the lines and chunks touched depend
// only on the base address within a line, and are kept per alignment.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "messages.h"
#include "sm/base.h"

namespace gpusim::sm {

/// Consecutive elements of one row, relative to the base.
struct Segment {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t elements = 0;
};

struct RelativeLine {
  std::int32_t line = 0;
  std::uint8_t chunks = 0;
};

/// One warp instruction's elements.
struct Footprint {
  std::vector<Segment> segments;
  std::int64_t rows_begin = 0;  ///< all rows touched lie in [rows_begin, rows_end)
  std::int64_t rows_end = 0;
  std::int64_t columns_begin = 0;
  std::int64_t columns_end = 0;
  std::int64_t elements = 0;
  std::int64_t data_wavefronts = 0;                       ///< passes over L1's data banks
  std::array<std::vector<RelativeLine>, 8> by_alignment;  ///< filled on first use; base at 16-byte multiples
};

/// The address of a row's first byte, where rows do not lie `pitch` apart (Buffer::placement); else empty.
using RowAddress = std::function<std::int64_t(std::int64_t)>;

/// A buffer as it lies in the run's memory.
struct Matrix {
  Layout layer;  ///< which one an access means; may depend on the warp
  std::int64_t layers = 1;
  std::int64_t rows = 0;  ///< of a layer
  std::int64_t columns = 0;
  std::int64_t pitch = 0;       ///< bytes
  std::int64_t layer_step = 0;  ///< bytes from one layer to the next
  std::int64_t address = 0;     ///< of the first element; a multiple of 128
  std::int64_t element_bytes = 0;
  RowAddress row_address;  ///< one row an instruction, of one layer

  /// Where the layer meant begins; none when there is no such layer.
  [[nodiscard]] std::optional<std::int64_t> layer_begin(const Coordinates& at) const {
    const std::int64_t index = layer(at);
    return index < 0 || index >= layers ? std::nullopt : std::optional(address + index * layer_step);
  }
  /// Where a row begins of a layer that begins there.
  [[nodiscard]] std::int64_t begin_of(std::int64_t layer_begin, std::int64_t row) const {
    return row_address ? row_address(row) : layer_begin + row * pitch;
  }
};

/// A global access of a program, as it was lowered for the run's memory.
struct GlobalPlan {
  Base row;
  Base column;
  Matrix matrix;
  std::int64_t vector = 1;
  int first_warp = 0;
  std::int64_t repeats = 1;
  std::vector<Footprint> footprints;  ///< [(warp - first_warp) * repeats + repeat]

  [[nodiscard]] Footprint& footprint(int warp, std::int64_t repeat) {
    return footprints[static_cast<std::size_t>((warp - first_warp) * repeats + repeat)];
  }
};

/// The lines one instruction touches, each once, in `lines` (which is cleared); returns the bytes its active lanes ask
/// for.
std::int64_t coalesce(const GlobalPlan& plan, Footprint& footprint, const Coordinates& at,
                      std::vector<LineChunks>& lines);

/// A rows x columns box of a bulk copy or store: its lines, row by row. Parts outside the buffer have none.
struct BoxPlan {
  Base row;
  Base column;
  Matrix matrix;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t planes = 1;
  std::int64_t plane_rows = 0;
  int rank = 2;
  /// Lines of a box that lies inside the buffer, less the one it begins in; filled on first use, by where in that line
  /// it begins, in chunks.
  std::array<std::vector<LineChunks>, 8> by_alignment{};
};
/// Bytes of the box inside the buffer.
std::int64_t box_bytes(const BoxPlan& box, const Coordinates& at);
void box_lines(BoxPlan& box, const Coordinates& at, std::vector<LineChunks>& lines);

}  // namespace gpusim::sm
