#include "machine/tile_skipper.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "machine/agreement.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t longest_first_window = 2;  ///< tiles
constexpr std::int64_t first_windows_a_loop = 32;
constexpr int tries_a_window = 3;
constexpr std::int64_t tiles_left = 1;                ///< at the end of the loop
constexpr std::int64_t same_pace_ppm = 50'000;        ///< SMs that differ by less are as fast
constexpr std::int64_t even_pace_ppm = 200'000;       ///< CTAs of an SM that differ by less share it evenly
constexpr std::int64_t noise_tolerance_ppm = 40'000;  ///< windows under busy DRAM differ by so much and mean the same
constexpr std::int64_t fewest_waves = 4;   ///< of a grid whose time is no single stop's: what a stop missed evens out
constexpr std::int64_t most_rounding = 8;  ///< at paces that differ, periods that a skip must have
constexpr std::int64_t tile_growth = 2;    ///< tiles skipped at a time, of those before
/// What fewer tiles save is not worth what may be wrong with it: as many are simulated to know how long they take.
constexpr std::int64_t fewest_tiles = 8;
constexpr std::int64_t late_room = 4;  ///< of a skip's time, before a limit

/// Tiles of the first windows: more where more is at stake.
std::int64_t first_window(const sm::TileSurvey& seen) {
  return std::clamp<std::int64_t>((seen.room + seen.passed) / first_windows_a_loop, 1, longest_first_window);
}

}  // namespace

TileSkipper::TileSkipper(Simulation& simulation)
    : run_(simulation), loops_(sm::find_tile_loops(simulation.kernel)), lines_(simulation.kernel) {}

sm::TileSurvey TileSkipper::survey() {
  sm::TileSurvey all;
  seen_.clear();
  for (const auto& sm : run_.sms) {
    seen_.push_back(sm->survey(*loops_, window_));
    all += seen_.back();
    if (!all.inside) break;
  }
  return all;
}

Cycle TileSkipper::look(Cycle now, Cycle limit) {
  if (!loops_) return Cycle::never();
  const sm::TileSurvey seen = survey();
  const bool inside = seen.inside && seen.ctas != 0;
  // CTAs are about to leave their loops, or have done so: no more will be known.
  if (!inside || seen.room < 1) let_late_pass(now, limit);
  if (inside && seen.fewest >= settling_tiles) return look_inside(seen, now, limit);
  begin_anew();
  return now + between_looks;
}

void TileSkipper::begin_anew() {
  moments_.clear();
  window_ = 1;
  disagreed_ = 0;
}

/// All CTAs have done some tiles since they began, or since some were skipped.
Cycle TileSkipper::look_inside(const sm::TileSurvey& seen, Cycle now, Cycle limit) {
  if (moments_.empty() || seen.fewest < 2 * window_) {
    if (moments_.empty()) {
      // Tiles may take turns: where one was too short, two are not.
      window_ = std::max(first_window(seen), std::min(agreed_, longest_first_window));
      span_ = first_span(seen);
    }
    moments_.clear();
    add_moment(now);
    return now + span_;
  }
  add_moment(now);
  // A window of traffic is as long as one of tiles: bursts are then neither lost nor counted twice.
  span_ = std::max(seen.last / seen.ctas, Cycles(1));
  if (moments_.size() < 3) return now + span_;
  if (const Cycles passed = let_late_pass(now, limit); limit != Cycle::never()) limit = limit - passed;
  if (agrees(seen)) {
    agreed_ = window_;
    const bool has_skipped = skip(seen, now, limit);
    begin_anew();
    // Where there is no room another look would find less.
    return has_skipped ? now + between_looks : now + span_ * 4;
  }
  look_longer(seen);
  return now + span_;
}

void TileSkipper::add_moment(Cycle now) { moments_.push_back({now, run_.counts()}); }

/// As long as the windows that were skipped by, or as the CTAs' last tile.
Cycles TileSkipper::first_span(const sm::TileSurvey& seen) const {
  const Cycles span =
      steady_.tiles != 0 ? Cycles(Share{window_, steady_.tiles}(steady_.cycles)) : seen.last / seen.ctas * window_;
  return std::max(span, Cycles(1));
}

TileStretch TileSkipper::stretch(std::size_t from, std::size_t to, Cycles cycles, std::int64_t tiles) const {
  return stretch_between(moments_[from].counts.kernel, moments_[to].counts.kernel, cycles.count(), tiles);
}

