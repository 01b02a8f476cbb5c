// What warps and CTAs take to hear of each other.
#include <algorithm>

#include "estimate/costs.h"

namespace gpusim::estimate {

void Costs::add_barrier(Path& path) const {
  ledger_.extend(path, "barrier.latency", "CTA barrier", profile_.barrier.latency);
}

void Costs::add_arrival(Path& path, std::int64_t warps) const {
  ledger_.extend(path, "barrier.per_warp", "CTA barrier, each warp", profile_.barrier.per_warp, warps);
}

void Costs::add_barrier(Path& path, const ClusterBarrier& barrier) const {
  if (!profile_.cluster) return;
  if (barrier.relaxed)
    ledger_.extend(path, "cluster.relaxed_barrier_latency", "cluster barrier",
                   profile_.cluster->relaxed_barrier_latency);
  else
    ledger_.extend(path, "cluster.barrier_latency", "cluster barrier", profile_.cluster->barrier_latency);
}

void Costs::add_mbarrier(Path& path) const {
  ledger_.extend(path, "barrier.mbarrier_latency", "mbarrier phase to waiting warp", profile_.barrier.mbarrier_latency);
}

void Costs::add_peer(Path& path, bool own, std::string_view what) const {
  if (!profile_.cluster) return;
  const ClusterSpec& cluster = *profile_.cluster;
  // Where the peer runs is the dispatcher's choice: at best as near as can be.
  if (own)
    ledger_.extend(path, "cluster.own_latency", what, cluster.own_latency);
  else if (profile_.sm.sms_per_tpc > 1)
    ledger_.extend(path, "cluster.tpc_latency", what, cluster.tpc_latency);
  else if (profile_.sm.tpcs_per_cpc > 1)
    ledger_.extend(path, "cluster.cpc_latency", what, cluster.cpc_latency);
  else
    ledger_.extend(path, "cluster.gpc_latency", what, cluster.gpc_latency);
}

void Costs::add_acknowledgement(Path& path) const {
  const Cycles nearest = profile_.l2 ? std::min(profile_.l2->latency, dram_latency_) : dram_latency_;
  const Cycles crossing = std::max(nearest * 2 / 5, Cycles(1));
  ledger_.extend(path, profile_.l2 ? "l2.latency" : "dram.latency", "store there and acknowledged: 4/5", crossing, 2);
}

void Costs::add_count(Path& path, bool first, bool polls) const {
  // Where the counter is in a divided L2 is not known: at best near. The fence waits for the far half.
  if (profile_.l2) {
    ledger_.extend(path, "l2.latency", "grid barrier: fence", profile_.l2->latency);
    ledger_.extend(path, "l2.far_latency", "grid barrier: fence", profile_.l2->far_latency);
  } else {
    ledger_.extend(path, "dram.latency", "grid barrier: fence", dram_latency_);
  }
  if (first || !profile_.l2)
    ledger_.extend(path, "dram.latency", "grid barrier: counter from DRAM", dram_latency_);
  else
    ledger_.extend(path, "l2.latency", "grid barrier: counter at L2", profile_.l2->latency);
  if (profile_.l2) ledger_.extend(path, "l2.atomic_latency", "grid barrier: atomic", profile_.l2->atomic_latency);
  if (!polls) return;
  if (!profile_.l2) return ledger_.extend(path, "dram.latency", "grid barrier: poll", dram_latency_);
  ledger_.extend(path, "l2.latency", "grid barrier: poll", profile_.l2->latency);
}

}  // namespace gpusim::estimate
