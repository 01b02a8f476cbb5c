// Where warps of the CTA walk wait for each other and for what goes on beside them.
#include <utility>

#include "estimate/cta_walk.h"

namespace gpusim::estimate {

const Path* CtaWalk::awaited(const Warp& warp, const Action& action) {
  if (const auto* wait = std::get_if<WaitGroup>(&action)) return warp.copies.awaited(wait->pending);
  if (const auto* wait = std::get_if<WarpgroupWait>(&action)) return warp.multiplies.awaited(wait->pending);
  if (const auto* wait = std::get_if<BulkWait>(&action)) return warp.stores.awaited(wait->pending);
  return nullptr;
}

bool CtaWalk::changes_groups(Warp& warp, const Action& action) {
  if (std::holds_alternative<CommitGroup>(action)) {
    warp.copies.close();
  } else if (std::holds_alternative<WarpgroupCommit>(action)) {
    warp.multiplies.close();
  } else if (std::holds_alternative<BulkCommit>(action)) {
    warp.stores.close();
  } else if (const auto* copies = std::get_if<WaitGroup>(&action)) {
    warp.copies.forget(copies->pending);
  } else if (const auto* multiplies = std::get_if<WarpgroupWait>(&action)) {
    warp.multiplies.forget(multiplies->pending);
  } else if (const auto* stores = std::get_if<BulkWait>(&action)) {
    warp.stores.forget(stores->pending);
  } else {
    return false;
  }
  return true;
}

void CtaWalk::multiply_beside(Warp& warp, const WarpgroupMultiply& multiply, const Path& start) {
  warp.multiplied = later(warp.multiplied, start);
  costs_.add_multiplies(warp.multiplied, multiply, warp.operation->count - 1);
  Path complete = warp.multiplied;
  costs_.add_last_multiply(complete, multiply);
  costs_.add_latency(complete, *warp.operation, warp.cursor.at());
  warp.multiplies.add(complete);
  costs_.add_multiplies(warp.multiplied, multiply, 1);
}

void CtaWalk::arrive_at_barrier(int index, const Path& start) {
  const Action& action = warps_[static_cast<std::size_t>(index)].operation->action;
  Meeting& meeting = meetings_[action.index()];
  meeting.last = later(meeting.last, start);
  if (!std::holds_alternative<ClusterBarrier>(action))
    costs_.add_arrival(meeting.last, warps_[static_cast<std::size_t>(index)].count);
  meeting.warps.push_back(index);
  if (meeting.warps.size() < warps_.size()) return;
  Path release = std::move(meeting.last);
  meeting.last = Path();
  if (const auto* cluster = std::get_if<ClusterBarrier>(&action))
    costs_.add_barrier(release, *cluster);
  else if (const auto* grid = std::get_if<GridBarrier>(&action))
    release = grid_release(std::move(release), *grid);
  else
    costs_.add_barrier(release);
  for (const int warp : std::exchange(meeting.warps, {})) resume(warp, release);
}

Path CtaWalk::grid_release(Path met, const GridBarrier& barrier) {
  costs_.add_barrier(met);
  for (const Warp& warp : warps_) met = later(met, warp.acknowledged);
  costs_.add_count(met, !std::exchange(counted_at_grid_, true), barrier.waits);
  costs_.add_barrier(met);
  return met;
}

void CtaWalk::copy_in_bulk(const Warp& warp, const BulkCopy& copy, const Path& complete) {
  const Coordinates& at = warp.cursor.at();
  const SharedTile& tile = schedule_.shared_tiles.at(static_cast<std::size_t>(copy.tile.index()));
  const std::int64_t bytes = copy.planes * copy.rows * copy.columns * size_of(tile.dtype) * warp.operation->count;
  // Of a multicast copy the other CTAs bring their parts as this CTA brings its own.
  const std::int64_t brought = bytes * alike(warp) * neighbours_.bringing(*warp.operation, copy, at);
  delivered_ = later(complete, delivered_);
  costs_.add_delivery(delivered_, brought);
  push({.counter = &counter_of(copy.done.barrier, copy.done.slot(at)), .bytes = brought, .path = delivered_});
}

void CtaWalk::arrive_at_phase(const Warp& warp, const BarrierArrive& arrive, const Path& start) {
  const std::int64_t warps = alike(warp);
  const std::int64_t expected = warps * arrive.expect.count();
  for (const Arrival& arrival : neighbours_.arriving(*warp.operation, arrive, warp.cursor.at())) {
    PhaseCounter& counter = counter_of(arrive.at.barrier, arrival.slot);
    if (!arrive.peer) {
      wake(counter.arrive(warps, expected, start), start);
      continue;
    }
    Path there = start;
    costs_.add_peer(there, !arrival.from_peer, "arrival at a peer's mbarrier");
    push({.counter = &counter, .bytes = expected, .arrivals = warps, .path = std::move(there)});
  }
}

void CtaWalk::wait_for_phase(int index, const BarrierWait& wait, const Path& start) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  PhaseCounter& counter = counter_of(wait.at.barrier, wait.at.slot(warp.cursor.at()));
  const std::int64_t phase = wait.phase(warp.cursor.at());
  if (!counter.complete(phase)) return counter.wait(index, phase);
  Path passes = start;
  if (const Path* completion = counter.completion(phase); completion != nullptr && phase >= 0) {
    Path seen = *completion;
    costs_.add_mbarrier(seen);
    passes = later(passes, seen);
  }
  resume(index, passes);
}

void CtaWalk::wake(const std::vector<int>& warps, const Path& completion) {
  if (warps.empty()) return;
  Path seen = completion;
  costs_.add_mbarrier(seen);
  for (const int warp : warps) resume(warp, seen);
}

PhaseCounter& CtaWalk::counter_of(BarrierId barrier, std::int64_t slot) {
  return barriers_.at(static_cast<std::size_t>(barrier.index())).at(static_cast<std::size_t>(slot));
}

}  // namespace gpusim::estimate
