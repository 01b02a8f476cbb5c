// How long candidates take, by the quick model and simulated.
#pragma once

#include <vector>

#include "gpusim/tune.h"

namespace gpusim::tune {

/// Of all kernels and what is between them (launch.gap_ns), by the quick model.
[[nodiscard]] double quick_us(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling,
                              const Profile& profile, const RunOptions& run);

/// Simulates the first `count` trials and fills in their times. False when options.run.stop gave up: those whose
/// simulations it reached have none.
[[nodiscard]] bool simulate_trials(const Gpu& gpu, const schedules::GemmProblem& problem,
                                   const GemmChoiceOptions& options, std::vector<GemmTrial>& trials, std::size_t count);

}  // namespace gpusim::tune
