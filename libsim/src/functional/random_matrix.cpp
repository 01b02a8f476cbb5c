#include "gpusim/functional.h"

namespace gpusim::functional {
namespace {

/// Each call gives the next of a sequence of well-mixed numbers (SplitMix64).
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t mixed = (state += 0x9E3779B97F4A7C15U);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

}  // namespace

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  constexpr std::int64_t largest = 3;
  std::uint64_t state = seed;
  Matrix matrix(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      matrix(row, column) = static_cast<double>(next(state) % (2 * largest + 1)) - static_cast<double>(largest);
  return matrix;
}

}  // namespace gpusim::functional
