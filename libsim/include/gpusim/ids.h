// Names for the things of a run: which SM, which CTA, which warp. Ids of different kinds do not convert into each
// other.
#pragma once

#include <compare>
#include <cstdint>

namespace gpusim {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::int64_t index) : index_(index) {}
  [[nodiscard]] constexpr std::int64_t index() const { return index_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::int64_t index_ = 0;
};

using SmId = Id<struct SmTag>;            ///< 0 .. sm.count - 1
using CtaId = Id<struct CtaTag>;          ///< linear index in the grid, in launch order
using KernelId = Id<struct KernelTag>;    ///< position of the schedule in the run
using BufferId = Id<struct BufferTag>;    ///< index into Schedule::buffers
using TileId = Id<struct TileTag>;        ///< index into Schedule::shared_tiles
using BarrierId = Id<struct BarrierTag>;  ///< index into Schedule::barriers

/// A warp of a run.
struct WarpId {
  CtaId cta;
  int warp = 0;  ///< index within its CTA
  auto operator<=>(const WarpId&) const = default;
};

}  // namespace gpusim
