#include "estimate/cta_walk.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "estimate/uses.h"
#include "gpusim/error.h"

namespace gpusim::estimate {

namespace {

/// A longer walk would keep its user waiting for a minute and more.
constexpr std::int64_t most_steps = 20'000'000;

std::size_t at(Token token) { return static_cast<std::size_t>(token.index()); }

/// Barriers that order memory.
bool waits_for_stores(const Action& action) {
  const auto* cluster = std::get_if<ClusterBarrier>(&action);
  return std::holds_alternative<CtaBarrier>(action) || (cluster != nullptr && !cluster->relaxed);
}

std::size_t store_kind() { return Action(StoreShared{}).index(); }

}  // namespace

CtaWalk::CtaWalk(const Schedule& schedule, const Profile& profile, Costs& costs, Ledger& ledger)
    : schedule_(schedule), costs_(costs), ledger_(ledger), serial_(profile.sm.issue == IssueMode::serial) {
  for (const Role& role : schedule.roles) {
    for (int i = 0; i < role.warps; ++i) {
      const auto index = static_cast<int>(warps_.size());
      Warp warp(Cursor(role.program, index));
      costs.add_start(warp.ready, index);
      warp.fragments.resize(role.program.tokens.size());
      warps_.push_back(std::move(warp));
    }
  }
  for (const Barrier& barrier : schedule.barriers)
    barriers_.emplace_back(static_cast<std::size_t>(barrier.slots), PhaseCounter(barrier.arrivals));
}

Path CtaWalk::run() {
  for (int warp = 0; warp < static_cast<int>(warps_.size()); ++warp) fetch(warp);
  while (!events_.empty()) {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event event = std::move(events_.back());
    events_.pop_back();
    if (sequence_ > most_steps)
      throw ScheduleError({Problem{schedule_.name, "its CTA takes more than " + std::to_string(most_steps) +
                                                       " operations; the closed form stops there"}});
    if (event.warp >= 0) {
      step(event.warp, event.path);
    } else {
      wake(event.counter->deliver(event.bytes, event.path), event.path);
    }
  }
  Path end;
  for (const Warp& warp : warps_) {
    if (warp.operation != nullptr) report_deadlock();
    end = later(warp.ready, end);
  }
  return end;
}

void CtaWalk::push(Event event) {
  event.time = event.path.time();
  event.sequence = sequence_++;
  events_.push_back(std::move(event));
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void CtaWalk::fetch(int index) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  warp.operation = warp.cursor.next();
  if (warp.operation != nullptr) {
    push({.warp = index, .path = start_of(warp)});
    return;
  }
  // It leaves when all it began is complete.
  for (const Path& complete : warp.complete_by_kind) warp.ready = later(complete, warp.ready);
}

const Path* CtaWalk::awaited(const Warp& warp, const Action& action) {
  if (const auto* wait = std::get_if<WaitGroup>(&action)) return warp.copies.awaited(wait->pending);
  if (const auto* wait = std::get_if<WarpgroupWait>(&action)) return warp.multiplies.awaited(wait->pending);
  return nullptr;
}

Path CtaWalk::start_of(const Warp& warp) const {
  const Action& action = warp.operation->action;
  const Path* start = &warp.ready;
  const auto wait_for = [&](const Path& path) { start = &later(*start, path); };
  if (serial_ && !exempt_from_serial(action)) {
    for (std::size_t kind = 0; kind < warp.complete_by_kind.size(); ++kind)
      if (kind != action.index()) wait_for(warp.complete_by_kind[kind]);
  }
  if (waits_for_stores(action)) wait_for(warp.complete_by_kind[store_kind()]);
  const Uses uses = uses_of(action);
  const bool multiplies = std::holds_alternative<Multiply>(action);
  for (const Token token : uses.writes) {
    const Fragment& fragment = warp.fragments[at(token)];
    wait_for(multiplies && fragment.by_multiply ? fragment.first_complete : fragment.complete);
    if (fragment.read.time() > start->time()) wait_for(fragment.read);
  }
  for (const Token token : uses.reads) wait_for(warp.fragments[at(token)].complete);
  if (is_mma(action) && warp.next_mma.time() > start->time()) wait_for(warp.next_mma);
  if (const Path* groups = awaited(warp, action); groups != nullptr) wait_for(*groups);
  return *start;
}

void CtaWalk::step(int index, const Path& start) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  const Operation& operation = *warp.operation;
  const Action& action = operation.action;
  warp.ready = start;
  if (Costs::queued(operation)) {
    ledger_.extend(warp.ready, costs_.issue(), operation.count);
  } else {
    costs_.add_run(warp.ready, operation, operation.count - 1);
    ledger_.extend(warp.ready, costs_.issue(), 1);
  }
  if (std::holds_alternative<CtaBarrier>(action) || std::holds_alternative<ClusterBarrier>(action))
    return arrive_at_barrier(index, start);
  if (const auto* wait = std::get_if<BarrierWait>(&action)) return wait_for_phase(index, *wait, start);

