// Who accesses what: maps from lanes, warps and repeats of one instruction run to the elements of a matrix.
#pragma once

#include <cstdint>
#include <optional>

#include "gpusim/program.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// A run of `count` instructions whose lanes together access every element of a rows x columns matrix once, or share
/// elements where the lanes of an FFMA tile do. Row and column are those of the lane's first element, within the
/// matrix.
struct Access {
  std::int64_t count = 0;
  int vector = 1;  ///< elements a lane takes, along the row
  Layout row;
  Layout column;
  std::optional<Bound> lanes;  ///< lanes that have an element at all
  int busy_warps = 0;          ///< the first so many warps have something to do

  /// The same, `rows` and `columns` further on.
  [[nodiscard]] GlobalAccess global(BufferId buffer, const Layout& rows, const Layout& columns,
                                    const Layout& layer = {}) const {
    return {buffer, rows + row, columns + column, vector, lanes, std::nullopt, false, layer};
  }
  [[nodiscard]] SharedAccess shared(TileId tile, const Layout& stage, const Layout& rows, const Layout& columns) const {
    return {tile, stage, rows + row, columns + column, vector, lanes};
  }
};

/// Most elements, a power of two, that a lane can take at a time of rows of `columns` elements.
[[nodiscard]] int vector_of(int columns, int element_bytes);
/// An access in words, in elements: `factor` to a word's column.
[[nodiscard]] Access widened(Access words, int factor);

/// Piece `number` of the run, cut into so many equal ones.
[[nodiscard]] Access piece_of(const Access& access, std::int64_t pieces, std::int64_t number);

/// All warps copy a matrix, neighbouring lanes along a row, at most `side_by_side` of them, `vector` elements a lane: 0
/// is 16 bytes where rows allow it.
[[nodiscard]] Access copy_access(const Extent& matrix, int element_bytes, int warps, int vector = 0,
                                 int side_by_side = lanes_per_warp);
/// All warps copy a matrix: `lanes` threads side by side, at most 32, have a run of each row's elements each, `vector`
/// at a time, of as many neighbouring rows as there are for each such group.
[[nodiscard]] Access run_copy_access(const Extent& matrix, int warps, int vector, int lanes);
/// How the operand's tile is copied, by either; where words of several rows are made on the way, those rows one after
/// the other.
[[nodiscard]] Access operand_copy_access(const OperandPlan& operand, int element_bytes, int warps);
/// And how it is stored to shared memory.
[[nodiscard]] Access operand_store_access(const OperandPlan& operand, int element_bytes, int warps);
/// How lanes store to shared memory what they loaded as `copy` has it: `vector` elements at a time, in the order in
/// which they were loaded. Transposed: single elements, rows for columns.
[[nodiscard]] Access store_access(const Access& copy, int vector, bool transposed);

/// One warp reads a fragment as ldmatrix does, at most so many 8x8 matrices at a time: each lane addresses 16 bytes of
/// a row, eight lanes eight rows.
[[nodiscard]] Access matrix_access(const Extent& fragment, int element_bytes, int matrices = 4);

/// One warp stores a fragment of C as mma leaves it: pairs of elements, four lanes to a row.
[[nodiscard]] Access mma_store_access(const Extent& fragment);

/// simt: each lane reads its part of A, all its rows for the k of one fragment; rows and columns as they are `along_k`:
/// m x k, or else k x m.
[[nodiscard]] Access thread_rows_access(const GemmPlan& plan, bool along_k, int vector);
/// simt: each lane reads its part of B; n x k, or else k x n.
[[nodiscard]] Access thread_columns_access(const GemmPlan& plan, bool along_k, int vector);
/// simt: each lane accesses its tile of C, of elements of that size: of a CTA in slices, the first's part of it.
[[nodiscard]] Access thread_tile_access(const GemmPlan& plan, int element_bytes);
/// Whether the rows of a thread's tile are shared out among so many slices: whole runs of them, or parts of runs.
[[nodiscard]] bool shares_rows(const GemmPlan& plan, int slices);
/// And the first row of the part that the warp's slice has, or the one so many after it, in a ring.
[[nodiscard]] Layout thread_part_row(const GemmPlan& plan, int ahead);
/// simt: each lane accesses what belongs to its columns in a single row.
[[nodiscard]] Access thread_bias_access(const GemmPlan& plan, int element_bytes);

/// simt: how many of a thread's elements along m or n lie side by side.
[[nodiscard]] int consecutive_elements(ElementOrder order, int elements, int element_bytes);

/// First row and column of the warp's tile of C within the CTA's.
[[nodiscard]] Layout warp_row(const GemmPlan& plan);
[[nodiscard]] Layout warp_column(const GemmPlan& plan);

/// First row and column of the CTA's tile of C.
[[nodiscard]] Layout block_row(const GemmPlan& plan);
[[nodiscard]] Layout block_column(const GemmPlan& plan);
/// Which matrix of A, B and C the CTA works on, and which of the workspace.
[[nodiscard]] Layout batch_layer(const GemmPlan& plan);
[[nodiscard]] Layout result_layer(const GemmPlan& plan);
/// First k tile of the CTA's slice of k.
[[nodiscard]] Layout slice_begin(const GemmPlan& plan);

/// Whether k lies along the operand's rows in memory.
[[nodiscard]] constexpr bool k_along_rows(const OperandPlan& operand, BufferId buffer) {
  return (buffer == buffer_a) != operand.transposed;
}
/// Elements along k that memory has of one of the operand's k tiles: of a sparse A, half of them.
[[nodiscard]] int stored_k(const OperandPlan& operand, BufferId buffer);
/// Volta's instructions, whose operands quad pairs of lanes have: all k of a row of A or column of B a lane.
[[nodiscard]] bool is_of_quad_pairs(const MmaShape& shape, int element_bytes);
/// Of mma's fragments that come straight from global memory: elements along k that a lane loads at a time where k lies
/// along the rows there; pointers of all that a lane loads of the warp's tile, and their steps in a k tile.
[[nodiscard]] int direct_vector(const MmaShape& shape, int element_bytes);
[[nodiscard]] std::int64_t direct_pointers(const GemmPlan& plan, BufferId buffer);
[[nodiscard]] std::int64_t direct_steps(const GemmPlan& plan, BufferId buffer);
/// Where in memory an operand is accessed: `outer` along m or n, `k` along k, both in elements.
[[nodiscard]] GlobalAccess operand_access(const GemmPlan& plan, const OperandPlan& operand, BufferId buffer,
                                          const Access& access, const Layout& outer, const Layout& k);

}  // namespace gpusim::schedules
