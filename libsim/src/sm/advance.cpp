// Which operation a warp does next, and when it may issue: loops, guards, scoreboard, serial issue.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {

void Sm::resume(std::int32_t slot, Cycle from) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  warp.parked = Parked::nothing;
  skip_to_operation(warp, from);
  await_dependencies(slot, from);
}

void Sm::skip_to_operation(Warp& warp, Cycle from) {
  while (true) {
    const Step& step = warp.code->steps[warp.pc];
    std::int64_t& trip = warp.at[static_cast<std::size_t>(Coordinate::loop0) + step.depth];
    switch (step.kind) {
      case StepKind::loop_begin:
        trip = 0;
        warp.pc = step.trips == 0 ? static_cast<std::uint32_t>(step.jump) : warp.pc + 1;
        break;
      case StepKind::loop_end:
        if (step.steps_tiles) end_loop_trip(warp, step, from);
        if (++trip < step.trips) {
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

void Sm::end_loop_trip(Warp& warp, const Step& step, Cycle at) {
  if (!warp.code->counts_tiles || warp.index != warp.code->first_warp) return;
  const std::int64_t done = warp.at[static_cast<std::size_t>(Coordinate::loop0) + step.depth] + 1;
  const std::int64_t half = step.trips / 2;
  const Cycle complete = std::max(at, warp.last_math);
  if (done == half) warp.half_tiles = complete;
  if (done == step.trips) {
    counters_.tile_cycles += (complete - warp.half_tiles).count();
    counters_.tiles += step.trips - half;
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
  const Step& step = warp.code->steps[warp.pc];
  if (step.kind == StepKind::exit) {
    if (warp.outstanding != 0) return park(warp, Parked::loads, 0, Reason::long_scoreboard);
    return wake_at(slot, std::max(from, all_complete(warp)), Reason::wait);
  }
  Cycle ready = from;
  Reason why = Reason::wait;
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
