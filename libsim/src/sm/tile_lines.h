// Which lines of global memory the CTAs of a machine read in a trip of their k loops.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "sm/tile_loop.h"

namespace gpusim::sm {

/// Collects the lines of many warps; what several ask for alike, at one place of one operation, once.
class TileLines {
 public:
  explicit TileLines(Kernel& kernel) : kernel_(kernel) {}

  /// Forgets what has been collected.
  void clear() { known_.clear(); }
  /// The lines of the warp's trip at these coordinates that have not been collected for `group`. Valid until the next
  /// call.
  const std::vector<LineChunks>& collect(int warp, const Code& code, const TileLoop& loop, const Coordinates& at,
                                         std::int64_t group);
  /// What a trip asks of global memory.
  struct Asked {
    std::int64_t bytes = 0;    ///< by the lanes
    std::int64_t sectors = 0;  ///< that hold them, instruction by instruction
    bool through_l1 = false;   ///< some of it may be found there
  };
  /// Adds what the warp's trip asks for.
  void add(int warp, const Code& code, const TileLoop& loop, const Coordinates& at, Asked& asked);

 private:
  struct Place {
    std::int64_t plan = 0;
    std::int64_t warp = 0;
    std::int64_t group = 0;
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t layer = 0;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  void collect(const Step& step, int warp, const Coordinates& at, std::int64_t group);

  Kernel& kernel_;
  std::unordered_set<Place, Hash> known_;
  std::vector<LineChunks> lines_;
  std::vector<LineChunks> part_;
};

}  // namespace gpusim::sm
