#include "functional/warp.h"

#include <utility>

namespace gpusim::functional {
namespace {

std::int64_t& coordinate(Coordinates& at, Coordinate which) { return at[static_cast<std::size_t>(which)]; }
std::size_t loop_coordinate(std::size_t depth) { return static_cast<std::size_t>(Coordinate::loop0) + depth; }

}  // namespace

Warp::Warp(const Kernel& kernel, ClusterState& cluster, std::size_t rank, int warp,
           std::pair<std::int64_t, std::int64_t> block)
    : schedule_(*kernel.schedule),
      code_(kernel.roles[kernel.role_of_warp[static_cast<std::size_t>(warp)]]),
      cluster_(cluster),
      cta_(cluster.ctas[rank]),
      warp_(warp),
      fragments_(code_.tokens) {
  coordinate(at_, Coordinate::warp) = warp;
  coordinate(at_, Coordinate::block_m) = block.first;
  coordinate(at_, Coordinate::block_n) = block.second;
}

bool Warp::run() {
  bool moved = false;
  while (!ended() && step()) moved = true;
  return moved;
}

bool Warp::step() {
  const Instruction& now = instruction();
  switch (now.kind) {
    case Instruction::Kind::operation: {
      const std::optional<Bound>& guard = now.operation->guard;
      const bool skipped = guard && guard->value(at_) >= guard->limit;
      if (!skipped && !std::visit([this](const auto& action) { return perform(action); }, now.operation->action))
        return false;
      ++next_;
      return true;
    }
    case Instruction::Kind::loop_begin:
      at_[loop_coordinate(now.depth)] = 0;
      next_ = now.trips > 0 ? next_ + 1 : now.jump;
      return true;
    case Instruction::Kind::loop_end: {
      std::int64_t& trip = at_[loop_coordinate(now.depth)];
      ++trip;
      next_ = trip < now.trips ? now.jump : next_ + 1;
      if (trip == now.trips) trip = 0;
      return true;
    }
    case Instruction::Kind::exit:
      break;
  }
  return false;
}

bool Warp::perform(const BarrierArrive& arrive) {
  Mbarrier& at = barrier(arrive.at);
  at.arrive(arrive.expect.count());
  finish_phase(at);
  return true;
}

bool Warp::perform(const BarrierWait& wait) { return barrier(wait.at).complete(wait.phase(at_)); }

bool Warp::perform(const CtaBarrier&) { return meet(cta_.barrier, warps_per_cta(schedule_)); }

bool Warp::perform(const ClusterBarrier&) {
  return meet(cluster_.barrier, schedule_.cluster * warps_per_cta(schedule_));
}

bool Warp::meet(Meeting& meeting, int warps) {
  if (!waits_for_round_) {
    waits_for_round_ = meeting.round + 1;
    if (++meeting.there == warps) {
      meeting.there = 0;
      ++meeting.round;
    }
  }
  if (meeting.round < *waits_for_round_) return false;
  waits_for_round_.reset();
  return true;
}

void Warp::finish_phase(Mbarrier& barrier) {
  for (const PendingCopy& copy : barrier.finish_phase()) write(copy, true);
}

Mbarrier& Warp::barrier(const BarrierSlot& slot) const {
  return cta_.barriers[static_cast<std::size_t>(slot.barrier.index())][static_cast<std::size_t>(slot.slot(at_))];
}

std::string Warp::wait() const {
  const std::string who = "warp " + std::to_string(warp_) + " (" + code_.role + ") waits for ";
  if (std::holds_alternative<ClusterBarrier>(instruction().operation->action))
    return who + "the cluster barrier: " + std::to_string(cluster_.barrier.there) + " of " +
           std::to_string(schedule_.cluster * warps_per_cta(schedule_)) + " warps are there";
  if (waits_for_round_)
    return who + "the CTA barrier: " + std::to_string(cta_.barrier.there) + " of " +
           std::to_string(warps_per_cta(schedule_)) + " warps are there";
  const auto& wait = std::get<BarrierWait>(instruction().operation->action);
  return who + "phase " + std::to_string(wait.phase(at_)) + " of " +
         schedule_.barriers[static_cast<std::size_t>(wait.at.barrier.index())].name + "[" +
         std::to_string(wait.at.slot(at_)) + "], whose " + barrier(wait.at).state();
}

}  // namespace gpusim::functional
