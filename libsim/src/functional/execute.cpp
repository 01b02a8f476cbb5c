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

bool ended(const std::vector<Warp>& warps) {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& warp) { return warp.ended(); });
}

/// Lets each warp of a CTA run as far as it can, in turn. Whether any got anywhere.
bool run(std::vector<Warp>& warps, CtaState& cta) {
  if (ended(warps)) return false;
  bool moved = false;
  for (Warp& warp : warps) moved = warp.run() || moved;
  // With its CTA shared memory goes: whoever of the cluster still reads it shall see that.
  if (ended(warps)) cta.shared.clear();
  return moved;
}

/// Runs the CTAs of a cluster in turn, until all have ended.
void run_cluster(const Kernel& kernel, GlobalMemory& global, CtaId first) {
  const Schedule& schedule = *kernel.schedule;
  ClusterState cluster;
  for (int rank = 0; rank < schedule.cluster; ++rank)
    cluster.ctas.push_back({global, SharedMemory(kernel.tiles), fresh_barriers(schedule), {}});
  std::vector<std::vector<Warp>> warps(cluster.ctas.size());
  for (std::size_t rank = 0; rank < warps.size(); ++rank)
    for (int warp = 0; warp < warps_per_cta(schedule); ++warp)
      warps[rank].emplace_back(kernel, cluster, rank, warp,
                               block_of(schedule, CtaId(first.index() + static_cast<std::int64_t>(rank))));

  while (!std::all_of(warps.begin(), warps.end(), ended)) {
    bool moved = false;
    for (std::size_t rank = 0; rank < warps.size(); ++rank) moved = run(warps[rank], cluster.ctas[rank]) || moved;
    if (moved) continue;
    std::vector<std::string> waits;
    for (std::size_t rank = 0; rank < warps.size(); ++rank)
      for (const Warp& warp : warps[rank])
        if (!warp.ended())
          waits.push_back("CTA " + std::to_string(first.index() + static_cast<std::int64_t>(rank)) + ": " +
                          warp.wait());
    throw DeadlockError(std::move(waits));
  }
}

}  // namespace

Memory execute(const Schedule& schedule, Memory before) {
  if (std::vector<Problem> problems = check(schedule); !problems.empty()) throw ScheduleError(std::move(problems));
  GlobalMemory global(schedule, before);
  const Kernel kernel = prepare(schedule);
  for (std::int64_t cta = 0; cta < cta_count(schedule); cta += schedule.cluster)
    run_cluster(kernel, global, CtaId(cta));
  return before;
}

}  // namespace gpusim::functional
