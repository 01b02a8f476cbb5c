// Schedules: a kernel as the machine sees it. Buffers, grid, CTA shape, shared memory, registers, and one Program per
// warp role. Plain data; a run never changes it.
//
// Matrices are row-major with a pitch: C[m, n] = A[m, k] B[k, n]. Buffers of equal name in one run are the same memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/error.h"
#include "gpusim/ids.h"
#include "gpusim/profile.h"
#include "gpusim/program.h"
#include "gpusim/units.h"

namespace gpusim {

/// Where a buffer's rows lie in memory.
enum class Placement : std::uint8_t {
  linear,     ///< one after another
  shuffled,   ///< in a pseudo-random order, as a random pointer chain visits them; power-of-two row count
  one_slice,  ///< each row in a 128-byte line of its own, all of one L2 slice; Buffer::slice says which
};

/// A row-major matrix in global memory, or several of equal shape: one after another, or side by side.
struct Buffer {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  ///< elements from one row to the next; at least `columns`, rows begin at 16-byte multiples
  DType dtype = DType::fp32;
  Placement placement = Placement::linear;
  std::int64_t slice = 0;  ///< modulo the GPU's slices
  std::int64_t layers = 1;
  /// Elements from one layer to the next, where all have a row before the next row of the first begins (`layers` of
  /// them fit in the pitch); 0: a layer begins where the one before ends.
  std::int64_t layer_pitch = 0;
  bool operator==(const Buffer&) const = default;
};
/// Elements from one layer to the next.
[[nodiscard]] constexpr std::int64_t layer_step(const Buffer& buffer) {
  return buffer.layer_pitch != 0 ? buffer.layer_pitch : buffer.rows * buffer.pitch;
}
/// Bytes from where it begins to where it ends: what lies between rows of layers side by side counts, between lines of
/// one slice it does not.
[[nodiscard]] Bytes span_of(const Buffer& buffer);
/// Bytes of memory it takes; what lies between rows or lines of its own, and is not padding of rows, does not count.
[[nodiscard]] Bytes size_of(const Buffer& buffer);

/// XOR swizzle of a shared tile: the 16-byte chunk index of an element is XORed with its row (modulo the width), so
/// that a column of chunks spreads over the banks. The value is the width in bytes.
enum class Swizzle : std::uint8_t { none = 0, bytes32 = 32, bytes64 = 64, bytes128 = 128 };

/// A matrix in shared memory, in `stages` buffers.
struct SharedTile {
  std::string name;
  int rows = 0;
  int columns = 0;
  DType dtype = DType::fp32;
  int stages = 1;
  Bytes pitch;  ///< from one row to the next
  Swizzle swizzle = Swizzle::none;
  bool overlaps = false;  ///< begins with the CTA's shared memory: over the other tiles, once they are done with
  bool operator==(const SharedTile&) const = default;
};
/// Bytes of one stage, a multiple of 128.
[[nodiscard]] Bytes stage_bytes(const SharedTile& tile);
/// Bytes of all stages.
[[nodiscard]] Bytes size_of(const SharedTile& tile);
/// Byte offset of element (row, column) from the beginning of its stage.
[[nodiscard]] Bytes offset_of(const SharedTile& tile, std::int64_t row, std::int64_t column);

/// An array of mbarriers.
struct Barrier {
  std::string name;
  int slots = 1;
  int arrivals = 1;  ///< warp arrivals that, with the expected bytes, complete a phase
  bool operator==(const Barrier&) const = default;
};

/// Warps that run the same program. Roles take consecutive warp indices in order.
struct Role {
  std::string name;
  int warps = 1;
  Program program;
};

/// In which order the tiles of the output, or of its transpose where that is worked out, are numbered. CTAs are
/// launched in this order, layer after layer; where a cluster is larger than one tile, its tiles are numbered together.
enum class TileOrder : std::uint8_t {
  row,      ///< along n first
  column,   ///< along m first
  grouped,  ///< in bands of `group` rows of tiles, along m first within a band
  hilbert,  ///< along a Hilbert curve over the smallest square of a power of two that holds them
};
[[nodiscard]] constexpr std::array<std::string_view, 4> names_of(TileOrder) {
  return {"row", "column", "grouped", "hilbert"};
}

/// What the kernel is for, so that results can be put in people's units.
struct Work {
  double flops = 0;  ///< useful floating-point operations of the whole grid
  Pipe pipe = Pipe::tensor;
  DType input = DType::fp32;
  DType accumulate = DType::fp32;
  bool sparse = false;  ///< of a 2:4 sparse A, on sparse tensor cores: `flops` count its zeros
};

struct Schedule {
  std::string name;
  std::vector<Buffer> buffers;
  std::int64_t grid_m = 1;  ///< tiles along the rows of what is tiled: the output or its transpose
  std::int64_t grid_n = 1;
  std::int64_t grid_z = 1;  ///< layers of tiles: products of a batch, each in `splits` slices of k
  int cluster = 1;          ///< consecutive CTAs that form a cluster; divides their number
  int cluster_m = 0;        ///< of these so many along m, the others along n; 0: as they are numbered
  TileOrder order = TileOrder::row;
  std::int64_t group = 8;    ///< of TileOrder::grouped
  std::int64_t ctas = 0;     ///< that are launched and walk the tiles; 0: one for each tile
  std::int64_t k_tiles = 0;  ///< of the product, where loops walk them
  std::int64_t splits = 1;   ///< equal slices of k, the last may be shorter: block_z % splits says which
  bool stream_k = false;     ///< all tiles' k tiles are dealt to the CTAs evenly, in order
  bool restarts_k = false;   ///< with stream_k: walks over k tiles count from 0 in each work item
  bool consecutive = false;  ///< a CTA walks neighbouring tiles, not every ctas-th
  std::vector<Role> roles;
  std::vector<SharedTile> shared_tiles;
  std::vector<Barrier> barriers;
  int registers_per_thread = 32;
  Work work;
  /// The choices it was generated from, resolved, for people and for the Result: ("tile", "128x128x32"), ...
  std::vector<std::pair<std::string, std::string>> choices;
};

/// Tiles of the output, all layers.
[[nodiscard]] std::int64_t tile_count(const Schedule& schedule);
/// CTAs that are launched.
[[nodiscard]] std::int64_t cta_count(const Schedule& schedule);

/// A tile, or a range of its k tiles.
struct WorkItem {
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;
  std::int64_t block_z = 0;
  std::int64_t k_first = 0;  ///< k tile
  std::int64_t k_tiles = 0;
  bool partial = false;  ///< other items have the rest of k
  bool operator==(const WorkItem&) const = default;
};
/// How many items a CTA has, and each of them in order. Without a walk: the CTA's own tile. CTAs of a cluster have as
/// many each, side by side.
[[nodiscard]] std::int64_t work_items(const Schedule& schedule, CtaId cta);
[[nodiscard]] WorkItem work_item(const Schedule& schedule, CtaId cta, std::int64_t index);
[[nodiscard]] int warps_per_cta(const Schedule& schedule);
/// Shared memory a CTA asks for: tiles in order, those that overlap beginning at 0, then 8 bytes a barrier slot.
[[nodiscard]] Bytes shared_bytes(const Schedule& schedule);
/// Where a tile begins within the CTA's shared memory.
[[nodiscard]] Bytes tile_offset(const Schedule& schedule, TileId tile);
/// Place (m, n) of a CTA's cluster neighbour `rank` counted from the cluster's first tile.
[[nodiscard]] std::pair<int, int> place_in_cluster(const Schedule& schedule, int rank);
/// Warp instructions of one warp of a CTA, whose role's program it is.
[[nodiscard]] std::int64_t instruction_count(const Schedule& schedule, const Program& program, CtaId cta, int warp);
/// Warp instructions of CTA 0.
[[nodiscard]] std::int64_t warp_instructions(const Schedule& schedule);
/// Multiply-adds of all tiles on the pipe of `work`, those that pad them included; a 2:4 sparse A's zeros count. None:
/// they depend on the place of the tile, or are of fp16 pairs.
[[nodiscard]] std::optional<double> multiply_adds(const Schedule& schedule);

/// CTAs of this schedule that fit one SM at a time, and what limits them.
struct Occupancy {
  int ctas = 0;
  std::string limiter;  ///< "registers", "shared memory", "warps", "CTA slots", or "nothing"
};
[[nodiscard]] Occupancy occupancy(const Schedule& schedule, const Profile& profile);

/// Everything about the schedule that is wrong on any GPU: references to what is not there, addresses outside their
/// tile, sizes nobody can have meant. Places are JSON pointers ("/roles/0/body/3").
[[nodiscard]] std::vector<Problem> check(const Schedule& schedule);

/// The same, and everything that this GPU does not have or cannot hold. Empty: it can run.
[[nodiscard]] std::vector<Problem> check(const Schedule& schedule, const Profile& profile);

/// Header, shared-memory map and every role's program.
[[nodiscard]] std::string to_string(const Schedule& schedule);

/// Same schedule, same number, on any machine.
[[nodiscard]] std::uint64_t digest(const Schedule& schedule);

}  // namespace gpusim
