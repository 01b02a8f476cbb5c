// Bulk copies and stores: what the copy engine is given, and when it has read shared memory.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

/// The CTAs of the cluster that get a copy's data, a bit for each rank; 0: only this one.
std::uint16_t Sm::multicast_ranks(const Cta& cta, Multicast multicast) const {
  if (multicast == Multicast::none || kernel_->cluster == 1) return 0;
  const auto own = static_cast<std::size_t>(cta.id % kernel_->cluster);
  const auto [own_m, own_n] = kernel_->cluster_places[own];
  unsigned ranks = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(kernel_->cluster); ++rank) {
    const auto [m, n] = kernel_->cluster_places[rank];
    const bool gets = multicast == Multicast::cluster || (multicast == Multicast::along_m ? n == own_n : m == own_m);
    if (gets) ranks |= 1U << rank;
  }
  return static_cast<std::uint16_t>(ranks == 1U << own ? 0 : ranks);
}

void Sm::execute_bulk(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  BoxPlan& box = kernel_->boxes[static_cast<std::size_t>(step.global)];
  BulkEngine::Task task{box, warp.at, {}};
  task.owner.kind = Owner::Kind::bulk;
  task.owner.warp = slot;
  task.owner.index = mbarrier_slot(warp, step);
  task.owner.bytes = step.expect;
  task.owner.overhead = bulk_.overhead(box.rank);
  task.ranks = multicast_ranks(cta, step.multicast);
  task.cta = cta.id;
  const BulkEngine::Accepted accepted = bulk_.accept(issue.now, task);
  ++warp.outstanding;
  counters_.shared_store_bytes += step.expect;
  counters_.shared_wavefronts += wavefronts_of(step.expect);
  counters_.shared_ideal_wavefronts += wavefronts_of(step.expect);
  counters_.global_load_bytes += box_bytes(box, warp.at);
  depart_later();
  if (accepted.empty_until == Cycle::never()) return;
  events_.push(accepted.empty_until, {Event::Kind::written, accepted.transaction});
  // Zeros complete their bytes elsewhere too.
  for (std::int64_t rank = 0; rank < kernel_->cluster; ++rank)
    if ((task.ranks >> rank & 1U) != 0 && rank != cta.id % kernel_->cluster)
      change_peer(warp.cta_slot, rank, task.owner.index, 0, -step.expect, accepted.empty_until);
}

void Sm::execute_bulk_store(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  BoxPlan& box = kernel_->boxes[static_cast<std::size_t>(step.global)];
  BulkEngine::Task task{box, warp.at, {}};
  task.owner.kind = Owner::Kind::bulk_store;
  task.owner.warp = slot;
  task.owner.group = warp.bulk_stores.open();
  task.owner.cta = cta.id;
  task.kind = step.reduce ? RequestKind::atomic : RequestKind::write;
  const BulkEngine::Accepted accepted = bulk_.accept(issue.now, task);
  ++warp.outstanding;
  ++cta.stores;
  warp.bulk_stores.add();
  const std::int64_t bytes = box_bytes(box, warp.at);
  counters_.global_store_bytes += bytes;
  counters_.shared_load_bytes += bytes;
  depart_later();
  border_.transaction(accepted.transaction).unread = static_cast<std::int32_t>(bulk_.departures().size());
  if (accepted.empty_until != Cycle::never())
    events_.push(accepted.empty_until, {Event::Kind::read, accepted.transaction});
}

void Sm::depart_later() {
  for (const BulkEngine::Departure& departure : bulk_.departures())
    events_.push(departure.at, {Event::Kind::departs, static_cast<std::int32_t>(departure.handle)});
}

/// A request's turn has come. What it stores is read when its lines may be on their way and the port is ready for it.
void Sm::depart(std::uint32_t handle, Cycle now) {
  const InFlight& flight = border_.in_flight(handle);
  const std::int32_t id = flight.transaction;
  Transaction& transaction = border_.transaction(id);
  if (transaction.owner.kind != Owner::Kind::bulk_store) return border_.depart(handle, now);
  if (!bulk_.take_or_hold(handle)) return;
  const Cycle port = border_.port_out().free();
  if (port > now) return events_.push(port, {Event::Kind::departs, static_cast<std::int32_t>(handle)});
  const std::int64_t passes = wavefronts_of(flight.bytes);
  counters_.shared_wavefronts += passes;
  counters_.shared_ideal_wavefronts += passes;
  const Cycle read = lsu_.use_banks(now, passes);
  border_.depart(handle, read);
  transaction.read = std::max(transaction.read, read);
  if (--transaction.unread == 0) events_.push(transaction.read, {Event::Kind::read, id});
}

/// Lines of a bulk store are acknowledged: others may leave.
void Sm::stored(std::int64_t lines, Cycle now) {
  for (const std::uint32_t handle : bulk_.acknowledge(lines))
    events_.push(now, {Event::Kind::departs, static_cast<std::int32_t>(handle)});
}

/// Of a bulk store all of the shared memory has been read.
void Sm::read(std::int32_t transaction, Cycle now) {
  const Owner owner = border_.transaction(transaction).owner;
  Warp& warp = warps_[static_cast<std::size_t>(owner.warp)];
  --warp.outstanding;
  warp.bulk_stores.complete(owner.group);
  const bool goes_on = warp.state == WarpState::parked &&
                       ((warp.parked == Parked::bulk_group && warp.bulk_stores.done(warp.parked_on)) ||
                        (warp.parked == Parked::loads && warp.outstanding == 0));
  if (goes_on) unpark(owner.warp, now);
  // Nothing of the box lies inside the buffer.
  if (border_.transaction(transaction).remaining == 0) finished(transaction, now);
}

}  // namespace gpusim::sm
