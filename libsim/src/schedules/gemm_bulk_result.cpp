// What bulk stores ask of the tile of C that they take, and of its pieces.
#include <algorithm>
#include <cstdlib>

#include "schedules/gemm_collect.h"

namespace gpusim::schedules {
namespace {

constexpr int bulk_bytes = 16;  ///< of a bulk store's row

void check_rows(const GemmTiling& tiling, DType type, GemmCollector& collect) {
  if (tiling.swap_ab) return;  // its rows lie along the tile's, of which there are 64 or a multiple
  const int row = tiling.tile.n * size_of(type);
  const int over = row % bulk_bytes;
  const int step = std::max(bulk_bytes / size_of(type), multiple_of_parts);
  collect.require(over == 0, "tile.n",
                  "rows of C of " + std::to_string(row) + " bytes are " + std::to_string(bulk_bytes - over) +
                      " short of a multiple of the 16 that bulk stores (epilogue tma) need; " +
                      std::to_string(pieces(tiling.tile.n, step) * step) + " would do");
}

/// All pieces alike, and less than the whole.
void check_pieces(const GemmTiling& tiling, DType type, GemmCollector& collect) {
  const int columns = tiling.epilogue_columns;
  if (columns == 0) return;
  const int step = piece_step(type, tiling.swap_ab);
  if (columns == tiling.tile.n)
    return collect.require(false, "epilogue_columns",
                           std::to_string(columns) + " columns are the whole tile's; 0 says that");
  int nearest = 0;
  for (int piece = step; piece < tiling.tile.n; piece += step)
    if (tiling.tile.n % piece == 0 && std::abs(piece - columns) <= std::abs(nearest - columns)) nearest = piece;
  collect.require(nearest == columns, "epilogue_columns",
                  "a tile's " + std::to_string(tiling.tile.n) + " columns are not cut into pieces of " +
                      std::to_string(columns) + ", equal and multiples of " + std::to_string(step) + "; " +
                      std::to_string(nearest) + (nearest == 0 ? ", all at once, would do" : " would do"));
}

}  // namespace

int piece_step(DType type, bool of_rows) {
  return of_rows ? matrix_rows : std::max(bulk_bytes / size_of(type), matrix_rows);
}

void check_bulk_result(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (tiling.epilogue != Epilogue::tma || tiling.variant < GemmVariant::tma) return;
  const DType type = leaving_type(problem, tiling);
  check_rows(tiling, type, collect);
  if (tiling.variant == GemmVariant::wgmma) check_pieces(tiling, type, collect);
  collect.require(!tiling.stmatrix || size_of(type) == half_bytes, "stmatrix",
                  "it stores elements of 16 bits, and " + std::string(name(type)) +
                      (tiling.split_k > 1 ? " leaves a slice of k" : " is what C has") + "; without stmatrix it can");
}

}  // namespace gpusim::schedules
