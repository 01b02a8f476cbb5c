// Two and three waves of a product's CTAs at a few lengths of k, simulated in the whole's place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/units.h"

namespace gpusim::validate {

/// CTAs are alike: what a wave takes for a k tile, and beside its k tiles, is scaled by the whole's k tiles and waves.
struct GemmWave {
  schedules::GemmProblem part;  ///< a wave, at the shortest k
  std::int64_t k_tile = 1;
  std::int64_t k = 0;  ///< of the whole product
  double waves = 1;    ///< the busiest SM's CTAs, in those it has at a time

  /// Of the whole, in cycles. `simulate` gives a part's. What a third wave adds to two each further one adds: CTAs of
  /// an SM that begin together need not end together, and from the second wave on each begins where another ended. Nor
  /// is time linear in k at first: CTAs wait for each other's stores until k is long enough for them to be out of step.
  /// So both are simulated at ever longer k, up to 16 k tiles, or three more than there are stages where that is more,
  /// until what a further k tile takes is the same within 10 %.
  [[nodiscard]] double whole(const std::function<Cycles(const schedules::GemmProblem&)>& simulate) const;
};

/// Nothing where the whole is not worth cutting (few waves and few k tiles), or its CTAs are not alike: slices of k,
/// persistent CTAs, clusters, batches.
[[nodiscard]] std::optional<GemmWave> wave_of(const schedules::GemmProblem& problem,
                                              const schedules::GemmTiling& tiling, const Profile& profile);

}  // namespace gpusim::validate
