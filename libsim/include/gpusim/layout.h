// Layouts: integer functions from where an instruction runs to what it touches.
//
// A Layout maps coordinates (lane, warp, repeat, block, loop indices) to an integer: a row, a column, a buffer stage, a
// barrier phase. It is a sum of terms  stride * (((coordinate + shift) / divisor) % modulus)  plus an offset, which
// covers the hierarchical shape:stride maps GPU kernels use and the ring of stages of a pipeline (the stage of the tile
// `shift` tiles ahead), and stays cheap to evaluate and to take apart.
//
//   Layout row = along(Coordinate::block_m, 128) + along(Coordinate::lane, 1, /*divisor*/ 4) + 16;
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gpusim {

/// What an address may depend on.
enum class Coordinate : std::uint8_t {
  lane,     ///< 0..31 within the warp
  warp,     ///< index of the warp within its CTA
  repeat,   ///< index of the instruction within an operation of count > 1
  block_m,  ///< CTA coordinate along the rows of the output
  block_n,  ///< CTA coordinate along the columns of the output
  loop0,    ///< index of the outermost loop
  loop1,
  loop2,
  block_z,  ///< CTA coordinate along layers: a product of a batch, or a slice of k
  k_begin,  ///< number of the first k tile of the work item, less the k tiles of the CTA's items before it
  partial,  ///< 1 when the work item covers part of k only, else 0
  k_count,  ///< k tiles of the work item
};
inline constexpr std::size_t coordinate_count = 12;

/// A value for every coordinate.
using Coordinates = std::array<std::int64_t, coordinate_count>;

struct Term {
  Coordinate source = Coordinate::lane;
  std::int64_t stride = 1;
  std::int64_t divisor = 1;  ///< > 0
  std::int64_t modulus = 0;  ///< 0: none
  std::int64_t shift = 0;    ///< added to the coordinate first; >= 0
  bool operator==(const Term&) const = default;
};

/// The term's digit times its stride.
[[nodiscard]] inline std::int64_t value_of(const Term& term, const Coordinates& at) {
  const std::int64_t digit = (at[static_cast<std::size_t>(term.source)] + term.shift) / term.divisor;
  return (term.modulus != 0 ? digit % term.modulus : digit) * term.stride;
}

class Layout {
 public:
  Layout() = default;
  Layout(std::int64_t offset) : offset_(offset) {}  // NOLINT: a constant is a layout

  [[nodiscard]] std::int64_t operator()(const Coordinates& at) const {
    std::int64_t sum = offset_;
    for (const Term& term : terms_) sum += value_of(term, at);
    return sum;
  }

  [[nodiscard]] std::int64_t offset() const { return offset_; }
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] bool depends_on(Coordinate source) const;

  /// Throws std::logic_error unless divisor > 0, modulus >= 0 and shift >= 0.
  Layout& add(Term term);
  Layout& operator+=(const Layout& other);
  friend Layout operator+(Layout a, const Layout& b) { return a += b; }
  /// The same function times a factor.
  friend Layout operator*(const Layout& layout, std::int64_t factor);

  bool operator==(const Layout&) const = default;

 private:
  std::int64_t offset_ = 0;
  std::vector<Term> terms_;
};

/// stride * (((source + shift) / divisor) % modulus); modulus 0 means none.
[[nodiscard]] Layout along(Coordinate source, std::int64_t stride = 1, std::int64_t divisor = 1,
                           std::int64_t modulus = 0, std::int64_t shift = 0);

/// Byte offset of (row, byte_in_row) in a tile of rows `pitch` bytes apart, with an XOR swizzle of `width` bytes (0:
/// none; 32, 64, 128): the index of the 16-byte chunk within the row is XORed with the row, counted in 128-byte lines
/// where rows are shorter than that. A bijection when `pitch` is a multiple of `width`.
[[nodiscard]] constexpr std::int64_t swizzled_offset(std::int64_t row, std::int64_t byte_in_row, std::int64_t pitch,
                                                     std::int64_t width) {
  if (width == 0) return row * pitch + byte_in_row;
  const std::int64_t rows_per_line = pitch < 128 ? 128 / pitch : 1;
  const std::int64_t chunk = (byte_in_row / 16) ^ ((row / rows_per_line) % (width / 16));
  return row * pitch + chunk * 16 + byte_in_row % 16;
}

}  // namespace gpusim
