#include "simulate.h"

#include <fmt/format.h>

#include "errors.h"
#include "gpusim/gpu.h"
#include "watch.h"

namespace app {

gpusim::Result simulate(const gpusim::Profile& profile, const std::vector<gpusim::Schedule>& schedules,
                        gpusim::RunOptions options) {
  const gpusim::Gpu gpu(profile);
  Watch watch;
  options.stop = watch.callback();
  gpusim::Result result = gpu.run(schedules, options);
  if (watch.interrupted() && result.termination == gpusim::Termination::stopped)
    throw Interrupted(
        fmt::format("interrupted after {} simulated cycles; nothing was written", gpusim::cycles(result).count()));
  return result;
}

}  // namespace app
