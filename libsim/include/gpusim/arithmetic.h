// Arithmetic on a warp's fragments, element by element: what softmax, norms and reductions are made of.
//
// Parts of a Program's operations (program.h). An operation of `count` instructions has its whole meaning in one go;
// how many instructions that takes, and on which pipe, the schedule says. What takes several pipes (a division, GELU)
// is a Map with the meaning and Arithmetic without any beside it.
//
// A row's elements are dealt to lanes, and so is what lanes know about the row: a fragment with a column for each
// slot. Reduce makes it of a lane's own elements, Shuffle and Map bring it together:
//
//   Reduce{.from = x, .into = sum, .dealing = {4, 32}}             each lane adds up its own elements
//   Shuffle{.from = sum, .into = other, .distance = 16}            the lane 16 away
//   Map{.into = sum, .a = sum, .b = other}                         ... and so on for 8, 4, 2, 1
//   Map{.into = x, .a = x, .b = sum, .beta = -1, .b_from = BroadcastFrom::row, .dealing = {4, 32}}
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/access.h"

namespace gpusim {

/// Where arithmetic runs.
enum class Pipe : std::uint8_t { fma, alu, sfu, tensor };
inline constexpr std::size_t pipe_count = 4;
[[nodiscard]] std::string_view name(Pipe pipe);

/// How the elements of a row are dealt to the lanes that share it: element `column` is slot (column / vector) % slots'.
struct Dealing {
  int vector = 1;
  int slots = 1;
  bool operator==(const Dealing&) const = default;
};

enum class Combination : std::uint8_t { sum, product, quotient, maximum, power };
[[nodiscard]] constexpr std::array<std::string_view, 5> names_of(Combination) {
  return {"sum", "product", "quotient", "maximum", "power"};
}

/// Of one element. gelu and silu are those of Activation.
enum class Function : std::uint8_t { identity, relu, gelu, silu, tanh, exp, exp2, reciprocal, rsqrt, square };
[[nodiscard]] constexpr std::array<std::string_view, 10> names_of(Function) {
  return {"identity", "relu", "gelu", "silu", "tanh", "exp", "exp2", "reciprocal", "rsqrt", "square"};
}

/// Which element of the second operand meets (row, column) of the first.
enum class BroadcastFrom : std::uint8_t {
  each,    ///< that of the same place
  row,     ///< what the lane knows about the row: (row, its slot)
  column,  ///< that of row 0
};
[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(BroadcastFrom) { return {"each", "row", "column"}; }

/// into = function(combination(alpha a, beta b) + term); without b the combination is alpha a. Where `columns` is
/// given, elements from that column on are minus infinity afterwards; where `diagonal` is, those whose column is more
/// than so many beyond their row.
struct Map {
  Pipe pipe = Pipe::fma;
  Token into;
  Token a;
  std::optional<Token> b;
  Combination combination = Combination::sum;
  double alpha = 1;
  double beta = 1;
  double term = 0;
  Function function = Function::identity;
  BroadcastFrom b_from = BroadcastFrom::each;
  Dealing dealing;                 ///< of BroadcastFrom::row
  std::optional<Layout> columns;   ///< depends on neither lane nor repeat
  std::optional<Layout> diagonal;  ///< likewise
};

enum class Reduction : std::uint8_t { sum, sum_of_squares, maximum };
[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(Reduction) {
  return {"sum", "sum_of_squares", "maximum"};
}

/// Each lane's own elements of a row become one: into (row, slot) is the reduction of from (row, columns of the slot).
/// With `keep` of what `into` holds, too.
struct Reduce {
  Pipe pipe = Pipe::fma;
  Token into;
  Token from;
  Reduction reduction = Reduction::sum;
  Dealing dealing;
  bool keep = false;
};

/// SHFL.BFLY: into (row, slot) = from (row, slot ^ distance). Passes the load-store unit and the banks as a load of 4
/// bytes a lane from shared memory does.
struct Shuffle {
  Token into;
  Token from;
  int distance = 1;
};

/// MOVM.16.MT88: the 8x8 matrices of 16-bit elements that a fragment's registers hold are transposed among the lanes.
/// Loads have said already where elements belong, so that only time passes. Passes the load-store unit and the banks as
/// a shuffle does (supposed: of a WMMA kernel a profiler counts 70 of the unit's instructions a k tile, where loads,
/// copies and the like are 49 and these 16; waynehacking8/blackwell-tensorcore-kernels, results/ncu_wmma_8192.txt).
struct TransposeMatrices {
  Token fragment;
};

}  // namespace gpusim
