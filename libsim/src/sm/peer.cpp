// What the CTAs of a cluster do to each other: accesses to shared memory, arrivals at mbarriers, data of multicast
// copies.
#include <algorithm>

#include "gpusim/error.h"
#include "sm/sm.h"

namespace gpusim::sm {

std::int64_t Sm::peer_rank(const Warp& warp, const Step& step) const {
  const std::int64_t rank = step.peer(warp.at) % kernel_->cluster;
  return rank < 0 ? rank + kernel_->cluster : rank;
}

/// Another SM's shared memory, or the own through the same window.
void Sm::execute_peer(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  const Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  const std::int32_t peer = cta.cluster_sms[static_cast<std::size_t>(peer_rank(warp, step))];
  const bool reads = step.kind == StepKind::load_peer;
  const RunCost& cost = bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at);
  (reads ? counters_.shared_load_bytes : counters_.shared_store_bytes) +=
      cost.part(warp.issued, issue.instructions).bytes;
  if (reads && warp.issued == 0) {
    TokenState& token = warp.tokens[step.writes];
    token.write(issue.now, issue.now, Reason::long_scoreboard);
  }
  Cycle complete = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) {
    const Cycle served = lsu_.pass(sub, issue.now);
    note_read(warp, step, served + config_.read.load);
    if (peer == id_.index()) {
      complete = std::max(complete, lsu_.use_banks(served, cost.each.wavefronts) + config_.own_latency);
      continue;
    }
    Owner owner;
    owner.kind = reads ? Owner::Kind::token : Owner::Kind::store;
    owner.warp = slot;
    owner.index = step.writes;
    const std::int32_t transaction = border_.open(owner);
    Border::Terms terms;
    terms.issued = issue.now + issue_unit_ * i;
    terms.at = std::max(served, terms.issued);
    terms.kind = reads ? RequestKind::peer_read : RequestKind::peer_write;
    border_.request_peer(transaction, peer, cost.each.bytes, terms);
    if (!reads) continue;
    ++warp.outstanding;
    ++warp.tokens[step.writes].pending;
    if (step.serial_class != serial_exempt) ++warp.serial_pending;
  }
  if (reads) {
    TokenState& token = warp.tokens[step.writes];
    token.first = token.ready = std::max(token.ready, complete);
  } else {
    warp.stores_done = std::max(warp.stores_done, complete);
  }
  note_serial(warp, step, complete, Reason::long_scoreboard);
}

/// An arrival at an mbarrier of a CTA of the cluster, which may be the own: posted, like a store to its shared memory,
/// and like one ordered before what a barrier of the cluster releases.
void Sm::arrive_peer(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  const std::int32_t slot = mbarrier_slot(warp, step);
  const std::int64_t rank = peer_rank(warp, step);
  for (std::int64_t i = 0; i < issue.instructions; ++i)
    warp.stores_done =
        std::max(warp.stores_done, change_peer(warp.cta_slot, rank, slot, 1, step.expect, lsu_.pass(sub, issue.now)));
}

/// Changes an mbarrier of the CTA `rank` of the cluster; the message is ready at `at`. Returns when it passes the port.
Cycle Sm::change_peer(std::int32_t cta_slot, std::int64_t rank, std::int32_t slot, std::int32_t arrivals,
                      std::int64_t bytes, Cycle at) {
  const Cta& cta = ctas_[static_cast<std::size_t>(cta_slot)];
  const std::int32_t peer = cta.cluster_sms[static_cast<std::size_t>(rank)];
  const std::int64_t other = cta.id - cta.id % kernel_->cluster + rank;
  if (peer != id_.index()) {
    const Cycle leaves = border_.send_to_peer(at);
    peer_arrivals_.push_back({leaves, static_cast<std::int32_t>(id_.index()), peer, other, slot, arrivals, bytes});
    return leaves - config_.border.peer;
  }
  Delivery delivery;
  delivery.cta = other;
  delivery.slot = slot;
  delivery.arrivals = arrivals;
  delivery.bytes = bytes;
  land_at(delivery, at + config_.own_latency);
  return at;
}

/// Data that a CTA of the cluster copies here takes the input port and the way into shared memory; an arrival takes
/// neither.
void Sm::deliver(const Delivery& delivery, Cycle now) {
  if (delivery.port_bytes == 0) return land(delivery, now);
  const std::int64_t wavefronts = wavefronts_of(delivery.port_bytes);
  counters_.received_sectors += delivery.port_bytes / sector_bytes;
  counters_.shared_store_bytes -= delivery.bytes;
  counters_.shared_wavefronts += wavefronts;
  counters_.shared_ideal_wavefronts += wavefronts;
  const Cycle written = lsu_.take_in(now, wavefronts);
  land_at(delivery, std::max(border_.take_port(delivery), written) + delivery.overhead);
}

void Sm::land_at(const Delivery& delivery, Cycle at) {
  std::int32_t index = 0;
  if (free_landings_.empty()) {
    index = static_cast<std::int32_t>(landings_.size());
    landings_.push_back(delivery);
  } else {
    index = free_landings_.back();
    free_landings_.pop_back();
    landings_[static_cast<std::size_t>(index)] = delivery;
  }
  events_.push(at, {Event::Kind::lands, index});
}

/// The mbarrier is that of a CTA which must be there: nobody may arrive at one that has not begun or has exited.
void Sm::land(const Delivery& delivery, Cycle now) {
  const auto found =
      std::find_if(ctas_.begin(), ctas_.end(), [&](const Cta& cta) { return cta.resident && cta.id == delivery.cta; });
  if (found == ctas_.end()) {
    const bool data = delivery.port_bytes != 0;
    throw DeadlockError({"CTA " + std::to_string(delivery.cta) + ", which does not run, is sent " +
                         (data ? "data of a multicast copy" : "an arrival at an mbarrier") +
                         " by another CTA of its cluster: a barrier.cluster is missing"});
  }
  change_mbarrier(static_cast<std::int32_t>(found - ctas_.begin()), delivery.slot, delivery.arrivals, delivery.bytes,
                  now);
}

}  // namespace gpusim::sm
