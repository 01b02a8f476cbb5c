// Tilings that an automatic choice looks at.
#pragma once

#include <algorithm>
#include <vector>

#include "gpusim/schedules/gemm_candidates.h"

namespace gpusim::testing {

inline constexpr schedules::GemmProblem small{.m = 256, .n = 512, .k = 512};

inline bool any_of(const std::vector<schedules::GemmTiling>& tilings, bool (*holds)(const schedules::GemmTiling&)) {
  return std::any_of(tilings.begin(), tilings.end(), holds);
}

}  // namespace gpusim::testing
