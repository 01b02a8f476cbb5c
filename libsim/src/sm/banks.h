// Shared-memory banks: how many passes an access takes.
//
// 32 banks of 4 bytes serve one word each a pass; lanes that want the same word share it. A warp instruction takes as
// many wavefronts as the most wanted bank has distinct words.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/base.h"

namespace gpusim::sm {

/// Cost of one operation's accesses (all repeats of one warp).
struct BankCost {
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;  ///< wavefronts without conflicts: distinct words / 32, rounded up, per instruction
  std::int64_t bytes = 0;  ///< asked for by active lanes
};

/// Where the active lanes of one instruction begin, relative to the base.
struct LanePlaces {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
};

/// A shared access of a program. Costs depend on the base row and column only, and are worked out once for each pair.
struct SharedPlan {
  Base row;
  Base column;
  std::int64_t pitch = 0;    ///< bytes
  std::int64_t swizzle = 0;  ///< bytes
  std::int64_t element_bytes = 0;
  std::int64_t vector = 1;
  int first_warp = 0;
  std::vector<std::vector<LanePlaces>> places;  ///< [warp - first_warp][repeat]

  struct Known {
    std::int64_t row;
    std::int64_t column;
    BankCost cost;
  };
  std::vector<std::vector<Known>> known;  ///< [warp - first_warp]
};

/// The cost for `warp` at these coordinates.
const BankCost& bank_cost(SharedPlan& plan, int warp, const Coordinates& at);

}  // namespace gpusim::sm
