// Which operation a warp does next, and when it may issue: loops, work items, guards, scoreboard, serial issue.
#include <algorithm>
#include <stdexcept>

#include "sm/sm.h"

namespace gpusim::sm {
namespace {

/// What a loop's index runs through.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Range range_of(const Step& loop, const WalkPlace& place) {
  switch (loop.walk) {
    case Walk::none:
      return {0, loop.trips};
    case Walk::items:
      return {loop.turn, place.items};
    case Walk::k_tiles:
      return {place.k_before, place.k_before + place.k_tiles};
  }
  throw std::logic_error("a loop of no known walk");
}

}  // namespace

void Sm::resume(std::int32_t slot, Cycle from) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  warp.parked = Parked::nothing;
  skip_to_operation(warp, from);
  await_dependencies(slot, from);
}

/// A warp starts at its CTA's first item, whether or not it walks them.
void Sm::begin_items(Warp& warp) {
  warp.place = {};
  warp.place.items = kernel_->items.count(ctas_[static_cast<std::size_t>(warp.cta_slot)].id);
  if (warp.place.items != 0) take_item(warp, 0, 1);
}

/// The first, or the one after the last that was taken; those of others' turns between them are passed by.
void Sm::take_item(Warp& warp, std::int64_t index, std::int64_t turns) {
  const std::int64_t cta = ctas_[static_cast<std::size_t>(warp.cta_slot)].id;
  WalkPlace& place = warp.place;
  const bool is_first = index < turns;
  std::int64_t before = is_first ? 0 : place.k_before + place.k_tiles;
  for (std::int64_t passed = is_first ? 0 : index - turns + 1; passed < index; ++passed)
    before += kernel_->items.at(cta, passed).k_tiles;
  place.k_before = kernel_->restarts_k ? 0 : before;
  place_item(warp, kernel_->items.at(cta, index));
}

/// At `item`, before which the warp has done place.k_before k tiles.
void Sm::place_item(Warp& warp, const Item& item) {
  WalkPlace& place = warp.place;
  place.k_tiles = item.k_tiles;
  const auto set = [&warp](Coordinate coordinate, std::int64_t value) {
    warp.at[static_cast<std::size_t>(coordinate)] = value;
  };
  set(Coordinate::block_m, item.block_m);
  set(Coordinate::block_n, item.block_n);
  set(Coordinate::block_z, item.block_z);
  set(Coordinate::k_begin, item.k_first - place.k_before);
  set(Coordinate::partial, item.partial ? 1 : 0);
  set(Coordinate::k_count, item.k_tiles);
}

void Sm::skip_to_operation(Warp& warp, Cycle from) {
  while (true) {
    const Step& step = warp.step();
    std::int64_t& trip = warp.at[static_cast<std::size_t>(Coordinate::loop0) + step.depth];
    switch (step.kind) {
      case StepKind::loop_begin: {
        const Range range = range_of(step, warp.place);
        if (range.begin >= range.end) {
          warp.pc = static_cast<std::uint32_t>(step.jump);
          break;
        }
        trip = range.begin;
        if (step.steps_tiles) begin_tiles(warp, from);
        if (step.walk == Walk::items) take_item(warp, trip, step.turns);
        ++warp.pc;
        break;
      }
      case StepKind::loop_end:
        if (step.steps_tiles) end_loop_trip(warp, step, from);
        trip += step.walk == Walk::items ? step.turns : 1;
        if (trip < range_of(step, warp.place).end) {
          if (step.walk == Walk::items) take_item(warp, trip, step.turns);
          warp.pc = static_cast<std::uint32_t>(step.jump);
        } else {
          trip = 0;
          ++warp.pc;
        }
        break;
      case StepKind::exit:
        return;
      default:
        if (step.guard == no_plan || kernel_->guards[static_cast<std::size_t>(step.guard)].holds(warp.at)) return;
        ++warp.pc;
    }
  }
}

void Sm::begin_tiles(const Warp& warp, Cycle at) {
  if (warp.code->counts_tiles && warp.index == warp.code->first_warp)
    ctas_[static_cast<std::size_t>(warp.cta_slot)].pace.begin(at);
}

void Sm::end_loop_trip(Warp& warp, const Step& step, Cycle at) {
  if (!warp.code->counts_tiles || warp.index != warp.code->first_warp) return;
  ctas_[static_cast<std::size_t>(warp.cta_slot)].pace.complete(at);
  ++counters_.k_tiles;
  const Range range = range_of(step, warp.place);
  const std::int64_t trips = range.end - range.begin;
  const std::int64_t done = warp.at[static_cast<std::size_t>(Coordinate::loop0) + step.depth] + 1 - range.begin;
  const std::int64_t half = trips / 2;
  const Cycle complete = std::max(at, warp.last_math);
  if (done == half) warp.half_tiles = complete;
  if (done == trips) {
    counters_.tile_cycles += (complete - warp.half_tiles).count();
    counters_.tiles += trips - half;
    warp.half_tiles = complete;  // where a loop of one trip begins, if another follows
  }
}

/// When everything the warp began, posted stores excepted, is complete; nothing is in flight.
Cycle Sm::all_complete(const Warp& warp) {
  Cycle complete = std::max(warp.last_math, warp.stores_done);
  for (const TokenState& token : warp.tokens) complete = std::max(complete, token.ready);
  return complete;
}

void Sm::await_dependencies(std::int32_t slot, Cycle from) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Step& step = warp.step();
  if (step.kind == StepKind::exit) {
    if (warp.outstanding != 0) return park(warp, Parked::loads, 0, Reason::long_scoreboard);
    return wake_at(slot, std::max(from, all_complete(warp)), Reason::wait);
  }
  Cycle ready = fetch_.there(warp.role, *warp.code, warp.pc, from);
  Reason why = ready > from ? Reason::no_instruction : Reason::wait;
  if (step.serial_class != serial_exempt && step.serial_class != warp.serial_class) {
    if (warp.serial_pending != 0) return park(warp, Parked::serial, 0, warp.serial_reason);
    if (warp.serial_ready > ready) {
      ready = warp.serial_ready;
      why = warp.serial_reason;
    }
  }
  for (std::uint8_t i = 0; i < step.use_count; ++i) {
    const TokenUse use = step.uses[i];
    const TokenState& token = warp.tokens[use.token];
    if (token.pending != 0) return park(warp, Parked::token, use.token, token.reason);
    const Cycle there = use.chained ? token.first : token.ready;
    if (there > ready) {
      ready = there;
      why = token.reason;
    }
  }
  if (step.writes != no_token && warp.tokens[step.writes].read > ready) {
    ready = warp.tokens[step.writes].read;
    why = Reason::short_scoreboard;
  }
  wake_at(slot, ready, why);
}

void Sm::park(Warp& warp, Parked what, std::int32_t on, Reason reason) {
  warp.state = WarpState::parked;
  warp.parked = what;
  warp.parked_on = on;
  warp.reason = reason;
}

void Sm::unpark(std::int32_t slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  charge(warp, warp.reason, now);
  // What it issued before may keep it busy beyond now; that is already charged.
  resume(slot, std::max(now, warp.since));
}

void Sm::wake_at(std::int32_t slot, Cycle at, Reason reason) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  warp.state = WarpState::timed;
  warp.reason = reason;
  events_.push(at, {Event::Kind::warp, slot});
}

}  // namespace gpusim::sm
