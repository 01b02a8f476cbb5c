#include "estimate/cta_walk.h"

#include <algorithm>
#include <functional>
#include <optional>
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
  return std::holds_alternative<CtaBarrier>(action) || std::holds_alternative<GridBarrier>(action) ||
         (cluster != nullptr && !cluster->relaxed);
}

/// Whether it is posted to global memory.
bool stores(const Action& action) {
  return std::holds_alternative<StoreGlobal>(action) || std::holds_alternative<BulkStore>(action) ||
         std::holds_alternative<AtomicAdd>(action);
}

std::size_t store_kind() { return Action(StoreShared{}).index(); }

}  // namespace

CtaWalk::CtaWalk(const Schedule& schedule, const Profile& profile, Costs& costs, Ledger& ledger, const Extent& extent,
                 Walked walked)
    : schedule_(schedule),
      costs_(costs),
      ledger_(ledger),
      neighbours_(schedule),
      serial_(profile.sm.issue == IssueMode::serial) {
  int first = 0;
  for (const Role& role : schedule.roles) {
    const int together = walked == Walked::one ? role.warps : 1;
    for (const int end = first + role.warps; first < end; first += together) {
      Warp warp(Cursor(schedule, role.program, first, extent), first, together);
      costs.add_start(warp.ready, first);
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
    } else if (event.arrivals != 0) {
      wake(event.counter->arrive(event.arrivals, event.bytes, event.path), event.path);
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
  warp.ready = later(warp.unread, warp.ready);
}

std::int64_t CtaWalk::alike(const Warp& warp) {
  const std::optional<Bound>& guard = warp.operation->guard;
  if (!guard) return warp.count;
  Coordinates at = warp.cursor.at();
  std::int64_t& index = at[static_cast<std::size_t>(Coordinate::warp)];
  std::int64_t count = 0;
  for (index = warp.first; index < warp.first + warp.count; ++index)
    if (guard->value(at) < guard->limit) ++count;
  return count;
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
  if (std::holds_alternative<CtaBarrier>(action) || std::holds_alternative<ClusterBarrier>(action) ||
      std::holds_alternative<GridBarrier>(action))
    return arrive_at_barrier(index, start);
  if (const auto* wait = std::get_if<BarrierWait>(&action)) return wait_for_phase(index, *wait, start);

  if (const auto* multiply = std::get_if<WarpgroupMultiply>(&action)) {
    multiply_beside(warp, *multiply, start);
  } else if (const auto* arrive = std::get_if<BarrierArrive>(&action)) {
    arrive_at_phase(warp, *arrive, start);
  } else if (!changes_groups(warp, action)) {
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
  if (stores(action)) {
    Path there = complete;
    costs_.add_acknowledgement(there);
    warp.acknowledged = later(warp.acknowledged, there);
  }
  if (std::holds_alternative<CopyAsync>(action)) {
    warp.copies.add(complete);
  } else if (const auto* bulk = std::get_if<BulkCopy>(&action)) {
    copy_in_bulk(warp, *bulk, complete);
  } else if (std::holds_alternative<BulkStore>(action)) {
    warp.stores.add(complete);
    warp.unread = later(warp.unread, complete);
  } else if (!exempt_from_serial(action)) {
    Path& latest = warp.complete_by_kind[action.index()];
    latest = later(latest, complete);
  }
}

void CtaWalk::resume(int index, const Path& from) {
  Warp& warp = warps_[static_cast<std::size_t>(index)];
  warp.ready = later(warp.ready, from);
  fetch(index);
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
