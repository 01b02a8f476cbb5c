// Two and four waves of a product's CTAs at two lengths of k, simulated in the whole's place.
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
  schedules::GemmProblem part;  ///< the whole's rows and columns, at the shorter k
  std::int64_t ctas = 0;        ///< of a wave
  std::int64_t k_tile = 1;
  std::int64_t k = 0;      ///< of the whole product
  std::int64_t waves = 1;  ///< of the whole product, full ones
  std::int64_t rest = 0;   ///< CTAs beyond them: they end each part too, as a last wave takes longer than its share
  double peak_cycles = 0;  ///< of a wave, for an element of k, when its pipe is always busy

  /// Cycles of the first so many CTAs of a product.
  using Simulate = std::function<Cycles(const schedules::GemmProblem&, std::int64_t ctas)>;

  /// Of the whole, in cycles. Its waves are the grid's first: CTAs of an SM share as many rows and columns as in the
  /// whole, which those of a smaller product would not. Each further wave adds what one of those adds that four waves
  /// have more than two: CTAs of an SM that begin together need not end together, and from the second wave on each
  /// begins where another ended. Each further k tile adds what one adds between `part.k` and twice that, or 16 k tiles:
  /// at first CTAs wait for each other's stores, until they are out of step, and where k is so short that stores are
  /// what takes long, a further k tile costs nothing. Neither a wave nor a k tile adds less than its arithmetic takes:
  /// where CTAs share SMs unevenly, how two and four waves end may differ by more.
  [[nodiscard]] double whole(const Simulate& simulate) const;
  /// Whether so much less is simulated than the whole has.
  [[nodiscard]] bool saves() const;
  /// The longer k, of which a wave draws about what the whole does.
  [[nodiscard]] schedules::GemmProblem typical_part() const;
  /// Of the whole, by proportion, when a wave of that takes `us`.
  [[nodiscard]] double typical_whole(double us) const;
};

/// Nothing where the whole is not worth cutting (few waves and few k tiles), or its CTAs are not alike: slices of k,
/// persistent CTAs, clusters, batches.
[[nodiscard]] std::optional<GemmWave> wave_of(const schedules::GemmProblem& problem,
                                              const schedules::GemmTiling& tiling, const Profile& profile);

}  // namespace gpusim::validate
