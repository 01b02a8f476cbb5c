#include "schedules/gemm_access.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gpusim::schedules {
namespace {

int divide_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

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

/// The same layout, each repeat now being `times` repeats.
Layout repeated(const Layout& layout, std::int64_t times) {
  Layout result(layout.offset());
  for (Term term : layout.terms()) {
    if (term.source == Coordinate::repeat) {
      term.divisor *= times;
      term.shift *= times;
    }
    result.add(term);
  }
  return result;
}

/// The same layout, that of the repeats from `first` on.
Layout from_repeat(const Layout& layout, std::int64_t first) {
  Layout result(layout.offset());
  for (Term term : layout.terms()) {
    if (term.source == Coordinate::repeat) term.shift += first;
    result.add(term);
  }
  return result;
}

}  // namespace

int vector_of(int columns, int element_bytes) { return std::gcd(columns, vector_bytes / element_bytes); }

Access piece_of(const Access& access, std::int64_t pieces, std::int64_t number) {
  Access piece = access;
  piece.count = access.count / pieces;
  piece.row = from_repeat(access.row, number * piece.count);
  piece.column = from_repeat(access.column, number * piece.count);
  if (access.lanes) piece.lanes->value = from_repeat(access.lanes->value, number * piece.count);
  return piece;
}

