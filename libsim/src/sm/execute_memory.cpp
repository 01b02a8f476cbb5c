// Issuing a memory operation: shared, constant, global and peer accesses, cp.async and bulk copies.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::execute_shared(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  const BankCost& cost = bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at);
  // A run that enters in parts pays in parts.
  const auto share = [&](std::int64_t whole) {
    return whole * (warp.issued + issue.instructions) / step.count - whole * warp.issued / step.count;
  };
  const std::int64_t wavefronts = share(cost.wavefronts);
  counters_.shared_wavefronts += wavefronts;
  counters_.shared_ideal_wavefronts += share(cost.ideal);
  LoadStoreUnit::SharedAccess access;
  access.count = issue.instructions;
  access.wavefronts = wavefronts;
  access.ideal = share(cost.ideal);
  access.wide_bytes = step.wide_bytes;
  access.write = step.kind == StepKind::store_shared;
  access.uniform = step.uniform;
  const LoadStoreUnit::SharedOutcome outcome = lsu_.access_shared(sub, issue.now, access);
  note_read(warp, step, outcome.read);
  if (access.write) {
    counters_.shared_store_bytes += share(cost.bytes);
    warp.stores_done = std::max(warp.stores_done, outcome.served + config_.store_latency);
    note_serial(warp, step, outcome.served + config_.store_latency, Reason::short_scoreboard);
    return;
  }
  counters_.shared_load_bytes += share(cost.bytes);
  TokenState& token = warp.tokens[step.writes];
  token = {outcome.complete, outcome.complete, token.read, 0, Reason::short_scoreboard};
  note_serial(warp, step, outcome.complete, Reason::short_scoreboard);
}

void Sm::execute_constant(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  Cycle turn = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) turn = lsu_.access_constant(sub, issue.now);
  const Cycle complete = turn + Cycles(step.latency);
  // An address in a register is kept until the value is there.
  note_read(warp, step, complete);
  TokenState& token = warp.tokens[step.writes];
  token = {complete, complete, token.read, 0, Reason::short_scoreboard};
  note_serial(warp, step, complete, Reason::short_scoreboard);
}

