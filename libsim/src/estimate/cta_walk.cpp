#include "estimate/cta_walk.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "gpusim/error.h"

namespace gpusim::estimate {

namespace {

/// The fragments an operation reads and the one it writes.
struct Tokens {
  std::vector<Token> reads;
  std::vector<Token> writes;
};

Tokens tokens_of(const Action& action) {
  if (const auto* load = std::get_if<LoadGlobal>(&action)) return {{}, {load->into}};
  if (const auto* load = std::get_if<LoadShared>(&action)) return {{}, {load->into}};
  if (const auto* store = std::get_if<StoreGlobal>(&action)) return {{store->from}, {}};
  if (const auto* store = std::get_if<StoreShared>(&action)) return {{store->from}, {}};
  if (const auto* multiply = std::get_if<Multiply>(&action)) return {{multiply->a, multiply->b}, {multiply->c}};
  Tokens tokens;
  if (const auto* scale = std::get_if<Scale>(&action)) {
    tokens.writes.push_back(scale->c);
    if (scale->source) tokens.reads.push_back(*scale->source);
  } else if (const auto* arithmetic = std::get_if<Arithmetic>(&action)) {
    tokens.reads = arithmetic->reads;
    if (arithmetic->writes) tokens.writes.push_back(*arithmetic->writes);
  }
  return tokens;
}

/// A longer walk would keep its user waiting for a minute and more.
constexpr std::int64_t most_steps = 20'000'000;

/// Operations that serial issue neither holds back nor waits for.
bool exempt_from_serial(const Action& action) {
  const auto* arithmetic = std::get_if<Arithmetic>(&action);
  return std::holds_alternative<CopyAsync>(action) || std::holds_alternative<CommitGroup>(action) ||
         std::holds_alternative<WaitGroup>(action) || std::holds_alternative<BulkCopy>(action) ||
         (arithmetic != nullptr && arithmetic->overhead);
}

std::size_t at(Token token) { return static_cast<std::size_t>(token.index()); }

std::size_t store_kind() { return Action(StoreShared{}).index(); }

}  // namespace

CtaWalk::CtaWalk(const Schedule& schedule, const Profile& profile, const Costs& costs, Ledger& ledger)
    : schedule_(schedule), costs_(costs), ledger_(ledger), serial_(profile.sm.issue == IssueMode::serial) {
  for (const Role& role : schedule.roles) {
    for (int i = 0; i < role.warps; ++i) {
      Warp warp{Cursor(role.program, static_cast<int>(warps_.size())), nullptr, {}, {}, {}, {}, {}};
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

Path CtaWalk::start_of(const Warp& warp) const {
  const Action& action = warp.operation->action;
  const Path* start = &warp.ready;
  const auto wait_for = [&](const Path& path) { start = &later(*start, path); };
  if (serial_ && !exempt_from_serial(action)) {
    for (std::size_t kind = 0; kind < warp.complete_by_kind.size(); ++kind)
      if (kind != action.index()) wait_for(warp.complete_by_kind[kind]);
  }
  if (std::holds_alternative<CtaBarrier>(action)) wait_for(warp.complete_by_kind[store_kind()]);
  const Tokens tokens = tokens_of(action);
  const bool multiplies = std::holds_alternative<Multiply>(action);
  for (const Token token : tokens.writes) {
    const Fragment& fragment = warp.fragments[at(token)];
    wait_for(multiplies && fragment.by_multiply ? fragment.first_complete : fragment.complete);
  }
  for (const Token token : tokens.reads) wait_for(warp.fragments[at(token)].complete);
  if (const auto* wait = std::get_if<WaitGroup>(&action)) {
    const auto pending = static_cast<std::size_t>(wait->pending);
    for (std::size_t i = 0; i + pending < warp.groups.size(); ++i) wait_for(warp.groups[i]);
  }
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
    ledger_.extend(warp.ready, costs_.pace(operation), operation.count - 1);
    ledger_.extend(warp.ready, costs_.issue(), 1);
  }
  if (std::holds_alternative<CtaBarrier>(action)) return arrive_at_barrier(index, start);
  if (const auto* wait = std::get_if<BarrierWait>(&action)) return wait_for_phase(index, *wait, start);

  if (std::holds_alternative<CommitGroup>(action)) {
    close_group(warp);
  } else if (const auto* wait = std::get_if<WaitGroup>(&action)) {
    while (warp.groups.size() > static_cast<std::size_t>(wait->pending)) warp.groups.pop_front();
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
  Path first = start;
  costs_.add_latency(first, operation);
  Path complete = start;
  ledger_.extend(complete, costs_.pace(operation), operation.count - 1);
  costs_.add_latency(complete, operation);

  for (const Token token : tokens_of(action).writes)
    warp.fragments[at(token)] = {complete, first, std::holds_alternative<Multiply>(action)};
  if (std::holds_alternative<CopyAsync>(action)) {
    warp.copies = later(warp.copies, complete);
  } else if (const auto* bulk = std::get_if<BulkCopy>(&action)) {
    const SharedTile& tile = schedule_.shared_tiles.at(static_cast<std::size_t>(bulk->tile.index()));
    const std::int64_t bytes = bulk->rows * bulk->columns * size_of(tile.dtype) * operation.count;
    push({.counter = &counter_of(bulk->done, warp.cursor.at()), .bytes = bytes, .path = complete});
  } else if (!exempt_from_serial(action)) {
    Path& latest = warp.complete_by_kind[action.index()];
    latest = later(latest, complete);
  }
}

void CtaWalk::close_group(Warp& warp) {
  // Groups complete in order: one is not there before those that were closed before it.
  if (!warp.groups.empty()) warp.copies = later(warp.groups.back(), warp.copies);
  warp.groups.push_back(std::move(warp.copies));
  warp.copies = Path();
}

void CtaWalk::arrive_at_barrier(int index, const Path& start) {
  last_arrival_ = later(last_arrival_, start);
  at_barrier_.push_back(index);
  if (at_barrier_.size() == warps_.size()) release_barrier();
}

void CtaWalk::release_barrier() {
  Path release = std::move(last_arrival_);
  last_arrival_ = Path();
  costs_.add_barrier(release);
  for (const int warp : std::exchange(at_barrier_, {})) resume(warp, release);
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
