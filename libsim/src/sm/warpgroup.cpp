// Warp-group multiplies (wgmma): the four warps of a group each bring their quarter of the work to the tensor pipe of
// their sub-partition, and of the operands to the shared-memory banks.
#include <algorithm>

#include "sizes.h"
#include "sm/sm.h"

namespace gpusim::sm {

/// One instruction at a time, and the next when this one begins: its operands are fetched while this one multiplies,
/// and no further ahead. So time in which the banks are late, because others are at them, is lost to the tensor
/// core.
Sm::Outcome Sm::execute_warpgroup(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  core::Server& pipe = sub.pipes[static_cast<std::size_t>(Pipe::tensor)];
  const int quarter = warp.index % warps_per_group;
  const std::int64_t wavefronts =
      step.wavefronts * (quarter + 1) / warps_per_group - step.wavefronts * quarter / warps_per_group;
  counters_.shared_wavefronts += wavefronts;
  counters_.shared_ideal_wavefronts += wavefronts;
  counters_.shared_load_bytes += wavefronts * line_bytes;
  const Cycle operands = lsu_.use_banks(issue.now, wavefronts) + Cycles(1);
  // The latency has the way of A's in it, as far as nobody else is at the banks.
  const Cycle operands_of_b = operands - Cycles(step.a_wavefronts * (quarter + 1) / warps_per_group);
  warp.last_wgmma = issue.now;
  const core::Grant arithmetic = pipe.take(issue.now, step.pipe_work / step.count);
  pipe.hold(operands);
  sub.wgmma_begins = arithmetic.start;
  warp.next_mma = issue.now + config_.wgmma_interval;
  const Cycle math = std::max(arithmetic.end, operands);
  const Cycle complete = std::max(arithmetic.end, operands_of_b) + Cycles(step.latency);
  TokenState& token = warp.tokens[step.writes];
  token.write(issue.now, complete, Reason::wait);
  note_read(warp, step, math);
  warp.last_math = std::max(warp.last_math, complete);
  warp.multiplies.back() = std::max(warp.multiplies.back(), complete);
  return {issue.selected_until, Reason::math_pipe_throttle, false};
}

Sm::Outcome Sm::wait_multiplies(Warp& warp, const Step& step, const Issue& issue) {
  Cycle complete = issue.selected_until;
  std::vector<Cycle>& groups = warp.multiplies;
  // The open group is not waited for; those that are complete need not be remembered.
  const auto waited = static_cast<std::ptrdiff_t>(groups.size()) - 1 - step.pending;
  for (std::ptrdiff_t i = 0; i < waited; ++i) complete = std::max(complete, groups[static_cast<std::size_t>(i)]);
  if (waited > 0) groups.erase(groups.begin(), groups.begin() + waited);
  return {complete, Reason::wait, false};
}

}  // namespace gpusim::sm
