// Whether two stretches of a run are alike enough to expect more of the same. Whole numbers only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "gpusim/units.h"

namespace gpusim::machine {

inline constexpr std::int64_t million = 1'000'000;
/// Stretches that differ by no more may stand for what follows them.
inline constexpr std::int64_t cycles_tolerance_ppm = 10'000;
inline constexpr std::int64_t traffic_tolerance_ppm = 30'000;
inline constexpr std::int64_t even_pace_ppm = 200'000;  ///< CTAs of an SM that differ by less share it evenly
inline constexpr Cycles between_looks(256);

/// By how much a and b differ, of the larger.
[[nodiscard]] constexpr std::int64_t difference_ppm(std::int64_t a, std::int64_t b) {
  const std::int64_t more = std::max(a, b);
  const std::int64_t less = std::min(a, b);
  if (more <= 0) return 0;
  // Products of counts and a million may not fit.
  return more < million * million ? (more - less) * million / more : (more - less) / (more / million);
}

/// Three windows one after another, each longer or each shorter than the one before, are a drift: as many tiles or
/// waves, `window` of which make a window, as it makes wrong by the tolerance. Without a drift, no number.
[[nodiscard]] constexpr std::optional<std::int64_t> borne_by_drift(std::int64_t first, std::int64_t second,
                                                                   std::int64_t third, std::int64_t window) {
  const std::int64_t before = second - first;
  const std::int64_t last = third - second;
  if (before == 0 || last == 0 || (before < 0) != (last < 0)) return std::nullopt;
  const std::int64_t drift = std::min(std::max(before, -before), std::max(last, -last));
  return 2 * window * third / (million / cycles_tolerance_ppm) / drift;
}

/// Whether traffic differs by no more than `tolerance_ppm` of what is asked of L2.
template <std::size_t count>
[[nodiscard]] constexpr bool alike(const std::array<std::int64_t, count>& a, const std::array<std::int64_t, count>& b,
                                   std::int64_t tolerance_ppm) {
  const std::int64_t all = std::max({a.front(), b.front(), std::int64_t{1}});
  for (std::size_t i = 0; i < count; ++i)
    if (difference_ppm(all + a[i], all + b[i]) > tolerance_ppm / 2) return false;
  return true;
}

}  // namespace gpusim::machine
