// Where an instruction's lanes read and write: places in global memory, in shared memory, and mbarriers.
//
// Parts of a Program's operations (program.h). Rows, columns and stages are Layouts of lane, warp, repeat, block and
// loop indices.
#pragma once

#include <cstdint>
#include <optional>

#include "gpusim/ids.h"
#include "gpusim/layout.h"

namespace gpusim {

using Token = Id<struct TokenTag>;  ///< index into Program::tokens

/// Holds where value(coordinates) < limit.
struct Bound {
  Layout value;
  std::int64_t limit = 0;
  bool operator==(const Bound&) const = default;
};

/// Each lane's place in a matrix in global memory. A lane reads or writes `vector` consecutive elements of one row,
/// beginning at (row, column); lanes that begin outside the buffer's rows or columns, or outside `lanes`, do nothing
/// (a load gives them zeros). A vector that begins inside may end in the row's padding.
struct GlobalAccess {
  BufferId buffer;
  Layout row;
  Layout column;
  int vector = 1;
  std::optional<Bound> lanes;  ///< depends on lane, warp and repeat only
  std::optional<Token>
      address;               ///< fragment the address is computed from: read before the access, kept until it is read
  bool uniform = false;      ///< the address comes from a uniform register, not from lanes' registers
  Layout layer;              ///< of a buffer with several; depends on neither lane nor repeat
  bool whole_lines = false;  ///< what L2 lacks comes from DRAM with the rest of its line of 128 bytes (.L2::128B)
  bool operator==(const GlobalAccess&) const = default;
};

/// Each lane's place in a tile in shared memory, in elements of that tile; the tile's own layout gives the banks.
struct SharedAccess {
  TileId tile;
  Layout stage;  ///< which of the tile's buffers
  Layout row;
  Layout column;
  int vector = 1;
  std::optional<Bound> lanes;    ///< depends on lane, warp and repeat only
  std::optional<Token> address;  ///< as in GlobalAccess
  bool uniform = false;
  /// Rank in the cluster, modulo its size, of the CTA whose shared memory is meant (ld/st.shared::cluster). None: the
  /// CTA's own, directly.
  std::optional<Layout> peer;
  bool operator==(const SharedAccess&) const = default;
};

/// One slot of an mbarrier array: a warp's, so it may depend on `warp`, not on `lane` or `repeat`.
struct BarrierSlot {
  BarrierId barrier;
  Layout slot;
  bool operator==(const BarrierSlot&) const = default;
};

}  // namespace gpusim
