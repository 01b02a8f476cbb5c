// Issuing a memory operation: shared, constant and global accesses, and cp.async.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::execute_shared(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  // A run that enters in parts pays in parts.
  const BankCost cost = bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at)
                            .part(warp.issued, issue.instructions);
  counters_.shared_wavefronts += cost.wavefronts;
  counters_.shared_ideal_wavefronts += cost.ideal;
  LoadStoreUnit::SharedAccess access;
  access.count = issue.instructions;
  access.wavefronts = cost.wavefronts;
  access.ideal = cost.ideal;
  access.wide_bytes = step.wide_bytes;
  access.write = step.kind == StepKind::store_shared;
  access.uniform = step.uniform;
  const LoadStoreUnit::SharedOutcome outcome = lsu_.access_shared(sub, issue.now, access);
  note_read(warp, step, outcome.read);
  if (access.write) {
    counters_.shared_store_bytes += cost.bytes;
    warp.stores_done = std::max(warp.stores_done, outcome.served + config_.store_latency);
    note_serial(warp, step, outcome.served + config_.store_latency, Reason::short_scoreboard);
    return;
  }
  counters_.shared_load_bytes += cost.bytes;
  TokenState& token = warp.tokens[step.writes];
  token.write(outcome.complete, outcome.complete, Reason::short_scoreboard);
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
  token.write(complete, complete, Reason::short_scoreboard);
  note_serial(warp, step, complete, Reason::short_scoreboard);
}

/// Registers change lanes on the way that loads from shared memory take, a wavefront each, and touch no bank's words.
void Sm::execute_shuffle(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  LoadStoreUnit::SharedAccess access;
  access.count = access.wavefronts = access.ideal = issue.instructions;
  access.wide_bytes = step.wide_bytes;
  const LoadStoreUnit::SharedOutcome outcome = lsu_.access_shared(sub, issue.now, access);
  note_read(warp, step, outcome.read);
  TokenState& token = warp.tokens[step.writes];
  token.write(outcome.complete, outcome.complete, Reason::short_scoreboard);
  note_serial(warp, step, outcome.complete, Reason::short_scoreboard);
}

void Sm::execute_global(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  GlobalPlan& plan = kernel_->globals[static_cast<std::size_t>(step.global)];
  LoadStoreUnit::GlobalAccess access;
  access.owner.warp = slot;
  access.through_l1 = step.through_l1;
  if (step.whole_lines) access.kind = RequestKind::read_lines;
  access.uniform = step.uniform;
  access.wide_bytes = step.wide_bytes;
  const RunCost* shared = nullptr;
  const bool returns = step.writes != no_token;
  switch (step.kind) {
    case StepKind::copy_async: {
      access.copy = true;
      access.owner.kind = Owner::Kind::group;
      access.owner.group = warp.copies.open();
      shared = &bank_cost(kernel_->shareds[static_cast<std::size_t>(step.shared)], warp.index, warp.at);
      if (warp.issued == 0) {
        counters_.shared_wavefronts += shared->all.wavefronts;
        counters_.shared_ideal_wavefronts += shared->all.ideal;
        counters_.shared_store_bytes += shared->all.bytes;
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
      token.write(issue.now, issue.now, Reason::long_scoreboard);
    }
  } else if (!access.copy) {
    access.owner.kind = Owner::Kind::store;
  }
  if (carries_data(access.kind)) access.owner.cta = cta.id;
  Cycle complete = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) {
    const std::int64_t repeat = warp.issued + i;
    if (shared != nullptr) access.owner.wavefronts = shared->part(repeat, 1).wavefronts;
    const LoadStoreUnit::Outcome outcome =
        lsu_.access_global(sub, warp.sub_partition, issue.now, issue.now + issue_unit_ * i, plan,
                           plan.footprint(warp.index, repeat), warp.at, access, counters_);
    note_read(warp, step, outcome.read);
    if (carries_data(access.kind)) {
      counters_.global_store_bytes += outcome.bytes;
      if (outcome.pending) ++cta.stores;
    }
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
  warp.copies.add();
  if (!hit) return;
  const std::int32_t transaction = border_.open(owner);
  const Cycle banks = lsu_.use_banks(outcome.ready, owner.wavefronts);
  events_.push(banks + config_.l1_latency + config_.copy_overhead, {Event::Kind::written, transaction});
}

}  // namespace gpusim::sm
