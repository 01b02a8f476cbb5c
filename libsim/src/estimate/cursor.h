// Walks a Program operation by operation, loops unrolled on the fly.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "estimate/step_loops.h"
#include "gpusim/layout.h"
#include "gpusim/program.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// How much of a CTA's work is walked: its first items, and of each the first k tiles.
struct Extent {
  std::int64_t items = std::numeric_limits<std::int64_t>::max();
  std::int64_t k_tiles = std::numeric_limits<std::int64_t>::max();
  StepLoops steps;  ///< the loops that `k_tiles` cuts short
};

class Cursor {
 public:
  /// At the beginning of a role's `program`, for one warp of CTA 0. Both references must outlive it.
  Cursor(const Schedule& schedule, const Program& program, int warp, const Extent& extent = {});

  /// The next operation whose guard holds; nullptr at the end.
  [[nodiscard]] const Operation* next();

  /// Where the operation last returned stands.
  [[nodiscard]] const Coordinates& at() const { return at_; }

 private:
  struct Frame {
    const std::vector<Statement>* body = nullptr;
    Walk walk = Walk::none;
    std::int64_t trips = 1;
    std::int64_t first_index = 0;  ///< of its loop coordinate
    std::int64_t turns = 1;        ///< from one trip's to the next
    std::int64_t trip = 0;
    std::size_t next = 0;
    bool within_steps = false;
  };
  void enter(const Loop& loop);
  void leave_or_repeat();
  [[nodiscard]] std::int64_t trips_of(const Loop& loop) const;
  /// Coordinates become those of the CTA's work item of this index, `turns` after the one before.
  void take_item(std::int64_t index, std::int64_t turns = 1);

  const Schedule* schedule_;
  Extent extent_;
  std::vector<Frame> frames_;
  Coordinates at_{};
  WorkItem item_;
  std::int64_t k_tiles_before_ = 0;  ///< of the items before
};

}  // namespace gpusim::estimate
