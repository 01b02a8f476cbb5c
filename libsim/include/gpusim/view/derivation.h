// Where the cycles come from: the closed-form critical path, term by term with its profile field, beside the simulated
// number; then what contention added, hop by hop.
#pragma once

#include <string>

#include "gpusim/estimate/critical_path.h"
#include "gpusim/result.h"

namespace gpusim::view {

/// For the result of a single schedule and the path estimated for it. Ends with a newline.
[[nodiscard]] std::string derivation(const Result& result, const estimate::CriticalPath& path);

}  // namespace gpusim::view
