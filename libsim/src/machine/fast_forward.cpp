#include "machine/fast_forward.h"

#include <algorithm>
#include <stdexcept>

namespace gpusim::machine {

bool worth_skipping(const Schedule& schedule, std::int64_t fewest) {
  const std::int64_t ctas = cta_count(schedule);
  return warp_instructions(schedule) >= (fewest + ctas - 1) / ctas;
}

void FastForward::look(Cycle limit) {
  const Cycle now = due();
  if (now < looked_) throw std::logic_error("fast-forward would look back");
  looked_ = now;
  if (now >= waves_due_) waves_due_ = waves_.look(now, limit);
  if (now >= rounds_due_) rounds_due_ = rounds_.look(now, limit);
  if (now >= tiles_due_) tiles_due_ = tiles_.look(now, limit);
}

void FastForward::finish(Cycle now) {
  tiles_.finish(now);
  waves_.finish();
  rounds_.finish();
  const Simulation& run = simulation_;
  run.ledger.deliver_all(count(run.kernel, run.sms, run.fabric, run.configuration).kernel.traffic);
}

}  // namespace gpusim::machine
