// One wave of a product's CTAs at two lengths of k, simulated in the whole's place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/units.h"

namespace gpusim::validate {

/// CTAs are alike and time grows linearly with k: what a wave takes for a k tile, and beside its k tiles, is taken from
/// two lengths of k and scaled by the whole's k tiles and by the CTAs that its busiest SM has.
struct GemmWave {
  std::array<schedules::GemmProblem, 2> parts;  ///< the wave at the shorter k, and at the longer
  std::int64_t k = 0;                           ///< of the whole product
  double waves = 1;                             ///< the busiest SM's CTAs, in those it has at a time

  /// Of the whole, in cycles, from those of the parts.
  [[nodiscard]] double whole(Cycles shorter, Cycles longer) const;
};

/// Nothing where the whole is not worth cutting (few waves and few k tiles), or its CTAs are not alike: slices of k,
/// persistent CTAs, clusters, batches.
[[nodiscard]] std::optional<GemmWave> wave_of(const schedules::GemmProblem& problem,
                                              const schedules::GemmTiling& tiling, const Profile& profile);

}  // namespace gpusim::validate
