#include <algorithm>

#include "functional/code.h"
#include "functional/warp.h"
#include "gpusim/functional.h"

namespace gpusim::functional {
namespace {

std::vector<std::vector<Mbarrier>> fresh_barriers(const Schedule& schedule) {
  std::vector<std::vector<Mbarrier>> barriers;
  for (const Barrier& barrier : schedule.barriers)
    barriers.emplace_back(static_cast<std::size_t>(barrier.slots), Mbarrier(barrier.arrivals));
  return barriers;
}

/// Lets each warp run as far as it can, in turn, until all have ended.
void run_cta(const Kernel& kernel, GlobalMemory& global, CtaId cta) {
  const Schedule& schedule = *kernel.schedule;
  CtaState state{global, SharedMemory(kernel.tiles), fresh_barriers(schedule)};
  std::vector<Warp> warps;
  for (int warp = 0; warp < warps_per_cta(schedule); ++warp)
    warps.emplace_back(kernel, state, warp, block_of(schedule, cta));

  const auto ended = [](const Warp& warp) { return warp.ended(); };
  while (!std::all_of(warps.begin(), warps.end(), ended)) {
    bool moved = false;
    for (Warp& warp : warps) moved = warp.run() || moved;
    if (moved) continue;
    std::vector<std::string> waits;
    for (const Warp& warp : warps)
      if (!warp.ended()) waits.push_back("CTA " + std::to_string(cta.index()) + ": " + warp.wait());
    throw DeadlockError(std::move(waits));
  }
}

}  // namespace

Memory execute(const Schedule& schedule, Memory before) {
  if (std::vector<Problem> problems = check(schedule); !problems.empty()) throw ScheduleError(std::move(problems));
  GlobalMemory global(schedule, before);
  const Kernel kernel = prepare(schedule);
  for (std::int64_t cta = 0; cta < cta_count(schedule); ++cta) run_cta(kernel, global, CtaId(cta));
  return before;
}

}  // namespace gpusim::functional
