// The loop over k tiles of each role, and what must be kept consistent when trips of it are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sm/code.h"

namespace gpusim::sm {

/// Steps [begin, end] of a role's code, the markers included.
struct TileLoop {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::size_t index = 0;  ///< the coordinate that counts its trips

  [[nodiscard]] bool holds(std::uint32_t pc) const {
    return static_cast<std::int32_t>(pc) > begin && static_cast<std::int32_t>(pc) <= end;
  }
};

struct TileLoops {
  std::vector<std::optional<TileLoop>> of_role;  ///< none: the role has no such loop
  std::int64_t period = 1;  ///< slots of mbarriers, and what guards hold, repeat after so many trips
  bool in_turns = false;    ///< roles take work items in turns: while one is in its loop another waits for its own
};

/// Nothing where no role counts k tiles, where a role has several loops that may be over them, or where what repeats
/// does so after too many trips.
[[nodiscard]] std::optional<TileLoops> find_tile_loops(const Kernel& kernel);

/// The coordinate that counts a loop's trips.
[[nodiscard]] inline std::size_t coordinate_of(const Step& loop) {
  return static_cast<std::size_t>(Coordinate::loop0) + loop.depth;
}

/// Calls visit(step, coordinates) for each operation of one trip, in order.
template <class Visit>
void for_each_operation(const Kernel& kernel, const Code& code, const TileLoop& loop, Coordinates at, Visit&& visit) {
  for (std::int32_t pc = loop.begin + 1; pc < loop.end; ++pc) {
    const Step& step = code.steps[static_cast<std::size_t>(pc)];
    if (step.kind == StepKind::loop_begin) {
      at[coordinate_of(step)] = 0;
      if (step.trips == 0) pc = step.jump - 1;
    } else if (step.kind == StepKind::loop_end) {
      const Step& begin = code.steps[static_cast<std::size_t>(step.jump - 1)];
      if (++at[coordinate_of(step)] < begin.trips) pc = step.jump - 1;
    } else if (step.guard == no_plan || kernel.guards[static_cast<std::size_t>(step.guard)].holds(at)) {
      visit(step, at);
    }
  }
}

/// Of how many work items the role takes one.
[[nodiscard]] std::int64_t item_turns(const Code& code);

/// Warp instructions of one trip at these coordinates.
[[nodiscard]] std::int64_t trip_instructions(const Kernel& kernel, const Code& code, const TileLoop& loop,
                                             const Coordinates& at);

/// Warp instructions of a warp's work item of `k_tiles` k tiles that is not its first; 0 where its role walks none. Its
/// CTA lies at `place` (m, n) of its cluster.
[[nodiscard]] std::int64_t item_instructions(const Kernel& kernel, const Code& code, std::pair<int, int> place,
                                             int warp, std::int64_t k_tiles);

}  // namespace gpusim::sm
