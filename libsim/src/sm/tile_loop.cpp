#include "sm/tile_loop.h"

#include <algorithm>
#include <numeric>

namespace gpusim::sm {
namespace {

/// What repeats later than this is not looked for.
constexpr std::int64_t longest_period = 64;

const Step* counting_loop(const Kernel& kernel) {
  for (const Code& code : kernel.roles)
    for (const Step& step : code.steps)
      if (step.kind == StepKind::loop_begin && step.steps_tiles) return &step;
  return nullptr;
}

/// Loops of the role that are over k tiles, as far as one can see: at the depth of the one that says so.
std::vector<TileLoop> candidates(const Code& code, const Step& counting) {
  std::vector<TileLoop> loops;
  for (std::size_t pc = 0; pc < code.steps.size(); ++pc) {
    const Step& step = code.steps[pc];
    if (step.kind != StepKind::loop_begin || step.depth != counting.depth || step.walk != counting.walk) continue;
    if (step.walk == Walk::none && step.trips != counting.trips) continue;
    loops.push_back({static_cast<std::int32_t>(pc), step.jump - 1, coordinate_of(step)});
  }
  return loops;
}

/// Trips after which `slot` is the same, and `phase` has moved on by the same for all.
bool repeats(const Step& step, std::size_t index, std::int64_t period) {
  Coordinates at{};
  const auto value = [&](const Base& base, std::int64_t trip) {
    at[index] = trip;
    return base(at);
  };
  const std::int64_t moved = value(step.phase, period) - value(step.phase, 0);
  for (std::int64_t trip = 0; trip < longest_period; ++trip) {
    if (value(step.slot, trip + period) != value(step.slot, trip)) return false;
    if (value(step.phase, trip + period) - value(step.phase, trip) != moved) return false;
  }
  return true;
}

std::int64_t period_of(const Guard& guard, std::size_t index) {
  std::int64_t period = 1;
  for (const Term& term : guard.value.terms())
    if (static_cast<std::size_t>(term.source) == index && term.modulus != 0)
      period = std::lcm(period, term.divisor * term.modulus);
  return period;
}

/// 0: longer than is looked for.
std::int64_t period_of(const Kernel& kernel, const Code& code, const TileLoop& loop) {
  std::int64_t period = 1;
  for (std::int32_t pc = loop.begin; pc < loop.end; ++pc) {
    const Step& step = code.steps[static_cast<std::size_t>(pc)];
    if (step.guard != no_plan)
      period = std::lcm(period, period_of(kernel.guards[static_cast<std::size_t>(step.guard)], loop.index));
    if (step.barrier == no_plan) continue;
    std::int64_t own = 1;
    while (own <= longest_period && !repeats(step, loop.index, own)) ++own;
    if (own > longest_period) return 0;
    period = std::lcm(period, own);
  }
  return period <= longest_period ? period : 0;
}

bool may_be_skipped(StepKind kind) { return kind != StepKind::grid_barrier && kind != StepKind::register_reallocate; }

}  // namespace

std::int64_t item_turns(const Code& code) {
  std::int64_t turns = 1;
  for (const Step& step : code.steps) turns = std::max(turns, step.turns);
  return turns;
}

std::optional<TileLoops> find_tile_loops(const Kernel& kernel) {
  const Step* const counting = counting_loop(kernel);
  if (counting == nullptr) return std::nullopt;
  TileLoops loops;
  loops.in_turns =
      std::any_of(kernel.roles.begin(), kernel.roles.end(), [](const Code& code) { return item_turns(code) > 1; });
  for (const Code& code : kernel.roles) {
    const std::vector<TileLoop> found = candidates(code, *counting);
    if (found.size() > 1) return std::nullopt;
    loops.of_role.emplace_back();
    if (found.empty()) continue;
    const TileLoop& loop = found.front();
    for (std::int32_t pc = loop.begin; pc < loop.end; ++pc)
      if (!may_be_skipped(code.steps[static_cast<std::size_t>(pc)].kind)) return std::nullopt;
    const std::int64_t period = period_of(kernel, code, loop);
    if (period == 0) return std::nullopt;
    loops.period = std::lcm(loops.period, period);
    loops.of_role.back() = loop;
  }
  return loops.period <= longest_period ? std::optional(loops) : std::nullopt;
}

std::int64_t trip_instructions(const Kernel& kernel, const Code& code, const TileLoop& loop, const Coordinates& at) {
  std::int64_t count = 0;
  for_each_operation(kernel, code, loop, at, [&](const Step& step, const Coordinates&) { count += step.count; });
  return count;
}

std::int64_t item_instructions(const Kernel& kernel, const Code& code, std::pair<int, int> place, int warp,
                               std::int64_t k_tiles) {
  const auto items = std::find_if(code.steps.begin(), code.steps.end(), [](const Step& step) {
    return step.kind == StepKind::loop_begin && step.walk == Walk::items;
  });
  if (items == code.steps.end()) return 0;
  // Trips of the k loop go on from item to item: a later one, at which all buffers have been filled before.
  const auto first_trip = [&](const Step& loop) { return loop.walk == Walk::k_tiles ? longest_period * k_tiles : 0; };
  const auto trips = [&](const Step& loop) { return loop.walk == Walk::k_tiles ? k_tiles : loop.trips; };
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::block_m)] = place.first;
  at[static_cast<std::size_t>(Coordinate::block_n)] = place.second;
  at[static_cast<std::size_t>(Coordinate::warp)] = warp;
  at[coordinate_of(*items)] = longest_period;
  at[static_cast<std::size_t>(Coordinate::k_begin)] = -longest_period * k_tiles;
  at[static_cast<std::size_t>(Coordinate::k_count)] = k_tiles;
  std::int64_t count = 0;
  for (std::int32_t pc = static_cast<std::int32_t>(items - code.steps.begin()) + 1; pc < items->jump - 1; ++pc) {
    const Step& step = code.steps[static_cast<std::size_t>(pc)];
    if (step.kind == StepKind::loop_begin) {
      at[coordinate_of(step)] = first_trip(step);
      if (trips(step) == 0) pc = step.jump - 1;
    } else if (step.kind == StepKind::loop_end) {
      const Step& begin = code.steps[static_cast<std::size_t>(step.jump - 1)];
      if (++at[coordinate_of(step)] < first_trip(begin) + trips(begin)) pc = step.jump - 1;
    } else if (step.guard == no_plan || kernel.guards[static_cast<std::size_t>(step.guard)].holds(at)) {
      count += step.count;
    }
  }
  return count;
}

}  // namespace gpusim::sm