  if (std::holds_alternative<CommitGroup>(action)) {
    warp.copies.close();
  } else if (std::holds_alternative<WarpgroupCommit>(action)) {
    warp.multiplies.close();
  } else if (const auto* copies = std::get_if<WaitGroup>(&action)) {
    warp.copies.forget(copies->pending);
  } else if (const auto* multiplies = std::get_if<WarpgroupWait>(&action)) {
    warp.multiplies.forget(multiplies->pending);
  } else if (const auto* multiply = std::get_if<WarpgroupMultiply>(&action)) {
    multiply_beside(warp, *multiply, start);
  } else if (const auto* arrive = std::get_if<BarrierArrive>(&action)) {
    wake(counter_of(arrive->at, warp.cursor.at()).arrive(arrive->expect.count(), start), start);
  } else {
    record(warp, start);
  }
  fetch(index);
}

void CtaWalk::record(Warp& warp, const Path& start) {
  const Operation& operation = *warp.operation;
  const Action& action = operation.action;
  Coordinates coordinates = warp.cursor.at();
  Path first = start;
  costs_.add_latency(first, operation, coordinates);
  Path last = start;
  costs_.add_run(last, operation, operation.count - 1);
  Path complete = last;
  coordinates[static_cast<std::size_t>(Coordinate::repeat)] = operation.count - 1;
  costs_.add_latency(complete, operation, coordinates);

  const Uses uses = uses_of(action);
  Path read = last;
  costs_.add_read(read, operation);
  if (read.time() > last.time())
    for (const Token token : uses.reads) warp.fragments[at(token)].read = read;
  for (const Token token : uses.writes)
    warp.fragments[at(token)] = {complete, first, {}, std::holds_alternative<Multiply>(action)};
  if (is_mma(action)) {
    warp.next_mma = start;
    costs_.add_until_next(warp.next_mma, operation);
  }
  if (std::holds_alternative<CopyAsync>(action)) {
    warp.copies.add(complete);
  } else if (const auto* bulk = std::get_if<BulkCopy>(&action)) {
    const SharedTile& tile = schedule_.shared_tiles.at(static_cast<std::size_t>(bulk->tile.index()));
    const std::int64_t bytes = bulk->planes * bulk->rows * bulk->columns * size_of(tile.dtype) * operation.count;
    push({.counter = &counter_of(bulk->done, warp.cursor.at()), .bytes = bytes, .path = complete});
  } else if (!exempt_from_serial(action)) {
    Path& latest = warp.complete_by_kind[action.index()];
    latest = later(latest, complete);
  }
}

void CtaWalk::multiply_beside(Warp& warp, const WarpgroupMultiply& multiply, const Path& start) {
  warp.multiplied = later(warp.multiplied, start);
  costs_.add_multiplies(warp.multiplied, multiply, warp.operation->count);
  Path complete = warp.multiplied;
  costs_.add_latency(complete, *warp.operation, warp.cursor.at());
  warp.multiplies.add(complete);
}

void CtaWalk::arrive_at_barrier(int index, const Path& start) {
  const Action& action = warps_[static_cast<std::size_t>(index)].operation->action;
  Meeting& meeting = meetings_[action.index()];
  meeting.last = later(meeting.last, start);
  if (std::holds_alternative<CtaBarrier>(action)) costs_.add_arrival(meeting.last);
  meeting.warps.push_back(index);
  if (meeting.warps.size() < warps_.size()) return;
  Path release = std::move(meeting.last);
  meeting.last = Path();
  if (const auto* cluster = std::get_if<ClusterBarrier>(&action))
    costs_.add_barrier(release, *cluster);
  else
    costs_.add_barrier(release);
  for (const int warp : std::exchange(meeting.warps, {})) resume(warp, release);
}

void CtaWalk::wait_for_phase(int index, const BarrierWait& wait, const Path& start) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  PhaseCounter& counter = counter_of(wait.at, warp.cursor.at());
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

void CtaWalk::resume(int index, const Path& from) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  warp.ready = later(warp.ready, from);
  fetch(index);
}

PhaseCounter& CtaWalk::counter_of(const BarrierSlot& slot, const Coordinates& coordinates) {
  const auto barrier = static_cast<std::size_t>(slot.barrier.index());
  return barriers_.at(barrier).at(static_cast<std::size_t>(slot.slot(coordinates)));
}

void CtaWalk::report_deadlock() const {
  std::vector<std::string> waits;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if (warps_[i].operation == nullptr) continue;
    waits.push_back("warp " + std::to_string(i) + " waits at " + std::string(name(warps_[i].operation->action)));
  }
  throw DeadlockError(std::move(waits));
}

}  // namespace gpusim::estimate
