#include "gpusim/estimate/critical_path.h"

#include <algorithm>

#include "estimate/cta_walk.h"

namespace gpusim::estimate {

CriticalPath critical_path(const Schedule& schedule, const Profile& profile, const RunOptions& options) {
  Ledger ledger;
  Costs costs(schedule, profile, options, ledger);
  const Path exit = CtaWalk(schedule, profile, costs, ledger).run();

  CriticalPath path;
  path.cta = ledger.terms(exit);
  path.cta_cycles = Cycles(exit.time());
  const std::int64_t ctas = cta_count(schedule);
  const std::int64_t at_a_time = profile.sm.count * std::max(1, occupancy(schedule, profile).ctas);
  path.waves = (ctas + at_a_time - 1) / at_a_time;
  path.hand_over = profile.launch.cta_exit + profile.launch.cta_start;
  path.total = path.waves * path.cta_cycles + (path.waves - 1) * path.hand_over;
  return path;
}

}  // namespace gpusim::estimate
