// The quick model: how long a kernel takes, to some tens of per cent, without walking k. For choosing between
// schedules.
//
// It reads the schedule's own programs, so it works for any. From them it counts what CTA 0 asks of each resource in
// its prologue and epilogue and in a k tile (instructions, wavefronts with their bank conflicts, sectors), and walks a
// few k tiles for the latency of one (critical_path.h), in which, where warps do not meet in each, a stage is there
// when its last byte is. A k tile takes the longer of its latency and its busiest resource. Warps that wait for each
// other at barriers stand in each other's way: most where what they ask of the SM takes about as long as their own
// chain. CTAs of an SM together take at least what they ask of that resource; their prologues and epilogues, done at
// the same time, take their latencies and that.
// The busiest SM's CTAs follow each other, the last ones with fewer beside them. Beside that stand the bytes DRAM must
// deliver, when L2 keeps what neighbouring tiles share, or the rows it opens for lines that are asked for without their
// neighbours: the longer of the two and a little more where they are near each other, and then what SMs with more CTAs
// than the average have left.
//
//   const auto estimate = gpusim::estimate::quick_estimate(schedule, profile);
//   estimate.us;                  // 214.3
//   estimate.resources.front();   // {"sm.tensor", 361'000 cycles}: what limits it most
//
// Several kernels of a product (schedules::gemm_kernels) take the sum of theirs. Not modelled: CTAs that drift apart,
// queues that come and go, L1 and L2 that hold less than is shared at a time, traffic between CTAs of a cluster, the
// clock that a schedule's power leaves.
#pragma once

#include <string>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// One resource, and how many cycles of the kernel it is busy: that of the busiest SM where SMs have their own. Names
/// are those of the Result's servers and pools ("sm.tensor", "l2.slice", "dram.channel", "sm.miss_lines"), and
/// "latency" for what CTAs take that have their SM for themselves.
struct QuickResource {
  std::string name;
  double cycles = 0;
};

struct QuickEstimate {
  double us = 0;                         ///< first CTA's first cycle to the last exit
  double cycles = 0;                     ///< the same in SM cycles
  std::vector<QuickResource> resources;  ///< those that are busy at all, busiest first

  double step_latency = 0;   ///< cycles of a k tile when nothing is in the way
  double step_cycles = 0;    ///< of a CTA that has its SM for itself
  double fixed_latency = 0;  ///< of prologue and epilogue when nothing is in the way
  double steps = 0;          ///< k tiles of a CTA
  int ctas_per_sm = 0;       ///< at a time
  double rounds = 0;         ///< CTAs of the busiest SM by ctas_per_sm
  double l2_bytes = 0;       ///< read by all SMs
  double dram_bytes = 0;     ///< read and written
};

/// `options` as the engine takes them: clock, and what L2 holds before. Throws DeadlockError when warps wait for what
/// cannot come.
[[nodiscard]] QuickEstimate quick_estimate(const Schedule& schedule, const Profile& profile,
                                           const RunOptions& options = {});

}  // namespace gpusim::estimate
