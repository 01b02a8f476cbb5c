// Transposition: Y[c, r] = X[r, c].
//
//   naive       each warp reads 32 neighbours of a row and writes them down a column
//   plain       through a square tile in shared memory: rows in, columns out, 32 lanes to one bank
//   padded      the same, rows an odd number of banks apart: no conflicts
//   swizzled    the same, 16-byte chunks XORed with the row: as many ways of conflict as a chunk has elements
//   gathered    each warp reads 32 neighbours of a column, one after another, and writes them along a row, as a copy
//               between tensors of any strides does
//
//   const auto schedule = schedules::transpose({.rows = 4096, .columns = 4096}, {.variant = TransposeVariant::padded});
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

enum class TransposeVariant : std::uint8_t { naive, plain, padded, swizzled, gathered };
[[nodiscard]] constexpr std::array<std::string_view, 5> names_of(TransposeVariant) {
  return {"naive", "plain", "padded", "swizzled", "gathered"};
}

struct TransposeProblem {
  std::int64_t rows = 0, columns = 0;  ///< of X
  DType dtype = DType::fp32;
};

struct TransposeTiling {
  TransposeVariant variant = TransposeVariant::padded;
  /// Rows and columns a CTA has, a multiple of 32; gathered: rows of one column, of all threads. 0: 32; gathered: two
  /// rows a thread
  int tile = 0;
  int threads = 256;  ///< warps divide the tile's rows; gathered: threads divide them
};

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule transpose(const TransposeProblem& problem, const TransposeTiling& tiling = {});

}  // namespace gpusim::schedules
