#include "schedules/gemm_access.h"

#include <algorithm>
#include <numeric>

namespace gpusim::schedules {
namespace {

constexpr int widest_vector = 16;  ///< bytes

int divide_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

/// Most elements, a power of two, that a lane can take at a time of rows of `columns` elements.
int vector_of(int columns, int element_bytes) { return std::gcd(columns, widest_vector / element_bytes); }

/// How warps share the groups of rows and of columns that one instruction covers.
struct Sharing {
  int row_warps = 1;
  int column_warps = 1;
};

/// The sharing with the fewest instructions; columns are divided evenly, rows need not be.
Sharing share(int row_groups, int column_groups, int warps) {
  Sharing best{warps, 1};
  int best_count = divide_up(row_groups, warps) * column_groups;
  for (int column_warps = 2; column_warps <= warps; ++column_warps) {
    if (warps % column_warps != 0 || column_groups % column_warps != 0) continue;
    const int count = divide_up(row_groups, warps / column_warps) * (column_groups / column_warps);
    if (count >= best_count) continue;
    best = {warps / column_warps, column_warps};
    best_count = count;
  }
  return best;
}

/// Rows of one lane: its grid row first, then on by the grid's rows from repeat to repeat.
Layout thread_row(const GemmPlan& plan) {
  return along(Coordinate::lane, 1, plan.lanes.columns) +
         along(Coordinate::repeat, plan.lanes.rows, 1, plan.thread_tile.rows);
}

}  // namespace

Access copy_access(const Extent& matrix, int element_bytes, int warps) {
  const int vector = vector_of(matrix.columns, element_bytes);
  const int vectors = matrix.columns / vector;
  const int row_lanes = std::gcd(vectors, lanes_per_warp);  // lanes along a row
  const int rows_at_once = lanes_per_warp / row_lanes;
  const int row_groups = divide_up(matrix.rows, rows_at_once);
  const int column_groups = vectors / row_lanes;
  const Sharing sharing = share(row_groups, column_groups, warps);
  const int columns_each = column_groups / sharing.column_warps;
  const int rows_each = divide_up(row_groups, sharing.row_warps);

  Access access;
  access.count = std::int64_t{rows_each} * columns_each;
  access.vector = vector;
  access.row = along(Coordinate::warp, rows_at_once, sharing.column_warps);
  if (rows_at_once > 1) access.row += along(Coordinate::lane, 1, row_lanes);
  access.column = along(Coordinate::lane, vector, 1, row_lanes);
  if (sharing.column_warps > 1)
    access.column += along(Coordinate::warp, std::int64_t{vector} * row_lanes * columns_each, 1, sharing.column_warps);
  if (columns_each > 1) access.column += along(Coordinate::repeat, std::int64_t{vector} * row_lanes, 1, columns_each);
  if (rows_each > 1)
    access.row += along(Coordinate::repeat, std::int64_t{rows_at_once} * sharing.row_warps, columns_each);
  if (rows_each * sharing.row_warps * rows_at_once > matrix.rows) access.lanes = Bound{access.row, matrix.rows};
  access.busy_warps = std::min(warps, row_groups * sharing.column_warps);
  return access;
}

Access matrix_access(const Extent& fragment, int element_bytes) {
  constexpr int ldmatrix_rows = 16;
  const int vector = vector_of(fragment.columns, element_bytes);
  const int vectors = fragment.columns / vector;
  int row_lanes = std::gcd(fragment.rows, ldmatrix_rows);
  const int column_lanes = std::gcd(vectors, lanes_per_warp / row_lanes);
  row_lanes = std::gcd(fragment.rows, lanes_per_warp / column_lanes);
  const int row_groups = fragment.rows / row_lanes;

  Access access;
  access.count = std::int64_t{row_groups} * (vectors / column_lanes);
  access.vector = vector;
  access.row = along(Coordinate::lane, 1, 1, row_lanes);
  if (row_groups > 1) access.row += along(Coordinate::repeat, row_lanes, 1, row_groups);
  access.column = along(Coordinate::lane, vector, row_lanes, column_lanes);
  if (vectors > column_lanes)
    access.column += along(Coordinate::repeat, std::int64_t{vector} * column_lanes, row_groups);
  if (row_lanes * column_lanes < lanes_per_warp)
    access.lanes = Bound{along(Coordinate::lane), std::int64_t{row_lanes} * column_lanes};
  return access;
}

Access mma_store_access(const Extent& fragment) {
  constexpr int pair = 2;
  constexpr int quad = 4;
  const int vector = std::gcd(fragment.columns, pair);
  const int row_lanes = std::gcd(fragment.columns / vector, quad);
  const int rows_at_once = lanes_per_warp / row_lanes;
  const int row_groups = divide_up(fragment.rows, rows_at_once);
  const int columns_at_once = vector * row_lanes;

  Access access;
  access.count = std::int64_t{row_groups} * (fragment.columns / columns_at_once);
  access.vector = vector;
  access.row = along(Coordinate::lane, 1, row_lanes) + along(Coordinate::repeat, rows_at_once, 1, row_groups);
  access.column =
      along(Coordinate::lane, vector, 1, row_lanes) + along(Coordinate::repeat, columns_at_once, row_groups);
  if (row_groups * rows_at_once > fragment.rows) access.lanes = Bound{access.row, fragment.rows};
  return access;
}

Access thread_rows_access(const GemmPlan& plan) {
  const int vector = vector_of(plan.tiling.fragment_k, size_of(plan.problem.dtype));
  Access access;
  access.count = std::int64_t{plan.thread_tile.rows} * (plan.tiling.fragment_k / vector);
  access.vector = vector;
  access.row = thread_row(plan);
  if (plan.tiling.fragment_k > vector) access.column = along(Coordinate::repeat, vector, plan.thread_tile.rows);
  return access;
}

Access thread_columns_access(const GemmPlan& plan) {
  const int vector = vector_of(plan.thread_tile.columns, size_of(plan.problem.dtype));
  Access access;
  access.count = std::int64_t{plan.tiling.fragment_k} * (plan.thread_tile.columns / vector);
  access.vector = vector;
  access.row = along(Coordinate::repeat, 1, 1, plan.tiling.fragment_k);
  access.column = along(Coordinate::lane, vector, 1, plan.lanes.columns) +
                  along(Coordinate::repeat, std::int64_t{vector} * plan.lanes.columns, plan.tiling.fragment_k);
  return access;
}

Access thread_tile_access(const GemmPlan& plan) {
  const int vector = vector_of(plan.thread_tile.columns, size_of(plan.problem.dtype));
  Access access;
  access.count = std::int64_t{plan.thread_tile.rows} * (plan.thread_tile.columns / vector);
  access.vector = vector;
  access.row = thread_row(plan);
  access.column = along(Coordinate::lane, vector, 1, plan.lanes.columns) +
                  along(Coordinate::repeat, std::int64_t{vector} * plan.lanes.columns, plan.thread_tile.rows);
  return access;
}

Layout warp_row(const GemmPlan& plan) { return along(Coordinate::warp, plan.warp_tile.rows, plan.warps.columns); }

Layout warp_column(const GemmPlan& plan) {
  return along(Coordinate::warp, plan.warp_tile.columns, 1, plan.warps.columns);
}

}  // namespace gpusim::schedules
