// The latencies of a CTA's parts, from walks of a few k tiles.
#pragma once

#include "estimate/costs.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

struct PartLatencies {
  double fixed = 0;    ///< prologue and epilogue
  double item = 0;     ///< what each further work item adds beside its steps
  double step = 0;     ///< a k tile
  double exposed = 0;  ///< of it, what waits for global memory
  /// A k tile whose stages are there when the last byte of their bulk copies is: `step` or longer, where stages are
  /// few.
  double delivered = 0;
};

/// Costs of an own ledger without terms; bytes of bulk copies come at `bulk_pace`. Throws DeadlockError
/// when warps wait for what cannot come.
[[nodiscard]] PartLatencies part_latencies(const Schedule& schedule, const Profile& profile, Costs& costs,
                                           Ledger& ledger, std::int64_t items, std::int64_t steps_per_item,
                                           const Pace& bulk_pace);

}  // namespace gpusim::estimate