Access copy_access(const Extent& matrix, int element_bytes, int warps, int vector, int side_by_side) {
  if (vector == 0) vector = vector_of(matrix.columns, element_bytes);
  const int vectors = matrix.columns / vector;
  const int row_lanes = std::gcd(vectors, side_by_side);  // lanes along a row
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

Access run_copy_access(const Extent& matrix, int warps, int vector, int lanes) {
  const int groups_of_warp = lanes_per_warp / lanes;
  const int rows_each = matrix.rows / (warps * groups_of_warp);
  const int run = matrix.columns / lanes;
  const int vectors = run / vector;
  Access access;
  access.count = std::int64_t{rows_each} * vectors;
  access.vector = vector;
  access.row = along(Coordinate::warp, std::int64_t{rows_each} * groups_of_warp);
  if (groups_of_warp > 1) access.row += along(Coordinate::lane, rows_each, lanes);
  if (rows_each > 1) access.row += along(Coordinate::repeat, 1, vectors);
  access.column = along(Coordinate::lane, run, 1, lanes);
  if (vectors > 1) access.column += along(Coordinate::repeat, vector, 1, vectors);
  access.busy_warps = warps;
  return access;
}

namespace {

/// A lane's bound is told by what is bound.
Access bound_by(Access access, const Layout& value, std::int64_t limit) {
  if (access.lanes) access.lanes = Bound{value, limit};
  return access;
}

/// The same with `rows` neighbouring rows for each of `access`, one after the other.
Access of_blocks(const Access& access, int rows) {
  Access each = access;
  each.count *= rows;
  each.row = repeated(access.row * rows, rows) + along(Coordinate::repeat, 1, 1, rows);
  each.column = repeated(access.column, rows);
  return bound_by(each, each.row, access.lanes ? access.lanes->limit * rows : 0);
}

/// Of an operand in words of four along k: whose lane has which, one row and column a word. k lies along the columns
/// where it does in memory.
Access words_access(const OperandPlan& operand, int warps) {
  const int along_rows = operand.block_rows == 1 ? products_of_a_dot : 1;
  const Extent words{operand.memory.rows / operand.block_rows, operand.memory.columns / along_rows};
  return copy_access(words, register_bytes, warps, operand.copy_vector / along_rows);
}

}  // namespace

Access widened(Access words, int factor) {
  words.column = words.column * factor;
  words.vector *= factor;
  return words;
}

Access operand_copy_access(const OperandPlan& operand, int element_bytes, int warps) {
  if (operand.in_words) {
    const Access words = words_access(operand, warps);
    return operand.block_rows > 1 ? of_blocks(words, operand.block_rows) : widened(words, products_of_a_dot);
  }
  if (operand.copy_lanes > 0) return run_copy_access(operand.memory, warps, operand.copy_vector, operand.copy_lanes);
  return copy_access(operand.memory, element_bytes, warps, operand.copy_vector, operand.side_by_side);
}

Access operand_store_access(const OperandPlan& operand, int element_bytes, int warps) {
  if (operand.in_words) {
    const Access words = words_access(operand, warps);
    const bool turned = operand.block_rows == 1;
    Access store = widened(store_access(words, operand.store_vector / products_of_a_dot, turned), products_of_a_dot);
    if (!turned || !words.lanes) return store;
    return bound_by(store, store.column,
                    (words.lanes->limit - 1) * products_of_a_dot + 1);  // the last word begins there
  }
  return store_access(operand_copy_access(operand, element_bytes, warps), operand.store_vector, operand.is_turned());
}

Access store_access(const Access& copy, int vector, bool transposed) {
  const int pieces = copy.vector / vector;
  Access access = copy;
  access.vector = vector;
  access.count *= pieces;
  access.row = repeated(copy.row, pieces);
  access.column = repeated(copy.column, pieces);
  if (pieces > 1) access.column += along(Coordinate::repeat, vector, 1, pieces);
  if (access.lanes) access.lanes->value = repeated(copy.lanes->value, pieces);
  if (transposed) std::swap(access.row, access.column);
  return access;
}

Access matrix_access(const Extent& fragment, int element_bytes, int matrices) {
  constexpr int ldmatrix_rows = 16;
  const int lanes = matrices * matrix_rows;
  const int vector = vector_of(fragment.columns, element_bytes);
  const int vectors = fragment.columns / vector;
  int row_lanes = std::gcd(fragment.rows, std::min(lanes, ldmatrix_rows));
  const int column_lanes = std::gcd(vectors, lanes / row_lanes);
  row_lanes = std::gcd(fragment.rows, lanes / column_lanes);
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

Layout warp_row(const GemmPlan& plan) {
  return along(Coordinate::warp, plan.warp_tile.rows, plan.warps.columns,
               plan.tiling.cta_slices > 1 ? plan.warps.rows : 0);
}

Layout warp_column(const GemmPlan& plan) {
  return along(Coordinate::warp, plan.warp_tile.columns, 1, plan.warps.columns);
}

Layout block_row(const GemmPlan& plan) { return along(Coordinate::block_m, plan.tiling.tile.m); }

Layout block_column(const GemmPlan& plan) { return along(Coordinate::block_n, plan.tiling.tile.n); }

Layout batch_layer(const GemmPlan& plan) {
  return plan.problem.batch == 1 ? Layout() : along(Coordinate::block_z, 1, plan.tiling.split_k);
}

Layout result_layer(const GemmPlan& plan) {
  return plan.to_workspace() ? along(Coordinate::block_z) : batch_layer(plan);
}

Layout slice_begin(const GemmPlan& plan) {
  return plan.tiling.split_k == 1 ? Layout() : along(Coordinate::block_z, plan.slice_tiles, 1, plan.tiling.split_k);
}

int stored_k(const OperandPlan& operand, BufferId buffer) {
  return k_along_rows(operand, buffer) ? operand.memory.columns : operand.memory.rows;
}

bool is_of_quad_pairs(const MmaShape& shape, int element_bytes) {
  constexpr int quad_pair_bytes = 8;  // along k, of one lane's part
  return shape.m == 4 * quad && shape.n == 4 * quad && shape.k * element_bytes == quad_pair_bytes;
}

int direct_vector(const MmaShape& shape, int element_bytes) {
  return is_of_quad_pairs(shape, element_bytes) ? shape.k : std::max(1, register_bytes / element_bytes);
}

namespace {

/// Rows of A, or columns of B, between two of a lane's.
int rows_apart(const GemmPlan& plan) {
  const MmaShape& shape = plan.tiling.instruction;
  return is_of_quad_pairs(shape, size_of(plan.problem.dtype)) ? shape.m : matrix_rows;
}

const OperandPlan& operand_of(const GemmPlan& plan, BufferId buffer) { return buffer == buffer_a ? plan.a : plan.b; }

}  // namespace

std::int64_t direct_pointers(const GemmPlan& plan, BufferId buffer) {
  const OperandPlan& operand = operand_of(plan, buffer);
  if (operand.staged) return 0;
  const int side = buffer == buffer_a ? plan.warp_tile.rows : plan.warp_tile.columns;
  return k_along_rows(operand, buffer) ? pieces(side, rows_apart(plan)) : 1;
}

std::int64_t direct_steps(const GemmPlan& plan, BufferId buffer) {
  const OperandPlan& operand = operand_of(plan, buffer);
  if (operand.staged) return 0;
  return k_along_rows(operand, buffer) ? direct_pointers(plan, buffer) : pieces(stored_k(operand, buffer), matrix_rows);
}

GlobalAccess operand_access(const GemmPlan& plan, const OperandPlan& operand, BufferId buffer, const Access& access,
                            const Layout& outer, const Layout& k) {
  const bool along_k = k_along_rows(operand, buffer);
  GlobalAccess from = access.global(buffer, along_k ? outer : k, along_k ? k : outer, batch_layer(plan));
  from.whole_lines = plan.tiling.whole_lines;
  return from;
}

}  // namespace gpusim::schedules
