// Running schedules as the command does: interruptible, with progress on a terminal.
#pragma once

#include <vector>

#include "gpusim/profile.h"
#include "gpusim/result.h"
#include "gpusim/schedule.h"
#include "machine_options.h"

namespace app {

/// Throws what Gpu::run throws, and Interrupted when a signal stopped it.
[[nodiscard]] gpusim::Result simulate(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& schedules,
                                      PoweredRun run);

}  // namespace app
