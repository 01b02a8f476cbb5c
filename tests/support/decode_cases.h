// Decode attention with a given tiling, and what its warps do.
#pragma once

#include <cstdint>

#include "gpusim/functional_kernels.h"
#include "gpusim/schedules/attention.h"

namespace gpusim::testing {

/// Elements that the twin computes wrongly.
[[nodiscard]] inline std::int64_t wrong(const schedules::AttentionProblem& problem,
                                        const schedules::AttentionTiling& tiling) {
  return functional::check_attention(schedules::attention_kernels(problem, tiling), problem).wrong;
}

/// The first CTA's warp, at the beginning of its loops.
[[nodiscard]] inline Coordinates of_warp(std::int64_t warp) {
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::warp)] = warp;
  return at;
}

}  // namespace gpusim::testing
