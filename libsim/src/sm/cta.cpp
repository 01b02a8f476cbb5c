// CTAs and warps coming and going, and the charging of their cycles.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::start_cta(const CtaStart& start, Cycle now) {
  const auto free = std::find_if(ctas_.begin(), ctas_.end(), [](const Cta& cta) { return !cta.resident; });
  if (free == ctas_.end()) throw std::logic_error("a CTA was started on a full SM");
  Cta& cta = *free;
  cta.resident = true;
  cta.id = start.cta;
  cta.warps_left = kernel_->warps_per_cta;
  cta.arrived = 0;
  cta.arrived_cluster = 0;
  cta.arrived_grid = 0;
  cta.grid_round = 0;
  cta.stores = 0;
  cta.awaits_stores = false;
  cta.registers = 0;
  cta.cluster_sms = start.cluster_sms;
  cta.counted = now;
  for (const BarrierShape& barrier : kernel_->barriers)
    for (std::int32_t slot = barrier.first_slot; slot < barrier.first_slot + barrier.slots; ++slot)
      cta.slots[static_cast<std::size_t>(slot)] = {0, now, barrier.arrivals, 0};
  if (resident_++ == 0) active_since_ = now;
  if (!began_) began_ = now;
  for (Observer* observer : observers_) observer->cta_started(kernel_id_, CtaId(cta.id), id_, now + skipped_);

  const auto cta_slot = static_cast<std::int32_t>(free - ctas_.begin());
  for (int index = 0; index < kernel_->warps_per_cta; ++index) {
    const std::int32_t slot = cta_slot * kernel_->warps_per_cta + index;
    start_warp(slot, cta_slot, index, now + warp_delay(index));
  }
}

/// The first warp of a CTA begins at once, the others as they are set up.
Cycles Sm::warp_delay(int index) const {
  const Rate rate = config_.warp_start_rate;
  return rate.is_unlimited() ? Cycles(0) : Cycles(index * rate.period() / rate.amount());
}

void Sm::start_warp(std::int32_t slot, std::int32_t cta_slot, int index, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  warp.parked = Parked::nothing;
  warp.reason = Reason::wait;
  warp.serial_class = serial_exempt;
  warp.index = static_cast<std::int16_t>(index);
  warp.sub_partition = static_cast<std::int16_t>(slot % config_.sub_partitions);
  warp.cta_slot = cta_slot;
  warp.role = kernel_->role_of_warp[static_cast<std::size_t>(index)];
  warp.code = &kernel_->roles[static_cast<std::size_t>(warp.role)];
  warp.steps = warp.code->steps.data();
  warp.pc = 0;
  warp.age = next_age_++;
  warp.issued = 0;
  warp.at[static_cast<std::size_t>(Coordinate::warp)] = index;
  begin_items(warp);
  warp.started = warp.since = warp.reason_until = warp.serial_ready = warp.stores_done = warp.last_math =
      warp.half_tiles = warp.next_mma = now;
  warp.last_wgmma = now - Cycles(1);  // behind it comes who multiplies at once
  warp.serial_pending = 0;
  warp.outstanding = 0;
  for (TokenState& token : warp.tokens) token = {now, now, now, 0, Reason::wait};
  warp.copies.reset();
  warp.bulk_stores.reset();
  warp.registers = kernel_->registers;
  warp.multiplies.assign(1, now);
  resume(slot, now);
}

void Sm::exit_warp(std::int32_t slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  count_warp(warp, now);
  warp.state = WarpState::absent;
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  if (--cta.warps_left != 0) return;
  cta.resident = false;
  if (--resident_ == 0) counters_.active_cycles += (now - active_since_).count();
  exits_.push_back({now + config_.border.cta_exit, static_cast<std::int32_t>(id_.index()), cta.id, now});
  for (Observer* observer : observers_) observer->cta_ended(kernel_id_, CtaId(cta.id), id_, now + skipped_);
}

void Sm::count_warp(const Warp& warp, Cycle now) {
  RoleCounters& role = counters_.roles[static_cast<std::size_t>(warp.role)];
  ++role.warps;
  role.warp_cycles += (now - warp.started).count();
}

void Sm::charge_span(Warp& warp, Reason reason, Cycle until) {
  counters_.roles[static_cast<std::size_t>(warp.role)].stalls[reason] += (until - warp.since).count();
  if (!observers_.empty()) {
    const WarpId id{CtaId(ctas_[static_cast<std::size_t>(warp.cta_slot)].id), warp.index};
    for (Observer* observer : observers_)
      observer->warp_span(kernel_id_, id, reason, warp.since + skipped_, until + skipped_);
  }
  warp.since = until;
}

void Sm::abandon(Cycle now) {
  for (Warp& warp : warps_) {
    if (warp.state == WarpState::absent) continue;
    charge(warp, warp.reason, now);
    count_warp(warp, std::max(now, warp.since));
    warp.state = WarpState::absent;
  }
  if (resident_ != 0) counters_.active_cycles += (now - active_since_).count();
  resident_ = 0;
}

void Sm::describe_waits(std::vector<std::string>& waits, std::size_t limit) const {
  for (const Warp& warp : warps_) {
    if (waits.size() >= limit) return;
    if (warp.state != WarpState::parked && warp.state != WarpState::ready) continue;
    const Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
    const std::string who =
        "warp " + std::to_string(warp.index) + " (" + warp.code->name + ") of CTA " + std::to_string(cta.id);
    if (warp.state == WarpState::ready) {
      waits.push_back(who + " waits for room in a queue (" + std::string(name(warp.reason)) + ")");
    } else if (warp.parked == Parked::barrier) {
      waits.push_back(who + " waits at bar.sync, where " + std::to_string(cta.arrived) + " of " +
                      std::to_string(kernel_->warps_per_cta) + " warps have arrived");
    } else if (warp.parked == Parked::cluster) {
      waits.push_back(who + " waits at barrier.cluster, where " + std::to_string(cta.arrived_cluster) + " of " +
                      std::to_string(kernel_->warps_per_cta) + " warps of its CTA have arrived");
    } else if (warp.parked == Parked::grid) {
      const bool counted = cta.arrived_grid == kernel_->warps_per_cta;
      waits.push_back(who + " waits at a barrier over the grid, " +
                      (counted ? "where its CTA has been counted and others have not"
                               : "where " + std::to_string(cta.arrived_grid) + " of " +
                                     std::to_string(kernel_->warps_per_cta) + " warps of its CTA have arrived"));
    } else if (warp.parked == Parked::registers) {
      waits.push_back(who + " waits to have " + std::to_string(warp.parked_on) + " registers a thread instead of " +
                      std::to_string(warp.registers) + ": other warps have given back " +
                      std::to_string(cta.registers));
    } else if (warp.parked == Parked::mbarrier) {
      const BarrierSlotState& slot = cta.slots[static_cast<std::size_t>(warp.parked_on)];
      std::string barrier_name;
      for (const BarrierShape& barrier : kernel_->barriers)
        if (warp.parked_on >= barrier.first_slot && warp.parked_on < barrier.first_slot + barrier.slots)
          barrier_name = barrier.name + "[" + std::to_string(warp.parked_on - barrier.first_slot) + "]";
      waits.push_back(who + " waits for phase " + std::to_string(warp.parked_phase) + " of mbarrier " + barrier_name +
                      ": " + std::to_string(slot.completed) + " phases are complete, " + std::to_string(slot.arrivals) +
                      " arrivals and " + std::to_string(slot.bytes) + " bytes are missing");
    } else {
      waits.push_back(who + " waits for memory that never answers");
    }
  }
}

}  // namespace gpusim::sm
