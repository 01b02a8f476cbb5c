#include "fabric/grid_barrier.h"

#include <algorithm>
#include <utility>

namespace gpusim::fabric {

std::vector<GridBarrier::Release> GridBarrier::release() {
  const std::vector<Arrival> arrivals = std::exchange(rounds_.front(), {});
  rounds_.pop_front();
  ++first_;
  Cycle all_counted;
  for (const Arrival& arrival : arrivals) all_counted = std::max(all_counted, arrival.counted);
  std::vector<Release> releases;
  for (const Arrival& arrival : arrivals) {
    if (!arrival.waits) continue;
    const std::int64_t round_trip = std::max<std::int64_t>((arrival.way.to + arrival.way.from).count(), 1);
    const std::int64_t missing = (all_counted - (arrival.polls_from + arrival.way.to)).count();
    // Polls that find it incomplete; each leaves when the one before has been answered.
    const std::int64_t vain = missing <= 0 ? 0 : (missing + round_trip - 1) / round_trip;
    releases.push_back({arrival.sm, arrival.handle, arrival.polls_from + Cycles(round_trip * (vain + 1))});
  }
  return releases;
}

}  // namespace gpusim::fabric
