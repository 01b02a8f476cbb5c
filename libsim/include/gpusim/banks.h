// Bank conflicts: what an access to shared memory costs, by the same count the engine charges.
//
//   SharedTile tile{"tile", 32, 32, DType::fp32, 1, Bytes(128)};
//   SharedAccess column{TileId(0), 0, along(Coordinate::lane), 0};
//   bank_conflicts(tile, column).wavefronts;  // 32
//
// Shared memory is 32 banks of 4 bytes. A wavefront serves one word of each bank; lanes that want the same word share
// it. An instruction takes as many wavefronts as its most wanted bank has different words; ldmatrix takes its four
// matrices of eight rows one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim {

/// Lanes whose bytes fill one wavefront: 32 of 4 bytes or less, 16 of 8, 8 of 16 (so a matrix of ldmatrix).
struct BankPhase {
  int first_lane = 0;
  int lanes = 0;
  std::int64_t wavefronts = 0;  ///< of these lanes alone
  std::int64_t least = 0;       ///< without conflicts
};

/// Where a lane's bytes lie.
struct LaneBanks {
  int lane = 0;
  std::int64_t offset = 0;  ///< of its first byte in the tile
  int bank = 0;             ///< of its first word
  int banks = 0;            ///< from there on
};

/// One warp instruction.
struct BankConflicts {
  std::int64_t wavefronts = 0;
  std::int64_t least = 0;  ///< without conflicts: different words / 32, rounded up; of ldmatrix, for each matrix
  std::int64_t bytes = 0;  ///< asked for
  std::vector<BankPhase> phases;
  std::vector<LaneBanks> lanes;  ///< those that take part, in order
};

/// Wavefronts over the least possible: 1 is free of conflicts.
[[nodiscard]] double conflict_degree(const BankConflicts& conflicts);

/// Of warp 0's first instruction, in stage 0; a store costs what LDS does. Throws ScheduleError when a lane leaves the
/// tile or its vector is not aligned.
[[nodiscard]] BankConflicts bank_conflicts(const SharedTile& tile, const SharedAccess& access,
                                           SharedRead how = SharedRead::lds);

}  // namespace gpusim