/// Where a scheduler prefers some of an SM's CTAs, none of them goes on at the mean of their paces.
bool TileSkipper::is_even() const {
  return std::none_of(seen_.begin(), seen_.end(), [](const sm::TileSurvey& sm) {
    return sm.ctas > 1 && difference_ppm(sm.quickest.count(), sm.slowest.count()) > even_pace_ppm;
  });
}

/// The windows agree with each other; or together with those that were skipped by before, and then roughly with each
/// other.
bool TileSkipper::agrees(const sm::TileSurvey& seen) {
  const std::int64_t tiles = window_ * seen.ctas;
  const TileStretch both = stretch(0, 2, seen.last + seen.before, 2 * tiles);
  is_steady_ = steady_.tiles != 0 && alike(both, steady_, cycles_tolerance_ppm);
  at_hand_ = both;
  if (is_steady_) at_hand_ += steady_;
  return is_even() && alike(stretch(0, 1, seen.before, tiles), stretch(1, 2, seen.last, tiles),
                            is_steady_ ? noise_tolerance_ppm : cycles_tolerance_ppm);
}

/// The next window, or a longer one.
void TileSkipper::look_longer(const sm::TileSurvey& seen) {
  if (++disagreed_ < tries_a_window || 4 * window_ >= sm::Pace::known) {
    moments_.erase(moments_.begin());
    return;
  }
  disagreed_ = 0;
  window_ *= 2;
  moments_.erase(moments_.begin() + 1);
  span_ = (seen.last + seen.before) / seen.ctas;
}

/// SMs with as many CTAs go at one pace, as far as can be known.
std::vector<TileSkipper::Group> TileSkipper::groups() const {
  std::vector<Group> groups(static_cast<std::size_t>(run_.kernel.cta_slots) + 1);
  for (std::size_t sm = 0; sm < seen_.size(); ++sm) {
    const sm::TileSurvey& seen = seen_[sm];
    if (seen.ctas == 0) continue;
    Group& group = groups[static_cast<std::size_t>(seen.ctas)];
    group.cycles += (seen.last + seen.before).count();
    group.tiles += 2 * window_ * seen.ctas;
    group.room = std::min(group.room, room_of(sm));
  }
  return groups;
}

/// Whether the kernel's time is that of one stop or few.
bool TileSkipper::is_most_of_kernel(const sm::TileSurvey& seen) const {
  return seen.ctas * fewest_waves > run_.fabric.dispatcher().ctas();
}

/// How many tiles the windows may stand for: no more than by which a drift that goes on would have made them wrong, and
/// in proportion to those before. Where the stops before have seen the same, and these are not what the kernel's time
/// is made of, all that are left.
std::int64_t TileSkipper::most_tiles(const sm::TileSurvey& seen) const {
  if (is_steady_ && !is_most_of_kernel(seen)) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = seen.passed * tile_growth;
  if (seen.fewest < 3 * window_) return most;  // not of all CTAs is the third window known
  const auto borne = borne_by_drift(seen.earlier.count(), seen.before.count(), seen.last.count(), window_);
  return borne ? std::min(most, std::max(*borne, loops_->period)) : most;
}

/// The most tiles, whole periods, that an SM's CTAs can skip.
std::int64_t TileSkipper::room_of(std::size_t sm) const {
  const std::int64_t period = loops_->period;
  const auto allowed = [&](std::int64_t most) {
    std::int64_t tiles = most / period * period;
    while (tiles > 0 && !run_.sms[sm]->may_skip({*loops_, tiles, {}, {}})) tiles -= period;
    return std::max<std::int64_t>(tiles, 0);
  };
  const std::int64_t room = allowed(seen_[sm].room - tiles_left);
  // The pace behind the skip is seen in two windows more, of tiles that are like these.
  const std::int64_t to_see = sees_behind_ ? settling_tiles + 2 * window_ : 0;
  return room - to_see < most_ ? allowed(room - to_see) : allowed(most_);
}

