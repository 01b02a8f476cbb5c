// Issuing an operation: what it takes, and what it makes ready when.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::issue(std::int32_t slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Step& step = warp.code->steps[warp.pc];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];

  Issue issue;
  issue.now = now;
  issue.instructions = step.count - warp.issued;
  if (step.kind == StepKind::load_shared || step.kind == StepKind::store_shared)
    issue.instructions = sub.shared_queue.wanted(issue.instructions);
  else if (step.kind == StepKind::load_global || step.kind == StepKind::store_global ||
           step.kind == StepKind::copy_async)
    issue.instructions = sub.global_queue.wanted(issue.instructions);
  issue.selected_until = sub.port.take(now, issue.instructions).end;

  if (!observers_.empty() && warp.issued == 0) {
    const WarpId id{CtaId(ctas_[static_cast<std::size_t>(warp.cta_slot)].id), warp.index};
    for (Observer* observer : observers_) observer->operation_issued(kernel_id_, id, step.name, now);
  }
  counters_.roles[static_cast<std::size_t>(warp.role)].instructions += issue.instructions;

  const Outcome outcome = execute(slot, step, issue);
  charge(warp, Reason::selected, issue.selected_until);
  charge(warp, outcome.until_next, outcome.next);

  warp.issued += issue.instructions;
  if (warp.issued < step.count) return wake_at(slot, outcome.next, Reason::not_selected);
  warp.issued = 0;
  ++warp.pc;
  if (!outcome.parked)
    resume(slot, outcome.next);
  else if (step.kind == StepKind::cta_barrier)
    release_cta(warp.cta_slot);
}

Sm::Outcome Sm::execute(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  Outcome outcome;
  outcome.next = issue.selected_until;
  switch (step.kind) {
    case StepKind::math:
      return execute_math(warp, step, issue);
    case StepKind::load_shared:
    case StepKind::store_shared:
      execute_shared(warp, step, issue);
      return outcome;
    case StepKind::load_global:
    case StepKind::store_global:
    case StepKind::copy_async:
      execute_global(slot, step, issue);
      return outcome;
    case StepKind::bulk_copy:
      execute_bulk(slot, step, issue);
      return outcome;
    case StepKind::commit_group:
      warp.groups.push_back(0);
      return outcome;
    case StepKind::wait_group:
      return wait_group(warp, step, issue);
    case StepKind::barrier_arrive:
      change_mbarrier(warp.cta_slot, mbarrier_slot(warp, step), 1, step.expect, issue.now);
      return outcome;
    case StepKind::barrier_wait:
      return wait_mbarrier(warp, step, issue);
    case StepKind::cta_barrier:
      note_serial(warp, step, issue.now, Reason::barrier);
      return arrive_cta(warp, issue);
    case StepKind::loop_begin:
    case StepKind::loop_end:
    case StepKind::exit:
      break;
  }
  throw std::logic_error("a marker was issued");
}

void Sm::note_serial(Warp& warp, const Step& step, Cycle complete, Reason reason) {
  if (step.serial_class == serial_exempt) return;
  if (step.serial_class != warp.serial_class) warp.serial_ready = complete;
  warp.serial_class = step.serial_class;
  warp.serial_ready = std::max(warp.serial_ready, complete);
  warp.serial_reason = reason;
}

Sm::Outcome Sm::execute_math(Warp& warp, const Step& step, const Issue& issue) {
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  sub.pipes[static_cast<std::size_t>(step.pipe)].take(issue.now, step.pipe_work);
  const Cycle last = std::max(issue.now + Cycles(step.last_offset), issue.selected_until - issue_unit_);
  const Cycle complete = last + Cycles(step.latency);
  if (step.writes != no_token) {
    warp.tokens[step.writes] = {issue.now + Cycles(step.latency), complete, 0, Reason::wait};
    warp.last_math = std::max(warp.last_math, complete);
  }
  note_serial(warp, step, complete, Reason::wait);
  return {last + issue_unit_, Reason::math_pipe_throttle, false};
}

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
  const Cycle served = lsu_.access_shared(sub, issue.now, issue.instructions, wavefronts);
  if (step.kind == StepKind::load_shared) {
    counters_.shared_load_bytes += share(cost.bytes);
    const Cycle ready = served + config_.shared_latency;
    warp.tokens[step.writes] = {ready, ready, 0, Reason::short_scoreboard};
    note_serial(warp, step, ready, Reason::short_scoreboard);
  } else {
    counters_.shared_store_bytes += share(cost.bytes);
    warp.stores_done = std::max(warp.stores_done, served + config_.store_latency);
    note_serial(warp, step, served + config_.store_latency, Reason::short_scoreboard);
  }
}

void Sm::execute_global(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];
  GlobalPlan& plan = kernel_->globals[static_cast<std::size_t>(step.global)];
  LoadStoreUnit::GlobalAccess access;
  access.owner.warp = slot;
  std::int64_t wavefronts = 0;
  switch (step.kind) {
    case StepKind::load_global:
      access.owner.kind = Owner::Kind::token;
      access.owner.index = step.writes;
      access.through_l1 = true;
      if (warp.issued == 0) warp.tokens[step.writes] = {issue.now, issue.now, 0, Reason::long_scoreboard};
      break;
    case StepKind::copy_async: {
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
    default:
      access.owner.kind = Owner::Kind::store;
      access.write = true;
  }
  Cycle complete = issue.now;
  for (std::int64_t i = 0; i < issue.instructions; ++i) {
    const std::int64_t repeat = warp.issued + i;
    access.owner.wavefronts = wavefronts * (repeat + 1) / step.count - wavefronts * repeat / step.count;
    const LoadStoreUnit::Outcome outcome =
        lsu_.access_global(sub, warp.sub_partition, issue.now, issue.now + issue_unit_ * i, plan,
                           plan.footprint(warp.index, repeat), warp.at, access, counters_);
    if (step.kind == StepKind::store_global) {
      counters_.global_store_bytes += outcome.bytes;
      continue;
    }
    counters_.global_load_bytes += outcome.bytes;
    if (outcome.pending) {
      ++warp.outstanding;
      if (step.kind == StepKind::copy_async) {
        ++warp.groups.back();
      } else {
        ++warp.tokens[step.writes].pending;
        if (step.serial_class != serial_exempt) ++warp.serial_pending;
      }
    }
    if (step.kind == StepKind::load_global && outcome.bytes != 0 && config_.has_l1) {
      TokenState& token = warp.tokens[step.writes];
      token.ready = token.first = std::max(token.ready, outcome.ready + config_.l1_latency);
      complete = token.ready;
    }
  }
  note_serial(warp, step, complete, Reason::long_scoreboard);
}

void Sm::execute_bulk(std::int32_t slot, const Step& step, const Issue& issue) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  Owner owner;
  owner.kind = Owner::Kind::bulk;
  owner.warp = slot;
  owner.index = mbarrier_slot(warp, step);
  owner.bytes = step.expect;
  const BoxPlan& box = kernel_->boxes[static_cast<std::size_t>(step.global)];
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
