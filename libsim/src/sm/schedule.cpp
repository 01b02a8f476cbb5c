// The warp scheduler of a sub-partition: which of the ready warps issues, and why the others do not.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::make_ready(std::int32_t slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  warp.state = WarpState::ready;
  warp.reason = Reason::not_selected;
  warp.reason_until = now;
  SubPartition& partition = subs_[static_cast<std::size_t>(warp.sub_partition)];
  partition.ready.push_back(slot);
  const Cycle at = std::max(now, partition.port.free());
  // What would be the next event, in this cycle, need not pass through the queue.
  if (at == now && events_.next() != now) return evaluate(warp.sub_partition, now);
  evaluate_at(warp.sub_partition, at);
}

void Sm::evaluate_at(std::int32_t sub, Cycle at) {
  SubPartition& partition = subs_[static_cast<std::size_t>(sub)];
  if (at >= partition.evaluates_at) return;
  partition.evaluates_at = at;
  events_.push(at, {Event::Kind::evaluate, sub});
}

/// Charges a ready warp up to now: its obstacle as long as that stood, then the scheduler's choice of another.
void Sm::settle(Warp& warp, Cycle now) {
  if (now <= warp.since) return;
  charge(warp, warp.reason, std::min(now, warp.reason_until));
  charge(warp, Reason::not_selected, now);
}

void Sm::evaluate(std::int32_t sub, Cycle now) {
  SubPartition& partition = subs_[static_cast<std::size_t>(sub)];
  partition.evaluates_at = Cycle::never();
  while (!partition.ready.empty()) {
    if (partition.port.free() > now) return evaluate_at(sub, partition.port.free());
    Cycle look_again = Cycle::never();
    const std::int32_t slot = pick(partition, now, look_again);
    if (slot < 0) {
      if (look_again != Cycle::never()) evaluate_at(sub, look_again);
      return;
    }
    std::erase(partition.ready, slot);
    partition.last = slot;
    issue(slot, now);
  }
}

/// Of two warps at a wgmma.
bool Sm::multiplied_earlier(const SubPartition& sub, std::int32_t a, std::int32_t b) const {
  const Cycle of_a = warps_[static_cast<std::size_t>(a)].last_wgmma;
  const Cycle of_b = warps_[static_cast<std::size_t>(b)].last_wgmma;
  return of_a != of_b ? of_a < of_b : before(sub, a, b);
}

bool Sm::before(const SubPartition& sub, std::int32_t a, std::int32_t b) const {
  if (config_.scheduler == SchedulerPolicy::lrr) {
    const bool a_wraps = a <= sub.last;
    const bool b_wraps = b <= sub.last;
    return a_wraps != b_wraps ? b_wraps : a < b;
  }
  if (a == sub.last || b == sub.last) return a == sub.last;
  return warps_[static_cast<std::size_t>(a)].age < warps_[static_cast<std::size_t>(b)].age;
}

Sm::Obstacle Sm::obstacle(const Warp& warp, const Step& step, SubPartition& sub, Cycle now, QueueLooks& looks) {
  const auto queue_obstacle = [&](MemoryQueue& queue, QueueLook& look, Reason reason) -> Obstacle {
    const std::int64_t places = queue.wanted(step.count - warp.issued);
    if (places != look.places) {
      look.places = places;
      look.found =
          queue.free(now) >= places ? Obstacle{now, Reason::selected} : Obstacle{queue.free_at(places), reason};
    }
    if (look.found.reason != Reason::selected) queue.refuse();
    return look.found;
  };
  switch (step.kind) {
    case StepKind::math: {
      Cycle free = sub.pipes[static_cast<std::size_t>(step.pipe)].free();
      if (step.pipe == Pipe::tensor) free = std::max(free, warp.next_mma);
      if (step.bank_work != 0) free = std::max(free, sub.register_banks.free());
      return free > now ? Obstacle{free, Reason::math_pipe_throttle} : Obstacle{now, Reason::selected};
    }
    case StepKind::warpgroup_multiply: {
      const Cycle free = std::max(sub.wgmma_begins, warp.next_mma);
      return free > now ? Obstacle{free, Reason::math_pipe_throttle} : Obstacle{now, Reason::selected};
    }
    case StepKind::load_shared:
    case StepKind::store_shared:
    case StepKind::load_constant:
    case StepKind::shuffle:
    case StepKind::load_peer:
    case StepKind::store_peer:
    case StepKind::arrive_peer:
      return queue_obstacle(sub.shared_queue, looks.shared, Reason::mio_throttle);
    case StepKind::load_global:
    case StepKind::store_global:
    case StepKind::copy_async:
    case StepKind::atomic:
      return queue_obstacle(sub.global_queue, looks.global, Reason::lg_throttle);
    case StepKind::bulk_copy:
    case StepKind::bulk_store:
      return bulk_.ask() ? Obstacle{now, Reason::selected} : Obstacle{Cycle::never(), Reason::tma_throttle};
    default:
      return {now, Reason::selected};
  }
}

std::int32_t Sm::pick(SubPartition& sub, Cycle now, Cycle& look_again) {
  std::int32_t best = -1;
  bool best_multiplies = false;
  std::int32_t multiplies = -1;  // which of those at a wgmma, whose turn it is whatever the policy
  QueueLooks looks;
  for (const std::int32_t slot : sub.ready) {
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    const Step& step = warp.step();
    const Obstacle found = obstacle(warp, step, sub, now, looks);
    // What still stands is charged when it ends.
    if (found.reason != warp.reason || now > warp.reason_until) settle(warp, now);
    if (found.reason != Reason::selected) {
      warp.reason = found.reason;
      warp.reason_until = found.until;
      look_again = std::min(look_again, found.until);
      continue;
    }
    warp.reason = Reason::not_selected;
    warp.reason_until = now;
    const bool at_wgmma = step.kind == StepKind::warpgroup_multiply;
    if (best < 0 || before(sub, slot, best)) {
      best = slot;
      best_multiplies = at_wgmma;
    }
    if (at_wgmma && (multiplies < 0 || multiplied_earlier(sub, slot, multiplies))) multiplies = slot;
  }
  return best_multiplies ? multiplies : best;
}

}  // namespace gpusim::sm
