// Data coming back: who waited for it, and what they do next.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

/// A reply's data begins to come: a bulk copy's goes into shared memory as it comes, line by line.
void Sm::arriving(std::uint32_t handle, Cycle now) {
  const InFlight& flight = border_.in_flight(handle);
  if (flight.fills_l1) lsu_.l1().prefetch(flight.request.used_lines());
  if (!flight.is_bulk_copy) return;
  Transaction& transaction = border_.transaction(flight.transaction);
  const std::int64_t before = wavefronts_of(transaction.landed);
  transaction.landed += flight.bytes;
  transaction.written = std::max(transaction.written, lsu_.take_in(now, wavefronts_of(transaction.landed) - before));
}

void Sm::delivered(std::uint32_t handle, Cycle now) {
  InFlight& flight = border_.in_flight(handle);
  if (!observers_.empty() && flight.brings_data) {
    Receipt receipt = flight.receipt;
    receipt.start += skipped_;
    receipt.end += skipped_;
    for (Observer* observer : observers_) observer->request_completed(kernel_id_, id_, receipt);
  }
  if (flight.fills_l1) {
    const std::span<const LineChunks> lines = flight.request.used_lines();
    lsu_.l1().prefetch_entries(lines);
    for (const LineChunks& line : lines) lsu_.l1().fill(line.line, handle);
  }
  moved_.clear();
  border_.complete(handle, now, counters_, moved_);
  for (const std::int32_t sub : moved_) {
    subs_[static_cast<std::size_t>(sub)].global_queue.leave_unknown(now);
    evaluate_at(sub, now);
  }
  if (flight.holds_stored_lines) stored(flight.request.count, now);
  flight.for_each_transaction([&](std::int32_t id) {
    if (--border_.transaction(id).remaining == 0) finished(id, now);
  });
  border_.forget(handle);
}

void Sm::finished(std::int32_t transaction, Cycle now) {
  const Owner owner = border_.transaction(transaction).owner;
  if (owner.kind == Owner::Kind::group || owner.kind == Owner::Kind::bulk) {
    const Cycle done = owner.kind == Owner::Kind::group
                           ? lsu_.use_banks(now, owner.wavefronts) + config_.copy_overhead
                           : std::max(now, border_.transaction(transaction).written) + owner.overhead;
    if (done > now)
      events_.push(done, {Event::Kind::written, transaction});
    else
      written(transaction, now);
    return;
  }
  border_.close(transaction);
  if (owner.kind == Owner::Kind::bulk_store) leave_engine(now);
  if (owner.cta >= 0) acknowledge(owner, now);
  if (owner.kind == Owner::Kind::grid) return release_grid(owner.index, now);
  if (owner.kind != Owner::Kind::token) return;

  Warp& warp = warps_[static_cast<std::size_t>(owner.warp)];
  TokenState& token = warp.tokens[static_cast<std::size_t>(owner.index)];
  token.first = token.ready = std::max(token.ready, now);
  --token.pending;
  --warp.outstanding;
  if (warp.serial_pending != 0) {
    --warp.serial_pending;
    warp.serial_ready = std::max(warp.serial_ready, now);
  }
  if (warp.state != WarpState::parked) return;
  const bool goes_on = (warp.parked == Parked::token && warp.parked_on == owner.index && token.pending == 0) ||
                       (warp.parked == Parked::serial && warp.serial_pending == 0) ||
                       (warp.parked == Parked::loads && warp.outstanding == 0);
  if (goes_on) unpark(owner.warp, now);
}

void Sm::written(std::int32_t transaction, Cycle now) {
  const Owner owner = border_.transaction(transaction).owner;
  border_.close(transaction);
  Warp& warp = warps_[static_cast<std::size_t>(owner.warp)];
  --warp.outstanding;
  if (owner.kind == Owner::Kind::group) {
    warp.copies.complete(owner.group);
    const bool goes_on =
        warp.state == WarpState::parked && ((warp.parked == Parked::group && warp.copies.done(warp.parked_on)) ||
                                            (warp.parked == Parked::loads && warp.outstanding == 0));
    if (goes_on) unpark(owner.warp, now);
    return;
  }
  change_mbarrier(warp.cta_slot, owner.index, 0, -owner.bytes, now);
  if (warp.state == WarpState::parked && warp.parked == Parked::loads && warp.outstanding == 0) unpark(owner.warp, now);
  leave_engine(now);
}

/// The copy engine has room again.
void Sm::leave_engine(Cycle now) {
  bulk_.leave();
  for (std::int32_t sub = 0; sub < config_.sub_partitions; ++sub)
    if (!subs_[static_cast<std::size_t>(sub)].ready.empty()) evaluate_at(sub, now);
}

}  // namespace gpusim::sm
