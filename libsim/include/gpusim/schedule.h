// Schedules: a kernel as the machine sees it. Buffers, grid, CTA shape, shared memory, registers, and one Program per
// warp role. Plain data; a run never changes it.
//
// Matrices are row-major with a pitch: C[m, n] = A[m, k] B[k, n]. Buffers of equal name in one run are the same memory.
#pragma once

#include <cstdint>
#include <string>
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

/// A row-major matrix in global memory.
struct Buffer {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  ///< elements from one row to the next; at least `columns`, rows begin at 16-byte multiples
  DType dtype = DType::fp32;
  Placement placement = Placement::linear;
  std::int64_t slice = 0;  ///< modulo the GPU's slices
  bool operator==(const Buffer&) const = default;
};
/// Bytes of memory it takes; lines of other slices between its own do not count.
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

/// In which order CTAs are numbered, and so launched.
enum class TileOrder : std::uint8_t {
  row,     ///< along n first
  column,  ///< along m first
};

/// What the kernel is for, so that results can be put in people's units.
struct Work {
  double flops = 0;  ///< useful floating-point operations of the whole grid
  Pipe pipe = Pipe::tensor;
  DType input = DType::fp32;
  DType accumulate = DType::fp32;
};

struct Schedule {
  std::string name;
  std::vector<Buffer> buffers;
  std::int64_t grid_m = 1;  ///< CTAs along the rows of the output
  std::int64_t grid_n = 1;
  int cluster = 1;  ///< consecutive CTAs that form a cluster; divides their number
  TileOrder order = TileOrder::row;
  std::vector<Role> roles;
  std::vector<SharedTile> shared_tiles;
  std::vector<Barrier> barriers;
  int registers_per_thread = 32;
  Work work;
  /// The choices it was generated from, resolved, for people and for the Result: ("tile", "128x128x32"), ...
  std::vector<std::pair<std::string, std::string>> choices;
};

[[nodiscard]] std::int64_t cta_count(const Schedule& schedule);
[[nodiscard]] int warps_per_cta(const Schedule& schedule);
/// Shared memory a CTA asks for: tiles in order, then 8 bytes a barrier slot.
[[nodiscard]] Bytes shared_bytes(const Schedule& schedule);
/// Where a tile begins within the CTA's shared memory.
[[nodiscard]] Bytes tile_offset(const Schedule& schedule, TileId tile);
/// Grid coordinates (m, n) of a CTA.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> block_of(const Schedule& schedule, CtaId cta);
/// Warp instructions of one CTA (of the CTA at block (0, 0) where guards depend on the block).
[[nodiscard]] std::int64_t warp_instructions(const Schedule& schedule);

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
