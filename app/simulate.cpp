#include "simulate.h"

#include <fmt/format.h>

#include "errors.h"
#include "gpusim/gpu.h"
#include "gpusim/under_power.h"
#include "watch.h"

namespace app {

gpusim::Result simulate(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& schedules,
                        PoweredRun run) {
  const gpusim::Gpu gpu(profile);
  Watch watch;
  run.options.stop = watch.callback();
  gpusim::Result result =
      run.under_power ? gpusim::run_under_power(gpu, schedules, run.options) : gpu.run(schedules, run.options);
  if (watch.interrupted() && result.termination == gpusim::Termination::stopped)
    throw Interrupted(
        fmt::format("interrupted after {} simulated cycles; nothing was written", gpusim::cycles(result).count()));
  return result;
}

}  // namespace app
