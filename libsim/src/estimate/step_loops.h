// Which loops walk k, one tile a trip.
#pragma once

#include <cstdint>

#include "gpusim/ids.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// The CTA that stands for all.
inline constexpr CtaId followed{0};

class StepLoops {
 public:
  StepLoops() = default;
  explicit StepLoops(const Schedule& schedule);

  /// Whether the loop walks k; loops within one that does are not asked about. Those of a role that only copies make as
  /// many trips as those that say so.
  [[nodiscard]] bool contains(const Loop& loop) const {
    return loop.steps_tiles || loop.walk == Walk::k_tiles || (loop.walk == Walk::none && loop.trips == trips_);
  }

  /// Of loops that count them; 0: k is walked, or there is no loop.
  [[nodiscard]] std::int64_t trips() const { return trips_; }

 private:
  std::int64_t trips_ = 0;
};

}  // namespace gpusim::estimate
