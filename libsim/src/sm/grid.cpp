// The barrier over the whole grid, as one thread of each CTA runs it: the CTA's warps meet, a fence waits for its
// stores and goes to L2 and back, an atomic counts it, polls find all counted, unless it only counts, and the warps go
// on.
#include <algorithm>
#include <array>

#include "sm/sm.h"

namespace gpusim::sm {

Sm::Outcome Sm::arrive_grid(Warp& warp, const Step& step, const Issue& issue) {
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  cta.counts_only = step.relaxed;
  cta.counted = std::max({cta.counted, issue.now, warp.stores_done}) + config_.barrier_per_warp;
  park(warp, Parked::grid, 0, Reason::barrier);
  if (++cta.arrived_grid == kernel_->warps_per_cta) {
    cta.counted += config_.barrier_latency;
    if (cta.stores == 0)
      count_cta(warp.cta_slot, cta.counted);
    else
      cta.awaits_stores = true;
  }
  return {issue.selected_until, Reason::barrier, true};
}

/// A store to global memory is acknowledged. Its CTA may have exited.
void Sm::acknowledge(const Owner& owner, Cycle now) {
  const std::int32_t cta_slot = owner.warp / kernel_->warps_per_cta;
  Cta& cta = ctas_[static_cast<std::size_t>(cta_slot)];
  if (!cta.resident || cta.id != owner.cta) return;
  if (--cta.stores != 0 || !cta.awaits_stores) return;
  cta.awaits_stores = false;
  count_cta(cta_slot, std::max(now, cta.counted));
}

/// The fence finds no stores at `at`, and the atomic leaves behind it; the answer is that of the last poll.
void Sm::count_cta(std::int32_t cta_slot, Cycle at) {
  Owner owner;
  owner.kind = Owner::Kind::grid;
  owner.index = cta_slot;
  Border::Terms terms;
  terms.issued = terms.at = at + config_.fence;
  const bool counts_only = ctas_[static_cast<std::size_t>(cta_slot)].counts_only;
  terms.kind = counts_only ? RequestKind::grid_pass : RequestKind::grid_count;
  terms.waits = true;
  terms.completes.slot = ctas_[static_cast<std::size_t>(cta_slot)].grid_round++;
  const std::array counter{LineChunks{kernel_->grid_line, 1}};
  const std::uint32_t handle = border_.request(border_.open(owner), counter, extent_of(counter), terms);
  events_.push(terms.at, {Event::Kind::departs, static_cast<std::int32_t>(handle)});
}

/// The answer of the poll, or of the atomic, is there. Lines that other SMs have written since must not be found in L1.
void Sm::release_grid(std::int32_t cta_slot, Cycle now) {
  lsu_.invalidate();
  ctas_[static_cast<std::size_t>(cta_slot)].arrived_grid = 0;
  const Cycle release = now + config_.barrier_latency;
  const std::int32_t first = cta_slot * kernel_->warps_per_cta;
  for (std::int32_t slot = first; slot < first + kernel_->warps_per_cta; ++slot) {
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    charge(warp, Reason::barrier, release);
    warp.serial_ready = std::max(warp.serial_ready, release);
    resume(slot, std::max(release, warp.since));
  }
}

}  // namespace gpusim::sm
