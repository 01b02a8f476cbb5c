// Skipping: warps go on later in their k loops, and everything that counts tiles with them. Queues, requests on their
// way and all times stay as they are; the cycles that pass meanwhile are added to what is reported.
#include <algorithm>

#include "sm/sm.h"

namespace gpusim::sm {
namespace {

constexpr std::int64_t million = 1'000'000;

/// By how much one is more than another, in parts of a million of that.
std::int64_t beyond_ppm(std::int64_t one, std::int64_t other) {
  return other == 0 ? 0 : (one - other) * million / other;
}

bool counts_tiles(const Warp& warp) { return warp.code->counts_tiles && warp.index == warp.code->first_warp; }

}  // namespace

const TileLoop* Sm::loop_around(const Warp& warp, const TileLoops& loops) const {
  const std::optional<TileLoop>& loop = loops.of_role[static_cast<std::size_t>(warp.role)];
  if (!loop || warp.state == WarpState::absent) return nullptr;
  return loop->holds(warp.pc) ? &*loop : nullptr;
}

/// Its k loop where it is inside it, but for one in which it waits for its turn.
const TileLoop* Sm::loop_at_hand(const Warp& warp, const TileLoops& loops) const {
  const TileLoop* const loop = loop_around(warp, loops);
  return loop != nullptr && items_ahead(warp, loops) == 0 ? loop : nullptr;
}

/// Where roles take items in turns: by how many the warp's is ahead of the one whose k tiles are counted. Once all have
/// been, nobody's is.
std::int64_t Sm::items_ahead(const Warp& warp, const TileLoops& loops) const {
  if (!loops.in_turns) return 0;
  const std::ptrdiff_t slot = &warp - warps_.data();
  const auto first = warps_.begin() + slot / kernel_->warps_per_cta * kernel_->warps_per_cta;
  const auto counting = std::find_if(first, first + kernel_->warps_per_cta, [](const Warp& each) {
    return each.state != WarpState::absent && counts_tiles(each);
  });
  return counting == first + kernel_->warps_per_cta ? 0 : item_of(warp) - item_of(*counting);
}

std::int64_t Sm::trips(const Warp& warp, const TileLoop& loop) {
  const Step& begin = warp.code->steps[static_cast<std::size_t>(loop.begin)];
  return begin.walk == Walk::k_tiles ? warp.place.k_tiles : begin.trips;
}

std::int64_t Sm::trips_left(const Warp& warp, const TileLoop& loop) {
  const Step& begin = warp.code->steps[static_cast<std::size_t>(loop.begin)];
  const std::int64_t first = begin.walk == Walk::k_tiles ? warp.place.k_before : 0;
  return first + trips(warp, loop) - 1 - warp.at[loop.index];
}

/// Whether the warp waits, or has left, and no k tile is its own any more.
bool Sm::stands_by(const Warp& warp, const TileLoops& loops) {
  if (warp.state == WarpState::absent) return true;
  if (warp.state != WarpState::parked) return false;
  return !loops.of_role[static_cast<std::size_t>(warp.role)] || (loops.in_turns && has_left_items(warp));
}

TileSurvey Sm::survey(const TileLoops& loops, std::int64_t window) const {
  TileSurvey survey;
  survey.inside = starts_.empty();
  for (std::size_t slot = 0; slot < warps_.size() && survey.inside; ++slot) {
    const Warp& warp = warps_[slot];
    const Cta& cta = ctas_[slot / static_cast<std::size_t>(kernel_->warps_per_cta)];
    if (!cta.resident) continue;
    const TileLoop* const loop = loop_around(warp, loops);
    const bool counts = counts_tiles(warp);
    if (loop == nullptr && (counts || !stands_by(warp, loops))) survey.inside = false;
    if (loop == nullptr) continue;
    const std::int64_t ahead = items_ahead(warp, loops);
    if (ahead < 0) survey.inside = false;
    if (ahead > 0) continue;
    survey.room = std::min(survey.room, trips_left(warp, *loop));
    survey.passed = std::min(survey.passed, trips(warp, *loop) - 1 - trips_left(warp, *loop));
    if (!counts) continue;
    ++survey.ctas;
    survey.fewest = std::min(survey.fewest, cta.pace.since_disturbed());
    survey.mean += cta.pace.mean();
    if (cta.pace.since_disturbed() >= window) survey.last += cta.pace.between(window, 0);
    if (cta.pace.since_disturbed() < 2 * window) continue;
    survey.before += cta.pace.between(2 * window, window);
    if (cta.pace.since_disturbed() >= 3 * window) survey.earlier += cta.pace.between(3 * window, 2 * window);
  }
  return survey;
}

void Sm::survey_ctas(const TileLoops& loops, std::int64_t window, std::vector<CtaSurvey>& ctas) const {
  const std::size_t before = ctas.size();
  for (std::size_t slot = 0; slot < warps_.size(); ++slot) {
    const Warp& warp = warps_[slot];
    const TileLoop* const loop = loop_at_hand(warp, loops);
    if (loop == nullptr) continue;
    const auto cta = static_cast<std::int32_t>(slot / static_cast<std::size_t>(kernel_->warps_per_cta));
    if (ctas.size() == before || ctas.back().slot != cta) {
      const Cta& own = ctas_[static_cast<std::size_t>(cta)];
      constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
      const auto last = [&](std::int64_t tiles) {
        return own.pace.since_disturbed() >= tiles ? own.pace.between(tiles, 0) : Cycles(0);
      };
      ctas.push_back({cta, own.id, own.pace.loops(), any, any, own.pace.tiles(), own.pace.since_disturbed(), last(1),
                      last(2 * window)});
    }
    CtaSurvey& own = ctas.back();
    own.room = std::min(own.room, trips_left(warp, *loop));
    own.passed = std::min(own.passed, trips(warp, *loop) - 1 - trips_left(warp, *loop));
  }
  std::sort(ctas.begin() + static_cast<std::ptrdiff_t>(before), ctas.end(),
            [](const CtaSurvey& a, const CtaSurvey& b) { return a.id < b.id; });
}

std::int64_t Sm::slowest_ppm(const TileSurvey& all, std::int64_t window) {
  const auto beyond = [&](std::int64_t own, std::int64_t sum) { return beyond_ppm(own * all.ctas, sum); };
  std::int64_t slowest = 0;
  for (Cta& cta : ctas_) {
    cta.slower_ppm = 0;
    if (!cta.resident || cta.pace.since_disturbed() < 2 * window) continue;
    cta.slower_ppm = std::min({beyond(cta.pace.between(window, 0).count(), all.last.count()),
                               beyond(cta.pace.between(2 * window, window).count(), all.before.count()),
                               beyond(cta.pace.mean(), all.mean)});
    slowest = std::max(slowest, cta.slower_ppm);
  }
  return slowest;
}

Progress Sm::progress(std::int64_t left_out, std::int64_t window) const {
  Progress sum;
  for (const Cta& cta : ctas_)
    if (cta.resident) sum += cta.pace.progress(left_out, window);
  return sum;
}

std::int64_t Sm::still_slowest_ppm(const Progress& all, std::int64_t left_out, std::int64_t window) const {
  std::int64_t slowest = 0;
  for (const Cta& cta : ctas_) {
    if (!cta.resident) continue;
    const Progress own = cta.pace.progress(left_out, window);
    // In thousandths of a cycle: the mean of so few tiles is no whole number.
    constexpr std::int64_t precision = 1000;
    if (own.tiles > 0)
      slowest = std::max(slowest, std::min(cta.slower_ppm, beyond_ppm(own.cycles * precision / own.tiles,
                                                                      all.cycles * precision / all.tiles)));
  }
  return slowest;
}

void Sm::count_resident(std::vector<std::int64_t>& warps) const {
  for (const Warp& warp : warps_)
    if (warp.state != WarpState::absent) ++warps[static_cast<std::size_t>(warp.role)];
}

/// Whether what the warp's operations do does not change over the skip: guards hold before and after it alike.
bool Sm::alike(const Warp& warp, const TileLoop& loop, std::int64_t tiles) const {
  Coordinates later = warp.at;
  later[loop.index] += tiles;
  for (std::int32_t pc = loop.begin; pc < loop.end; ++pc) {
    const Step& step = warp.code->steps[static_cast<std::size_t>(pc)];
    if (step.guard == no_plan) continue;
    const Guard& guard = kernel_->guards[static_cast<std::size_t>(step.guard)];
    if (guard.holds(warp.at) != guard.holds(later)) return false;
  }
  return true;
}

bool Sm::may_skip(const TileLoops& loops, std::int32_t cta, std::int64_t tiles) const {
  const auto first = warps_.begin() + std::ptrdiff_t{cta} * kernel_->warps_per_cta;
  return std::all_of(first, first + kernel_->warps_per_cta, [&](const Warp& warp) {
    const TileLoop* const loop = loop_at_hand(warp, loops);
    return loop == nullptr || alike(warp, *loop, tiles);
  });
}

std::int64_t Sm::skip(const TileSkip& skip, Cycle now) {
  note_spans(now);
  skipped_ += skip.cycles;
  if (resident_ != 0) active_since_ = active_since_ - skip.cycles;
  if (began_) began_ = *began_ - skip.cycles;
  std::int64_t instructions = 0;
  std::vector<std::int64_t> phases;
  for (std::size_t cta = 0; cta < ctas_.size(); ++cta) {
    if (!ctas_[cta].resident) continue;
    const std::int64_t tiles = skip.tiles.empty() ? 0 : skip.tiles[cta];
    phases.assign(static_cast<std::size_t>(kernel_->barrier_slots), 0);
    const auto first = warps_.begin() + static_cast<std::ptrdiff_t>(cta) * kernel_->warps_per_cta;
    for (auto warp = first; warp != first + kernel_->warps_per_cta; ++warp)
      if (const TileLoop* const loop = loop_at_hand(*warp, skip.loops)) count_phases(*warp, *loop, tiles, phases);
    for (std::size_t slot = 0; slot < phases.size(); ++slot) ctas_[cta].slots[slot].completed += phases[slot];
    if (tiles > 0) ctas_[cta].pace.disturb();
    for (auto warp = first; warp != first + kernel_->warps_per_cta; ++warp) {
      if (warp->state == WarpState::absent) continue;
      warp->started = warp->started - skip.cycles;
      const TileLoop* const loop = loop_at_hand(*warp, skip.loops);
      // Who waits for its turn waits for a phase behind all of this item's.
      const bool waits_for_turn = loop == nullptr && loop_around(*warp, skip.loops) != nullptr;
      if (warp->state == WarpState::parked && warp->parked == Parked::mbarrier && !waits_for_turn)
        warp->parked_phase += phases[static_cast<std::size_t>(warp->parked_on)];
      if (loop != nullptr) instructions += go_on(*warp, *loop, skip, tiles, ctas_[cta].pace.last());
    }
  }
  return instructions;
}

/// What the mbarriers that the warp waits for in its loop complete in so many trips, by slot.
void Sm::count_phases(const Warp& warp, const TileLoop& loop, std::int64_t tiles,
                      std::vector<std::int64_t>& phases) const {
  Coordinates at = warp.at;
  for (std::int32_t pc = loop.begin; pc < loop.end; ++pc) {
    const Step& step = warp.code->steps[static_cast<std::size_t>(pc)];
    if (step.kind != StepKind::barrier_wait) continue;
    at[loop.index] = warp.at[loop.index] + tiles;
    const std::int64_t moved = step.phase(at) - step.phase(warp.at);
    const BarrierShape& barrier = kernel_->barriers[static_cast<std::size_t>(step.barrier)];
    std::fill_n(phases.begin() + barrier.first_slot, barrier.slots, moved);
  }
}

/// `began`: the trip of the warp that counts tiles.
std::int64_t Sm::go_on(Warp& warp, const TileLoop& loop, const TileSkip& skip, std::int64_t tiles, Cycle began) {
  std::int64_t in_a_period = 0;
  Coordinates at = warp.at;
  for (std::int64_t trip = 0; trip < skip.loops.period; ++trip, ++at[loop.index])
    in_a_period += trip_instructions(*kernel_, *warp.code, loop, at);
  const std::int64_t instructions = in_a_period * tiles / skip.loops.period;
  counters_.roles[static_cast<std::size_t>(warp.role)].instructions += instructions;

  // The last half of the tiles begins where it would have: some way through what is skipped, or longer ago.
  const std::int64_t done = trips(warp, loop) - 1 - trips_left(warp, loop);
  const std::int64_t half = trips(warp, loop) / 2;
  if (done >= half)
    warp.half_tiles = warp.half_tiles - skip.marked;
  else if (done + tiles >= half)
    warp.half_tiles = began - skip.marked + skip.marked * (half - done) / tiles;
  warp.at[loop.index] += tiles;
  return instructions;
}

void Sm::let_pass(Cycles cycles, Cycle now) {
  note_spans(now);
  skipped_ += cycles;
  if (!began_) return;
  // CTAs come and go as they have so far; that there is none just now says nothing. (In parts of which no product
  // overflows.)
  const std::int64_t whole = std::max<std::int64_t>((now - *began_).count(), 1);
  const std::int64_t active = counters_.active_cycles + (resident_ != 0 ? (now - active_since_).count() : 0);
  const std::int64_t active_ppm = active * million / whole;
  counters_.active_cycles += cycles.count() / million * active_ppm + cycles.count() % million * active_ppm / million;
  began_ = *began_ - cycles;
}

/// Observers have been told of everything before `now`.
void Sm::note_spans(Cycle now) {
  for (Warp& warp : warps_) {
    if (warp.state == WarpState::absent) continue;
    if (warp.state == WarpState::ready)
      settle(warp, now);
    else
      charge(warp, warp.reason, now);
  }
}

}  // namespace gpusim::sm