/// How many tiles each SM skips, and in what time they would pass; false: none. All as many, unless some are faster.
bool TileSkipper::plan(const sm::TileSurvey& seen) {
  sees_behind_ = is_most_of_kernel(seen);
  most_ = most_tiles(seen);
  std::vector<Group> all = groups();
  std::erase_if(all, [](const Group& group) { return group.tiles == 0; });
  const auto pace = [](const Group& a, const Group& b) {
    return Share{1000, a.tiles}(a.cycles) < Share{1000, b.tiles}(b.cycles);
  };
  const auto [fast, slow] = std::minmax_element(all.begin(), all.end(), pace);
  is_uniform_ =
      difference_ppm(Share{1000, fast->tiles}(fast->cycles), Share{1000, slow->tiles}(slow->cycles)) <= same_pace_ppm;
  // CTAs of a cluster go through the same phases.
  if (!is_uniform_ && run_.kernel.cluster > 1) return false;
  std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
  std::int64_t room = cycles;
  Group sum;
  for (const Group& group : all) {
    room = std::min(room, group.room);
    cycles = std::min(cycles, Share{group.room, group.tiles}(group.cycles));
    sum.cycles += group.cycles;
    sum.tiles += group.tiles;
  }
  // What several stops have seen alike is surer than what one has.
  if (is_uniform_)
    cycles = is_steady_ ? Share{room, at_hand_.tiles}(at_hand_.cycles) : Share{room, sum.tiles}(sum.cycles);
  slowest_ppm_ = is_uniform_ ? slowest_ppm(seen) : 0;
  cycles_ = Cycles(cycles + Share{slowest_ppm_, million}(cycles));
  tiles_.assign(seen_.size(), 0);
  const std::vector<Group> by_ctas = groups();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t sm = 0; sm < seen_.size(); ++sm) {
    if (seen_[sm].ctas == 0) continue;
    const Group& own = by_ctas[static_cast<std::size_t>(seen_[sm].ctas)];
    // Whole periods, to the nearest.
    const std::int64_t a_period = std::max<std::int64_t>(Share{loops_->period, own.tiles}(own.cycles), 1);
    tiles_[sm] = is_uniform_ ? room : std::min((cycles + a_period / 2) / a_period * loops_->period, own.room);
    least = std::min(least, tiles_[sm]);
  }
  return least >= (is_uniform_ ? fewest_tiles : std::max(fewest_tiles, most_rounding * loops_->period));
}

/// When no CTAs are left to be handed out, the slowest of those there are says when the kernel ends: nobody takes over.
std::int64_t TileSkipper::slowest_ppm(const sm::TileSurvey& all) const {
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  std::int64_t slowest = 0;
  if (dispatcher.started() < dispatcher.ctas()) return 0;
  for (const auto& sm : run_.sms) slowest = std::max(slowest, sm->slowest_ppm(all, window_));
  return slowest;
}

bool TileSkipper::skip(const sm::TileSurvey& seen, Cycle now, Cycle limit) {
  if (!plan(seen)) return false;
  // What is late passes after some tiles that are simulated meanwhile, at a pace not known yet.
  const Cycles needed = is_uniform_ && sees_behind_ ? cycles_ * late_room : cycles_;
  if (limit != Cycle::never() && now + needed >= limit) return false;
  bring_lines();
  sm::TileLines::Asked asked = asked_in_skip();
  const std::int64_t most = *std::max_element(tiles_.begin(), tiles_.end());
  late_ = {};
  if (is_uniform_ && sees_behind_) late_.tiles = most / 2;
  const Share is_late{late_.tiles, most};
  // Which CTA will be the last is not known before either: what it is behind by passes late, for all tiles.
  const Cycles mean(Share{million, million + slowest_ppm_}(cycles_.count()));
  const Cycles cycles = late_.tiles > 0 ? mean - Cycles(is_late(mean.count())) : cycles_;
  late_.expected = cycles_ - cycles;
  std::int64_t instructions = 0;
  std::int64_t tiles = 0;
  for (std::size_t sm = 0; sm < run_.sms.size(); ++sm) {
    instructions += run_.sms[sm]->skip({*loops_, tiles_[sm], cycles, cycles_}, now);
    tiles += tiles_[sm] * seen_[sm].ctas;
  }
  if (late_.tiles > 0) {
    late_.window = window_;
    late_.passed = cycles;
    late_.slowest_ppm = slowest_ppm_;
    late_.instructions = is_late(instructions);
    late_.asked = {is_late(asked.bytes), is_late(asked.sectors), asked.through_l1};
    late_.from = moments_[0];
    late_.to = moments_[2];
    asked.bytes -= late_.asked.bytes;
    asked.sectors -= late_.asked.sectors;
  }
  account(moments_[0], moments_[2], cycles, instructions - late_.instructions, asked);
  Ledger& ledger = run_.ledger;
  ledger.kernel().k_tiles += tiles;
  ledger.kernel().skipped.k_tiles += tiles;
  steady_ = at_hand_;
  run_.pass(cycles, now, difference_ppm(seen.last.count(), seen.before.count()));
  return true;
}

}  // namespace gpusim::machine
