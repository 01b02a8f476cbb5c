#include "functional/warp.h"

#include <utility>

namespace gpusim::functional {
namespace {

std::string arrived(std::int64_t there, std::int64_t warps) {
  return std::to_string(there) + " of " + std::to_string(warps) + " warps are there";
}

}  // namespace

Warp::Warp(const Kernel& kernel, ClusterState& cluster, std::size_t rank, int warp)
    : schedule_(*kernel.schedule),
      code_(kernel.roles[kernel.role_of_warp[static_cast<std::size_t>(warp)]]),
      cluster_(cluster),
      cta_(cluster.ctas[rank]),
      rank_(static_cast<int>(rank)),
      warp_(warp),
      fragments_(code_.tokens) {
  at_[static_cast<std::size_t>(Coordinate::warp)] = warp;
  if (work_items(schedule_, cta()) > 0) take_item(0, 1);
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
      begin_loop();
      return true;
    case Instruction::Kind::loop_end:
      end_trip();
      return true;
    case Instruction::Kind::exit:
      break;
  }
  return false;
}

bool Warp::perform(const BarrierArrive& arrive) {
  CtaState& cta = peer(arrive.peer);
  barrier(cta, arrive.at).arrive(arrive.expect.count());
  finish_phase(cta, arrive.at);
  return true;
}

bool Warp::perform(const BarrierWait& wait) { return barrier(cta_, wait.at).complete(wait.phase(at_)); }

bool Warp::perform(const CtaBarrier&) { return meet(cta_.barrier, warps_per_cta(schedule_)); }

bool Warp::perform(const ClusterBarrier&) { return meet(cluster_.barrier, warps_of_cluster()); }

/// A warp that does not wait may be rounds ahead of others.
bool Warp::perform(const GridBarrier& barrier) {
  if (!barrier.waits && !meet(cta_.barrier, warps_per_cta(schedule_))) return false;
  if (!is_counted_at_grid_) ++arrived_at_grid();
  is_counted_at_grid_ = barrier.waits && arrived_at_grid() < warps_of_grid();
  if (is_counted_at_grid_) return false;
  ++grid_round_;
  return true;
}

std::int64_t& Warp::arrived_at_grid() {
  std::vector<std::int64_t>& arrived = cluster_.grid.arrived;
  if (grid_round_ >= arrived.size()) arrived.resize(grid_round_ + 1);
  return arrived[grid_round_];
}

bool Warp::perform(const Arithmetic& arithmetic) {
  if (!arithmetic.writes || !arithmetic.reads.empty()) return true;
  Fragment& written = fragment(*arithmetic.writes);
  written.elements = Elements::zeros();
  written.lane_values.clear();
  return true;
}

bool Warp::meet(Meeting& meeting, std::int64_t warps) {
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

void Warp::finish_phase(CtaState& cta, const BarrierSlot& slot) const {
  for (const PendingCopy& copy : barrier(cta, slot).finish_phase()) write(copy, cta, true);
}

Mbarrier& Warp::barrier(CtaState& cta, const BarrierSlot& slot) const {
  return cta.barriers[static_cast<std::size_t>(slot.barrier.index())][static_cast<std::size_t>(slot.slot(at_))];
}

CtaState& Warp::peer(const std::optional<Layout>& rank) const {
  return rank ? cluster_.ctas[static_cast<std::size_t>((*rank)(at_) % schedule_.cluster)] : cta_;
}

std::int64_t Warp::warps_of_cluster() const { return std::int64_t{schedule_.cluster} * warps_per_cta(schedule_); }

std::int64_t Warp::warps_of_grid() const { return cta_count(schedule_) * warps_per_cta(schedule_); }

std::string Warp::wait() const {
  const std::string who = "warp " + std::to_string(warp_) + " (" + code_.role + ") waits for ";
  const Action& action = instruction().operation->action;
  if (std::holds_alternative<ClusterBarrier>(action))
    return who + "the cluster barrier: " + arrived(cluster_.barrier.there, warps_of_cluster());
  if (const auto* grid = std::get_if<GridBarrier>(&action); grid != nullptr && grid->waits)
    return who + "the grid barrier: " + arrived(cluster_.grid.arrived[grid_round_], warps_of_grid());
  if (std::holds_alternative<CtaBarrier>(action) || std::holds_alternative<GridBarrier>(action))
    return who + "the CTA barrier: " + arrived(cta_.barrier.there, warps_per_cta(schedule_));
  const auto& wait = std::get<BarrierWait>(action);
  return who + "phase " + std::to_string(wait.phase(at_)) + " of " +
         schedule_.barriers[static_cast<std::size_t>(wait.at.barrier.index())].name + "[" +
         std::to_string(wait.at.slot(at_)) + "], whose " + barrier(cta_, wait.at).state();
}

}  // namespace gpusim::functional
