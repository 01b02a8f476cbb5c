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
  [[nodiscard]] GlobalAccess global(BufferId buffer, const Layout& rows, const Layout& columns) const {
    return {buffer, rows + row, columns + column, vector, lanes};
  }
  [[nodiscard]] SharedAccess shared(TileId tile, const Layout& stage, const Layout& rows, const Layout& columns) const {
    return {tile, stage, rows + row, columns + column, vector, lanes};
  }
};

/// All warps copy a matrix, 16 bytes a lane where its rows allow it, neighbouring lanes along a row.
[[nodiscard]] Access copy_access(const Extent& matrix, int element_bytes, int warps);

/// One warp reads a fragment as ldmatrix does: each lane addresses 16 bytes of a row, eight lanes eight rows.
[[nodiscard]] Access matrix_access(const Extent& fragment, int element_bytes);

/// One warp stores a fragment of C as mma leaves it: pairs of elements, four lanes to a row.
[[nodiscard]] Access mma_store_access(const Extent& fragment);

/// simt: each lane reads its rows of A, 16 bytes along k at a time where it can.
[[nodiscard]] Access thread_rows_access(const GemmPlan& plan);
/// simt: each lane reads its columns of B for each k of the fragment.
[[nodiscard]] Access thread_columns_access(const GemmPlan& plan);
/// simt: each lane accesses its tile of C.
[[nodiscard]] Access thread_tile_access(const GemmPlan& plan);

/// First row and column of the warp's tile of C within the CTA's.
[[nodiscard]] Layout warp_row(const GemmPlan& plan);
[[nodiscard]] Layout warp_column(const GemmPlan& plan);

}  // namespace gpusim::schedules
