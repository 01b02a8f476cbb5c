// Copy groups, the CTA barrier, mbarriers, and registers that warps hand to each other.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

Sm::Outcome Sm::wait_group(Warp& warp, CopyGroups& groups, Parked what, const Step& step, const Issue& issue) {
  groups.forget_complete();
  if (groups.done(step.pending)) return {issue.selected_until, Reason::wait, false};
  const Reason reason = what == Parked::group ? Reason::long_scoreboard : Reason::tma_throttle;
  park(warp, what, step.pending, reason);
  return {issue.selected_until, reason, true};
}

Sm::Outcome Sm::arrive_cta(Warp& warp, const Issue& issue) {
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  ++cta.arrived;
  // Arrivals are counted one after another.
  cta.counted = std::max({cta.counted, issue.now, warp.stores_done}) + config_.barrier_per_warp;
  park(warp, Parked::barrier, 0, Reason::barrier);
  return {issue.selected_until, Reason::barrier, true};
}

/// Lets the CTA's warps go when all have arrived. One that has exited never will: the others wait for ever.
void Sm::release_cta(std::int32_t cta_slot) {
  Cta& cta = ctas_[static_cast<std::size_t>(cta_slot)];
  if (cta.arrived != kernel_->warps_per_cta) return;
  const Cycle release = cta.counted + config_.barrier_latency;
  cta.arrived = 0;
  const std::int32_t first = cta_slot * kernel_->warps_per_cta;
  for (std::int32_t slot = first; slot < first + kernel_->warps_per_cta; ++slot) {
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    if (warp.state != WarpState::parked || warp.parked != Parked::barrier) continue;
    charge(warp, Reason::barrier, release);
    warp.serial_ready = std::max(warp.serial_ready, release);
    resume(slot, std::max(release, warp.since));
  }
}

Sm::Outcome Sm::arrive_cluster(Warp& warp, const Step& step, const Issue& issue) {
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  park(warp, Parked::cluster, 0, Reason::barrier);
  cta.counted = std::max({cta.counted, issue.now, step.relaxed ? issue.now : warp.stores_done});
  if (++cta.arrived_cluster == kernel_->warps_per_cta) {
    cta.arrived_cluster = 0;
    arrivals_.push_back(
        {cta.counted + config_.border.barrier, static_cast<std::int32_t>(id_.index()), cta.id, step.relaxed});
  }
  return {issue.selected_until, Reason::barrier, true};
}

void Sm::release_cluster(const ClusterRelease& release) {
  for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
    Warp& warp = warps_[slot];
    if (warp.state != WarpState::parked || warp.parked != Parked::cluster) continue;
    if (ctas_[static_cast<std::size_t>(warp.cta_slot)].id != release.cta) continue;
    warp.serial_ready = std::max(warp.serial_ready, release.arrives);
    unpark(static_cast<std::int32_t>(slot), release.arrives);
  }
}

/// setmaxnreg: registers go back to the CTA, or come from what others have given back.
Sm::Outcome Sm::reallocate(Warp& warp, const Step& step, const Issue& issue) {
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  const int more = step.registers - warp.registers;
  if (more > cta.registers) {
    park(warp, Parked::registers, step.registers, Reason::barrier);
    return {issue.selected_until, Reason::barrier, true};
  }
  cta.registers -= more;
  warp.registers = step.registers;
  if (more < 0) hand_out_registers(warp.cta_slot, issue.now);
  return {issue.selected_until, Reason::wait, false};
}

void Sm::hand_out_registers(std::int32_t cta_slot, Cycle now) {
  Cta& cta = ctas_[static_cast<std::size_t>(cta_slot)];
  const std::int32_t first = cta_slot * kernel_->warps_per_cta;
  for (std::int32_t slot = first; slot < first + kernel_->warps_per_cta; ++slot) {
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    if (warp.state != WarpState::parked || warp.parked != Parked::registers) continue;
    if (warp.parked_on - warp.registers > cta.registers) continue;
    cta.registers -= warp.parked_on - warp.registers;
    warp.registers = warp.parked_on;
    unpark(slot, now);
  }
}

std::int32_t Sm::mbarrier_slot(const Warp& warp, const Step& step) const {
  const BarrierShape& barrier = kernel_->barriers[static_cast<std::size_t>(step.barrier)];
  const std::int64_t slot = step.slot(warp.at);
  if (slot < 0 || slot >= barrier.slots)
    throw std::logic_error("slot " + std::to_string(slot) + " of mbarrier " + barrier.name);
  return barrier.first_slot + static_cast<std::int32_t>(slot);
}

Sm::Outcome Sm::wait_mbarrier(Warp& warp, const Step& step, const Issue& issue) {
  const std::int32_t slot = mbarrier_slot(warp, step);
  const std::int64_t phase = step.phase(warp.at);
  const BarrierSlotState& barrier =
      ctas_[static_cast<std::size_t>(warp.cta_slot)].slots[static_cast<std::size_t>(slot)];
  if (phase < barrier.completed) {
    const Cycle seen =
        phase >= 0 && phase == barrier.completed - 1 ? barrier.completed_at + config_.mbarrier_latency : issue.now;
    return {std::max(issue.selected_until, seen), Reason::mbarrier, false};
  }
  park(warp, Parked::mbarrier, slot, Reason::mbarrier);
  warp.parked_phase = phase;
  return {issue.selected_until, Reason::mbarrier, true};
}

void Sm::change_mbarrier(std::int32_t cta_slot, std::int32_t slot, std::int64_t arrivals, std::int64_t bytes,
                         Cycle now) {
  BarrierSlotState& barrier = ctas_[static_cast<std::size_t>(cta_slot)].slots[static_cast<std::size_t>(slot)];
  barrier.arrivals -= arrivals;
  barrier.bytes += bytes;
  if (barrier.arrivals != 0 || barrier.bytes != 0) return;
  ++barrier.completed;
  barrier.completed_at = now;
  for (const BarrierShape& shape : kernel_->barriers)
    if (slot >= shape.first_slot && slot < shape.first_slot + shape.slots) barrier.arrivals = shape.arrivals;

  const Cycle seen = now + config_.mbarrier_latency;
  const std::int32_t first = cta_slot * kernel_->warps_per_cta;
  for (std::int32_t other = first; other < first + kernel_->warps_per_cta; ++other) {
    Warp& warp = warps_[static_cast<std::size_t>(other)];
    if (warp.state != WarpState::parked || warp.parked != Parked::mbarrier || warp.parked_on != slot) continue;
    if (warp.parked_phase >= barrier.completed) continue;
    charge(warp, Reason::mbarrier, seen);
    resume(other, std::max(seen, warp.since));
  }
}

}  // namespace gpusim::sm
