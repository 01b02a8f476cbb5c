// What is asked of an SM before k tiles are skipped, and what it is then told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpusim/units.h"
#include "sm/tile_loop.h"

namespace gpusim::sm {

/// CTAs on their way through their k loops: of an SM, or of several.
struct TileSurvey {
  bool inside = true;  ///< every warp that has a k loop is inside it, waits there for its turn, or has left for good
  std::int64_t ctas = 0;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();  ///< tiles a CTA has done undisturbed
  std::int64_t room = std::numeric_limits<std::int64_t>::max();    ///< trips any warp has left after its own
  std::int64_t passed = std::numeric_limits<std::int64_t>::max();  ///< trips every warp has done
  Cycles last;                                                     ///< the last window of each CTA, summed
  Cycles before;                                                   ///< and the one before it
  Cycles earlier;                                                  ///< and the one before that
  std::int64_t mean = 0;  ///< of all its tiles, in thousandths of a cycle, summed

  TileSurvey& operator+=(const TileSurvey& other) {
    inside = inside && other.inside;
    ctas += other.ctas;
    fewest = std::min(fewest, other.fewest);
    room = std::min(room, other.room);
    passed = std::min(passed, other.passed);
    last += other.last;
    before += other.before;
    earlier += other.earlier;
    mean += other.mean;
    return *this;
  }
};

/// A CTA on its way through its k loop.
struct CtaSurvey {
  std::int32_t slot = 0;         ///< of its SM
  std::int64_t id = 0;           ///< in the order of dispatch: the older, the smaller
  std::int64_t loops = 0;        ///< it has begun
  std::int64_t room = 0;         ///< trips that any of its warps has left after its own
  std::int64_t passed = 0;       ///< trips that all of them have done
  std::int64_t done = 0;         ///< tiles since the loop began, those skipped not counted
  std::int64_t undisturbed = 0;  ///< since some were skipped
  Cycles last_tile;
  Cycles both_windows;
};

/// The warps of each CTA inside their k loops, but for those that wait there for their turn, go on `tiles` trips later,
/// one number for each of the SM's slots, as if `cycles` had passed. Without tiles time alone passes, for those skipped
/// before.
struct TileSkip {
  const TileLoops& loops;
  std::span<const std::int64_t> tiles;
  Cycles cycles;
  Cycles marked;  ///< by so much the mark of half the tiles moves back: `cycles`, and what is expected to pass later
};

/// All warps go on `items` work items later, each of `k_tiles` trips, as if `cycles` had passed.
struct ItemSkip {
  const TileLoops& loops;
  std::int64_t items = 0;
  std::int64_t k_tiles = 0;
  Cycles cycles;
};

}  // namespace gpusim::sm