/// Another SM's shared memory, or the own through the same window.
void Sm::execute_peer(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  const Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  const std::int64_t rank = step.peer(warp.at) % kernel_->cluster;
  const std::int32_t peer = cta.cluster_sms[static_cast<std::size_t>(rank < 0 ? rank + kernel_->cluster : rank)];
  const bool reads = step.kind == StepKind::load_peer;
  const BankCost& cost = bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at);
  (reads ? counters_.shared_load_bytes : counters_.shared_store_bytes) +=
      cost.bytes * (warp.issued + issue.instructions) / step.count - cost.bytes * warp.issued / step.count;
  if (reads && warp.issued == 0) {
    TokenState& token = warp.tokens[step.writes];
    token = {issue.now, issue.now, token.read, 0, Reason::long_scoreboard};
  }
  Cycle complete = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) {
    const Cycle served = lsu_.pass(sub, issue.now);
    note_read(warp, step, served + config_.read.load);
    if (peer == id_.index()) {
      complete = std::max(complete, lsu_.use_banks(served, cost.wavefronts / step.count) + config_.own_latency);
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
    border_.request_peer(transaction, peer, cost.bytes / step.count, terms);
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

void Sm::execute_global(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  GlobalPlan& plan = kernel_->globals[static_cast<std::size_t>(step.global)];
  LoadStoreUnit::GlobalAccess access;
  access.owner.warp = slot;
  access.through_l1 = step.through_l1;
  access.uniform = step.uniform;
  access.wide_bytes = step.wide_bytes;
  std::int64_t wavefronts = 0;
  const bool returns = step.writes != no_token;
  switch (step.kind) {
    case StepKind::copy_async: {
      access.copy = true;
      access.owner.kind = Owner::Kind::group;
      access.owner.group = warp.groups_begin + static_cast<std::int64_t>(warp.groups.size()) - 1;
      const BankCost& cost = bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at);
      wavefronts = cost.wavefronts;
      if (warp.issued == 0) {
        counters_.shared_wavefronts += cost.wavefronts;
        counters_.shared_ideal_wavefronts += cost.ideal;
        counters_.shared_store_bytes += cost.bytes;
      }
      break;
    }
    case StepKind::atomic:
      access.kind = returns ? RequestKind::atomic_get : RequestKind::atomic;
      break;
    case StepKind::store_global:
      access.kind = RequestKind::write;
      break;
    default:
      break;
  }
  if (returns) {
    access.owner.kind = Owner::Kind::token;
    access.owner.index = step.writes;
    if (warp.issued == 0) {
      TokenState& token = warp.tokens[step.writes];
      token = {issue.now, issue.now, token.read, 0, Reason::long_scoreboard};
    }
  } else if (!access.copy) {
    access.owner.kind = Owner::Kind::store;
  }
  Cycle complete = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) {
    const std::int64_t repeat = warp.issued + i;
    access.owner.wavefronts = wavefronts * (repeat + 1) / step.count - wavefronts * repeat / step.count;
    const LoadStoreUnit::Outcome outcome =
        lsu_.access_global(sub, warp.sub_partition, issue.now, issue.now + issue_unit_ * i, plan,
                           plan.footprint(warp.index, repeat), warp.at, access, counters_);
    note_read(warp, step, outcome.read);
    if (carries_data(access.kind)) counters_.global_store_bytes += outcome.bytes;
    if (!returns && !access.copy) continue;
    if (!carries_data(access.kind)) counters_.global_load_bytes += outcome.bytes;
    if (access.copy) {
      copied(warp, access.owner, outcome);
      continue;
    }
    if (outcome.pending) {
      ++warp.outstanding;
      ++warp.tokens[step.writes].pending;
      if (step.serial_class != serial_exempt) ++warp.serial_pending;
    }
    if (step.kind == StepKind::load_global && outcome.bytes != 0 && config_.has_l1 && step.through_l1) {
      TokenState& token = warp.tokens[step.writes];
      token.ready = token.first = std::max(token.ready, outcome.complete);
      complete = token.ready;
    }
  }
  note_serial(warp, step, complete, Reason::long_scoreboard);
}

/// A cp.async is under way, or L1 had all of it.
void Sm::copied(Warp& warp, const Owner& owner, const LoadStoreUnit::Outcome& outcome) {
  const bool hit = !outcome.pending && outcome.bytes != 0;
  if (!outcome.pending && !hit) return;
  ++warp.outstanding;
  ++warp.groups.back();
  if (!hit) return;
  const std::int32_t transaction = border_.open(owner);
  const Cycle banks = lsu_.use_banks(outcome.ready, owner.wavefronts);
  events_.push(banks + config_.l1_latency + config_.copy_overhead, {Event::Kind::written, transaction});
}

void Sm::execute_bulk(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  Owner owner;
  owner.kind = Owner::Kind::bulk;
  owner.warp = slot;
  owner.index = mbarrier_slot(warp, step);
  owner.bytes = step.expect;
  const BoxPlan& box = kernel_->boxes[static_cast<std::size_t>(step.global)];
  owner.overhead = bulk_.overhead(box.rank);
  const BulkEngine::Accepted accepted = bulk_.copy(issue.now, box, warp.at, owner);
  ++warp.outstanding;
  counters_.shared_store_bytes += step.expect;
  const std::int64_t wavefronts = (step.expect + line_bytes - 1) / line_bytes;
  counters_.shared_wavefronts += wavefronts;
  counters_.shared_ideal_wavefronts += wavefronts;
  counters_.global_load_bytes += box_bytes(box, warp.at);
  for (const BulkEngine::Departure& departure : bulk_.departures())
    events_.push(departure.at, {Event::Kind::departs, static_cast<std::int32_t>(departure.handle)});
  if (accepted.empty_until != Cycle::never())
    events_.push(accepted.empty_until, {Event::Kind::written, accepted.transaction});
}

}  // namespace gpusim::sm
