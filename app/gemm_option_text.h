// A way to cut a matrix product, as options that ask for it.
#pragma once

#include <optional>
#include <string>

#include "gpusim/profile.h"
#include "gpusim/schedules/gemm.h"

namespace app {

/// The options, --schedule first, with which this tiling is what is chosen for the product: its stages, and else no
/// more than it takes to have every member so. Nothing where no options ask for it.
[[nodiscard]] std::optional<std::string> gemm_option_text(const gpusim::Profile& profile,
                                                          const gpusim::schedules::GemmProblem& problem,
                                                          const gpusim::schedules::GemmTiling& tiling);

}  // namespace app
