#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// The CTAs of a cluster and their warps, by rank.
struct Cluster {
  ClusterState state;
  std::vector<std::vector<Warp>> warps;
};

bool ended(const std::vector<Warp>& warps) {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& warp) { return warp.ended(); });
}
bool all_ended(const Cluster& cluster) { return std::all_of(cluster.warps.begin(), cluster.warps.end(), ended); }

/// CTAs that run at the same time, from their first warp's first instruction to their last one's exit.
class Resident {
 public:
  Resident(const Kernel& kernel, GlobalMemory& global) : kernel_(kernel), grid_{global, {}} {}

  void launch_cluster(CtaId first);
  /// Runs all in turn, until they have ended.
  void run();

 private:
  static bool run(Cluster& cluster);
  static bool run(std::vector<Warp>& warps, CtaState& cta);
  [[nodiscard]] std::vector<std::string> waits() const;

  const Kernel& kernel_;
  GridState grid_;
  std::deque<Cluster> clusters_;  ///< stays where it is: warps refer to their clusters
};

void Resident::launch_cluster(CtaId first) {
  const Schedule& schedule = *kernel_.schedule;
  Cluster& cluster = clusters_.emplace_back(Cluster{{grid_, first, {}, {}}, {}});
  for (int rank = 0; rank < schedule.cluster; ++rank)
    cluster.state.ctas.push_back({SharedMemory(kernel_.tiles), fresh_barriers(schedule), {}});
  cluster.warps.resize(cluster.state.ctas.size());
  for (std::size_t rank = 0; rank < cluster.warps.size(); ++rank)
    for (int warp = 0; warp < warps_per_cta(schedule); ++warp)
      cluster.warps[rank].emplace_back(kernel_, cluster.state, rank, warp);
}

void Resident::run() {
  while (!std::all_of(clusters_.begin(), clusters_.end(), all_ended)) {
    bool moved = false;
    for (Cluster& cluster : clusters_) moved = run(cluster) || moved;
    if (!moved) throw DeadlockError(waits());
  }
}

/// Lets each CTA of a cluster run as far as it can. Whether any got anywhere.
bool Resident::run(Cluster& cluster) {
  bool moved = false;
  for (std::size_t rank = 0; rank < cluster.warps.size(); ++rank)
    moved = run(cluster.warps[rank], cluster.state.ctas[rank]) || moved;
  return moved;
}

bool Resident::run(std::vector<Warp>& warps, CtaState& cta) {
  if (ended(warps)) return false;
  bool moved = false;
  for (Warp& warp : warps) moved = warp.run() || moved;
  if (ended(warps)) {
    for (Warp& warp : warps) warp.finish_stores();
    // With its CTA shared memory goes: whoever of the cluster still reads it shall see that.
    cta.shared.clear();
  }
  return moved;
}

std::vector<std::string> Resident::waits() const {
  std::vector<std::string> waits;
  for (const Cluster& cluster : clusters_)
    for (std::size_t rank = 0; rank < cluster.warps.size(); ++rank)
      for (const Warp& warp : cluster.warps[rank])
        if (!warp.ended())
          waits.push_back("CTA " + std::to_string(cluster.state.first.index() + static_cast<std::int64_t>(rank)) +
                          ": " + warp.wait());
  return waits;
}

}  // namespace

Memory execute(const Schedule& schedule, Memory before) {
  if (std::vector<Problem> problems = check(schedule); !problems.empty()) throw ScheduleError(std::move(problems));
  GlobalMemory global(schedule, before);
  const Kernel kernel = prepare(schedule);
  // One cluster after another is the cheapest order, and as good as any, unless they wait for each other.
  std::optional<Resident> resident;
  for (std::int64_t cta = 0; cta < cta_count(schedule); cta += schedule.cluster) {
    if (!resident || !kernel.meets_grid) resident.emplace(kernel, global);
    resident->launch_cluster(CtaId(cta));
    if (!kernel.meets_grid) resident->run();
  }
  if (kernel.meets_grid) resident->run();
  return before;
}

}  // namespace gpusim::functional
