// Issuing an operation: what it takes, and what it makes ready when.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {
namespace {

bool enters_shared_queue(StepKind kind) {
  return kind == StepKind::load_shared || kind == StepKind::store_shared || kind == StepKind::load_constant ||
         kind == StepKind::shuffle || kind == StepKind::load_peer || kind == StepKind::store_peer ||
         kind == StepKind::arrive_peer;
}

bool enters_global_queue(StepKind kind) {
  return kind == StepKind::load_global || kind == StepKind::store_global || kind == StepKind::copy_async ||
         kind == StepKind::atomic;
}

}  // namespace

void Sm::issue(std::int32_t slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Step& step = warp.step();
  SubPartition& sub = subs_[static_cast<std::size_t>(warp.sub_partition)];

  Issue issue;
  issue.now = now;
  issue.instructions = step.count - warp.issued;
  if (enters_shared_queue(step.kind))
    issue.instructions = sub.shared_queue.wanted(issue.instructions);
  else if (enters_global_queue(step.kind))
    issue.instructions = sub.global_queue.wanted(issue.instructions);
  else if (step.kind == StepKind::warpgroup_multiply)
    issue.instructions = 1;
  issue.selected_until = sub.port.take(now, issue.instructions).end;

  if (!observers_.empty() && warp.issued == 0) {
    const WarpId id{CtaId(ctas_[static_cast<std::size_t>(warp.cta_slot)].id), warp.index};
    for (Observer* observer : observers_) observer->operation_issued(kernel_id_, id, step.name, now + skipped_);
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
    case StepKind::atomic:
      execute_global(slot, step, issue);
      return outcome;
    case StepKind::load_constant:
      execute_constant(warp, step, issue);
      return outcome;
    case StepKind::shuffle:
      execute_shuffle(warp, step, issue);
      return outcome;
    case StepKind::load_peer:
    case StepKind::store_peer:
      execute_peer(slot, step, issue);
      return outcome;
    case StepKind::warpgroup_multiply:
      return execute_warpgroup(warp, step, issue);
    case StepKind::warpgroup_commit:
      warp.multiplies.push_back(issue.now);
      return outcome;
    case StepKind::warpgroup_wait:
      return wait_multiplies(warp, step, issue);
    case StepKind::cluster_barrier:
      note_serial(warp, step, issue.now, Reason::barrier);
      return arrive_cluster(warp, step, issue);
    case StepKind::grid_barrier:
      note_serial(warp, step, issue.now, Reason::barrier);
      return arrive_grid(warp, step, issue);
    case StepKind::bulk_copy:
      execute_bulk(slot, step, issue);
      return outcome;
    case StepKind::bulk_store:
      execute_bulk_store(slot, step, issue);
      return outcome;
    case StepKind::commit_group:
      warp.copies.commit();
      return outcome;
    case StepKind::wait_group:
      return wait_group(warp, warp.copies, Parked::group, step, issue);
    case StepKind::bulk_commit:
      warp.bulk_stores.commit();
      return outcome;
    case StepKind::bulk_wait:
      return wait_group(warp, warp.bulk_stores, Parked::bulk_group, step, issue);
    case StepKind::register_reallocate:
      return reallocate(warp, step, issue);
    case StepKind::arrive_peer:
      arrive_peer(warp, step, issue);
      return outcome;
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

/// Fragments the operation reads may be overwritten from `read` on.
void Sm::note_read(Warp& warp, const Step& step, Cycle read) {
  for (const std::uint8_t token : {step.address, step.source})
    if (token != no_token) warp.tokens[token].read = std::max(warp.tokens[token].read, read);
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
  if (step.bank_work != 0) sub.register_banks.take(issue.now, step.bank_work);
  const Cycle last = std::max(issue.now + Cycles(step.last_offset), issue.selected_until - issue_unit_);
  const Cycle complete = last + Cycles(step.latency);
  if (step.writes != no_token) {
    TokenState& token = warp.tokens[step.writes];
    token.write(issue.now + Cycles(step.latency), complete, Reason::wait);
    warp.last_math = std::max(warp.last_math, complete);
  }
  if (step.reissue != 0)
    warp.next_mma = sub.pipes[static_cast<std::size_t>(Pipe::tensor)].free() + Cycles(step.reissue * step.count);
  note_serial(warp, step, complete, Reason::wait);
  return {last + issue_unit_, Reason::math_pipe_throttle, false};
}

}  // namespace gpusim::sm
