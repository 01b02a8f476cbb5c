// What reports of measured and simulated times have in common.
#pragma once

#include <string>
#include <vector>

#include "gpusim/error.h"

namespace gpusim::validate {

/// A ratio times this is in percent.
inline constexpr double in_percent = 100;

/// Why something was refused, in one line.
[[nodiscard]] inline std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "; ") + problem.where + ": " + problem.what;
  return text;
}

}  // namespace gpusim::validate
