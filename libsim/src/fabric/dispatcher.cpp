#include "fabric/dispatcher.h"

#include <algorithm>

namespace gpusim::fabric {

Dispatcher::Dispatcher(const FabricConfig& config)
    : topology_(config.topology),
      descending_(config.descending),
      cta_start_(config.border.cta_start),
      server_(config.dispatch_rate),
      sms_of_gpc_(static_cast<std::size_t>(config.topology.gpcs)) {
  for (std::int64_t sm = 0; sm < topology_.sms; ++sm)
    sms_of_gpc_[static_cast<std::size_t>(topology_.gpc_of(sm))].push_back(static_cast<std::int32_t>(sm));
}

std::vector<Assignment> Dispatcher::begin(const Grid& grid, Cycle now) {
  grid_ = grid;
  next_ = 0;
  done_ = 0;
  slots_.resize(static_cast<std::size_t>(topology_.sms));
  for (core::Pool& pool : slots_) pool.set_capacity(grid.slots);
  std::vector<Assignment> assignments;
  if (grid.cluster > 1) {
    begin_clusters(now, assignments);
    return assignments;
  }
  for (std::int64_t round = 0; round < grid.slots && next_ < grid.ctas; ++round)
    for (std::int64_t i = 0; i < topology_.sms && next_ < grid.ctas; ++i)
      assign(static_cast<std::int32_t>(descending_ ? topology_.sms - 1 - i : i), now, assignments);
  return assignments;
}

void Dispatcher::begin_clusters(Cycle now, std::vector<Assignment>& assignments) {
  for (bool any = true; any;) {
    any = false;
    for (std::int64_t i = 0; i < topology_.gpcs; ++i)
      any = assign_cluster(descending_ ? topology_.gpcs - 1 - i : i, now, assignments) || any;
  }
}

void Dispatcher::ended(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments) {
  ++done_;
  slots_[static_cast<std::size_t>(sm)].release(1);
  if (next_ == grid_.ctas) return;
  if (grid_.cluster > 1)
    assign_cluster(topology_.gpc_of(sm), now, assignments);
  else
    assign(sm, now, assignments);
}

void Dispatcher::assign(std::int32_t sm, Cycle now, std::vector<Assignment>& assignments) {
  core::Pool& slots = slots_[static_cast<std::size_t>(sm)];
  if (!slots.ask(1)) return;
  slots.take(1);
  Assignment assignment;
  assignment.sm = sm;
  assignment.cta = next_++;
  assignment.start = server_.take(now, 1).start + cta_start_;
  assignment.cluster_sms[0] = static_cast<std::int16_t>(sm);
  assignments.push_back(assignment);
}

std::int64_t Dispatcher::room(std::int32_t sm) const {
  return grid_.slots - slots_[static_cast<std::size_t>(sm)].in_use();
}

/// Starts the next cluster on a GPC, on distinct SMs as far as there are; false when it has no room or none is left.
bool Dispatcher::assign_cluster(std::int64_t gpc, Cycle now, std::vector<Assignment>& assignments) {
  if (next_ >= grid_.ctas) return false;
  const std::vector<std::int32_t>& sms = sms_of_gpc_[static_cast<std::size_t>(gpc)];
  std::vector<std::int32_t> chosen;
  std::vector<std::int64_t> taken(sms.size());
  for (int rank = 0; rank < grid_.cluster; ++rank) {
    std::size_t best = sms.size();
    for (std::size_t i = 0; i < sms.size(); ++i) {
      if (room(sms[i]) == taken[i]) continue;
      const bool better =
          best == sms.size() || taken[i] < taken[best] || (taken[i] == taken[best] && room(sms[i]) > room(sms[best]));
      if (better) best = i;
    }
    if (best == sms.size()) return false;
    ++taken[best];
    chosen.push_back(sms[best]);
  }
  std::sort(chosen.begin(), chosen.end());
  Assignment assignment;
  for (std::size_t rank = 0; rank < chosen.size(); ++rank)
    assignment.cluster_sms[rank] = static_cast<std::int16_t>(chosen[rank]);
  for (const std::int32_t sm : chosen) {
    slots_[static_cast<std::size_t>(sm)].take(1);
    assignment.sm = sm;
    assignment.cta = next_++;
    assignment.start = server_.take(now, 1).start + cta_start_;
    assignments.push_back(assignment);
  }
  return true;
}

}  // namespace gpusim::fabric
