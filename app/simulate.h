// Running schedules as the command does: interruptible, with progress on a terminal.
#pragma once

#include <vector>

#include "gpusim/profile.h"
#include "gpusim/result.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace app {

/// Throws what Gpu::run throws, and Interrupted when a signal stopped it.
[[nodiscard]] gpusim::Result simulate(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& schedules,
                                      gpusim::RunOptions options);

}  // namespace app
