// The closed form beside the simulation: the chain of latencies a kernel cannot be shorter than.
//
// The critical path follows one CTA's programs with latencies alone (no queue, no bandwidth limit, no contention), and
// keeps, for each operation, what it waited for last. Read backwards from the last exit it is a sum of profile fields:
// 200 + 8 * 34 + 8 * 4. On a machine without limits that sum is the simulated time; on silicon the difference is what
// contention added. It shares no code with the engine.
//
// The CTA is CTA 0, with its work items; the others of its cluster and grid are always as far as it is (docs/views.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// count * each cycles, because of a profile field.
struct PathTerm {
  std::string field;  ///< "l2.latency", "shared.latency", "pipes.fma.latency", "sm.issue_per_clk" ...
  std::string what;   ///< "global load served by L2", "FFMA" ...
  Cycles each;
  std::int64_t count = 0;
};

struct CriticalPath {
  std::vector<PathTerm> cta;  ///< of one CTA, in order of first appearance
  Cycles cta_cycles;          ///< their sum
  std::int64_t waves = 0;     ///< ceil(CTAs / (SMs * occupancy))
  Cycles hand_over;           ///< between waves: launch.cta_exit + launch.cta_start
  Cycles total;               ///< waves * cta_cycles + (waves - 1) * hand_over
};

/// `options.l2` says what serves global loads: cold DRAM, warm L2 (DRAM where there is none).
[[nodiscard]] CriticalPath critical_path(const Schedule& schedule, const Profile& profile,
                                         const RunOptions& options = {});

}  // namespace gpusim::estimate
