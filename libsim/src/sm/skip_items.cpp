// Skipping work items: every warp goes on the same number of items later, at the place in its item where it is.
#include <algorithm>
#include <numeric>

#include "sm/sm.h"

namespace gpusim::sm {
namespace {

const Step* items_loop_around(const Warp& warp) {
  const std::vector<Step>& steps = warp.code->steps;
  for (std::uint32_t pc = 0; pc < warp.pc; ++pc)
    if (steps[pc].kind == StepKind::loop_begin && steps[pc].walk == Walk::items &&
        static_cast<std::int32_t>(warp.pc) < steps[pc].jump)
      return &steps[pc];
  return nullptr;
}

/// Whether the trips of its k loop count on from item to item; else they begin anew.
bool goes_on(const Warp& warp, const TileLoop& loop) {
  return warp.code->steps[static_cast<std::size_t>(loop.begin)].walk == Walk::k_tiles;
}

}  // namespace

/// Which of its CTA's work items the warp is at; 0 where its role walks none.
std::int64_t Sm::item_of(const Warp& warp) {
  const Step* const items = items_loop_around(warp);
  return items == nullptr ? 0 : warp.at[coordinate_of(*items)];
}

/// Whether the warp has had all its work items.
bool Sm::has_left_items(const Warp& warp) {
  return std::any_of(warp.code->steps.begin(), warp.code->steps.end(), [&](const Step& step) {
    return step.kind == StepKind::loop_begin && step.walk == Walk::items &&
           static_cast<std::int32_t>(warp.pc) >= step.jump;
  });
}

std::int64_t Sm::items_left() const {
  if (!starts_.empty()) return 0;
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (const Warp& warp : warps_) {
    if (warp.state == WarpState::absent) continue;
    const Step* const loop = items_loop_around(warp);
    if (loop != nullptr)
      left = std::min(left, warp.place.items - 1 - warp.at[coordinate_of(*loop)]);
    else if (warp.state != WarpState::parked)
      return 0;
  }
  return left;
}

bool Sm::has_items_left() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
    if (warp.state == WarpState::absent) return false;
    const Step* const loop = items_loop_around(warp);
    return loop != nullptr && warp.place.items > warp.at[coordinate_of(*loop)] + loop->turns;
  });
}

/// Its coordinates so many items later, and so many trips of its k loop.
Coordinates Sm::later(const Warp& warp, const ItemSkip& skip) const {
  Coordinates at = warp.at;
  const Step* const items = items_loop_around(warp);
  if (items == nullptr) return at;
  at[coordinate_of(*items)] += skip.items;
  const TileLoop* const loop = loop_around(warp, skip.loops);
  if (loop != nullptr && goes_on(warp, *loop)) at[loop->index] += skip.items * skip.k_tiles;
  if (!kernel_->restarts_k) at[static_cast<std::size_t>(Coordinate::k_begin)] -= skip.items * skip.k_tiles;
  return at;
}

bool Sm::may_skip_items(const ItemSkip& skip) const {
  return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    if (warp.state == WarpState::absent) return true;
    const Coordinates then = later(warp, skip);
    return std::all_of(warp.code->steps.begin(), warp.code->steps.end(), [&](const Step& step) {
      if (step.guard != no_plan) {
        const Guard& guard = kernel_->guards[static_cast<std::size_t>(step.guard)];
        if (guard.holds(then) != guard.holds(warp.at)) return false;
      }
      if (step.walk == Walk::items && skip.items % step.turns != 0) return false;
      return step.barrier == no_plan || step.slot(then) == step.slot(warp.at);
    });
  });
}

/// What the mbarriers that the warp waits for complete meanwhile, by slot.
void Sm::count_item_phases(const Warp& warp, const ItemSkip& skip, std::vector<std::int64_t>& phases) const {
  const std::optional<TileLoop>& loop = skip.loops.of_role[static_cast<std::size_t>(warp.role)];
  Coordinates then = later(warp, skip);
  Coordinates now = warp.at;
  if (loop && goes_on(warp, *loop) && loop_around(warp, skip.loops) == nullptr) {
    // Between two of its k loops: the next one begins behind the last.
    now[loop->index] = warp.place.k_before;
    then[loop->index] = warp.place.k_before + skip.items * skip.k_tiles;
  }
  for (const Step& step : warp.code->steps) {
    if (step.kind != StepKind::barrier_wait) continue;
    const BarrierShape& barrier = kernel_->barriers[static_cast<std::size_t>(step.barrier)];
    std::fill_n(phases.begin() + barrier.first_slot, barrier.slots, step.phase(then) - step.phase(now));
  }
}

void Sm::skip_items(const ItemSkip& skip, Cycle now) {
  let_pass(skip.cycles, now);
  std::vector<std::int64_t> phases;
  for (std::size_t cta = 0; cta < ctas_.size(); ++cta) {
    if (!ctas_[cta].resident) continue;
    phases.assign(static_cast<std::size_t>(kernel_->barrier_slots), 0);
    const auto first = warps_.begin() + static_cast<std::ptrdiff_t>(cta) * kernel_->warps_per_cta;
    const auto last = first + kernel_->warps_per_cta;
    for (auto warp = first; warp != last; ++warp)
      if (warp->state != WarpState::absent) count_item_phases(*warp, skip, phases);
    for (std::size_t slot = 0; slot < phases.size(); ++slot) ctas_[cta].slots[slot].completed += phases[slot];
    for (auto warp = first; warp != last; ++warp) {
      if (warp->state == WarpState::absent) continue;
      warp->started = warp->started - skip.cycles;
      if (warp->state == WarpState::parked && warp->parked == Parked::mbarrier)
        warp->parked_phase += phases[static_cast<std::size_t>(warp->parked_on)];
      const Step* const items = items_loop_around(*warp);
      if (items == nullptr) continue;
      warp->at = later(*warp, skip);
      warp->place.k_before += skip.items * skip.k_tiles;
      place_item(*warp, kernel_->items.at(ctas_[cta].id, warp->at[coordinate_of(*items)]));
    }
  }
}

}  // namespace gpusim::sm
