// How many tiles each CTA skips, and in what time they would pass.
#include <algorithm>
#include <limits>

#include "machine/agreement.h"
#include "machine/tile_skipper.h"
#include "machine/turned_over.h"
#include "sizes.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t tiles_left = 1;                ///< at the end of the loop
constexpr std::int64_t same_pace_ppm = 50'000;        ///< groups that differ by less are as fast
constexpr std::int64_t still_same_pace_ppm = 20'000;  ///< those that have differed by more before
constexpr std::int64_t fewest_waves = 4;   ///< of a grid whose time is no single stop's: what a stop missed evens out
constexpr std::int64_t most_rounding = 8;  ///< at paces that differ, periods that a skip must have
constexpr std::int64_t tile_growth = 2;    ///< tiles skipped at a time, of those before, in grids of many waves
constexpr std::int64_t part_of_l2 = 16;    ///< by which groups may come apart in a skip
constexpr std::int64_t times_l2 = 8;       ///< as far apart they find nothing of each other in it
/// What fewer tiles save is not worth what may be wrong with it: as many are simulated to know how long they take.
constexpr std::int64_t fewest_tiles = 8;

}  // namespace

/// CTAs of SMs that hold as many go at one pace, as far as can be known.
void TileSkipper::form_groups() {
  groups_.assign(slots() + 1, {});
  for (const CtaAtHand& cta : ctas_) {
    Group& group = groups_[static_cast<std::size_t>(seen_[cta.sm].ctas)];
    group.cycles += cta.seen.both_windows.count();
    group.tiles += 2 * window_;
    group.room = std::min(group.room, room_of(cta));
  }
}

/// Whether the kernel's time is that of one stop or few: CTAs that walk many work items have as many loops ahead.
bool TileSkipper::is_most_of_kernel(const sm::TileSurvey& seen) const { return seen.ctas * fewest_waves > items_; }

/// How many tiles the windows may stand for: no more than by which a drift that goes on would have made them wrong, and
/// in proportion to those before; half as many after each skip behind which the pace was another. Where the stops
/// before have seen the same, and these are not what the kernel's time is made of, all that are left.
std::int64_t TileSkipper::most_tiles(const sm::TileSurvey& seen) const {
  if (is_steady_ && !is_most_of_kernel(seen)) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = seen.passed * (is_most_of_kernel(seen) ? 1 : tile_growth) >> surprises_;
  if (seen.fewest < 3 * window_) return most;  // not of all CTAs is the third window known
  const auto borne = borne_by_drift(seen.earlier.count(), seen.before.count(), seen.last.count(), window_);
  return borne ? std::min(most, std::max(*borne, loops_->period)) : most;
}

/// The most tiles, whole periods, that a CTA can skip.
std::int64_t TileSkipper::room_of(const CtaAtHand& cta) const {
  const std::int64_t period = loops_->period;
  const auto allowed = [&](std::int64_t most) {
    std::int64_t tiles = most / period * period;
    while (tiles > 0 && !run_.sms[cta.sm]->may_skip(*loops_, cta.seen.slot, tiles)) tiles -= period;
    return std::max<std::int64_t>(tiles, 0);
  };
  const std::int64_t room = allowed(cta.seen.room - tiles_left);
  // The pace behind the skip is seen in two windows more, of tiles that are like these.
  const std::int64_t to_see = sees_behind_ ? settling_tiles + 2 * window_ : 0;
  return room - to_see < most_ ? allowed(room - to_see) : allowed(most_);
}

/// How many tiles each CTA skips, and in what time they would pass; false: none. All as many, unless some are faster.
bool TileSkipper::plan(const sm::TileSurvey& seen) {
  sees_behind_ = is_most_of_kernel(seen);
  most_ = most_tiles(seen);
  form_groups();
  std::vector<Group> all = groups_;
  std::erase_if(all, [](const Group& group) { return group.tiles == 0; });
  const auto pace = [](const Group& group) { return Share{1000, group.tiles}(group.cycles); };
  const auto [fast, slow] =
      std::minmax_element(all.begin(), all.end(), [&](const Group& a, const Group& b) { return pace(a) < pace(b); });
  const bool is_uniform =
      difference_ppm(pace(*fast), pace(*slow)) <= (have_differed_ ? still_same_pace_ppm : same_pace_ppm);
  // CTAs of a cluster go through the same phases.
  if (!is_uniform && run_.kernel.cluster > 1) return false;
  tiles_.assign(run_.sms.size() * slots(), 0);
  slowest_ppm_ = is_uniform ? slowest_ppm(seen) : 0;
  return is_uniform ? plan_alike(all) : plan_groups(all);
}

bool TileSkipper::plan_alike(const std::vector<Group>& all) {
  sm::Progress mean;
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (const Group& group : all) {
    room = std::min(room, group.room);
    mean += {group.cycles, group.tiles};
  }
  // What several stops have seen alike is surer than what one has.
  if (is_steady_) mean = {at_hand_.cycles, at_hand_.tiles};
  for (const CtaAtHand& cta : ctas_) tiles_[slot_of(cta)] = room;
  paces_.assign(run_.sms.size(), mean);
  const std::int64_t cycles = Share{room, mean.tiles}(mean.cycles);
  cycles_ = Cycles(cycles + Share{slowest_ppm_, million}(cycles));
  return room >= fewest_tiles;
}

bool TileSkipper::plan_groups(const std::vector<Group>& all) {
  std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
  for (const Group& group : all) cycles = std::min(cycles, Share{group.room, group.tiles}(group.cycles));
  deal_out(cycles);
  cycles = Share{part_to_skip_ppm(), million}(cycles);
  deal_out(cycles);
  if (fewest_dealt() < std::max(fewest_tiles, most_rounding * loops_->period)) return false;
  have_differed_ = true;
  paces_.assign(run_.sms.size(), {});
  for (const CtaAtHand& cta : ctas_) {
    const Group& own = group_of(cta);
    paces_[cta.sm] = {own.cycles, own.tiles};
  }
  cycles_ = Cycles(cycles);
  return true;
}

/// As many as each group does in so many cycles: whole periods, to the nearest.
void TileSkipper::deal_out(std::int64_t cycles) {
  for (const CtaAtHand& cta : ctas_) {
    const Group& own = group_of(cta);
    const std::int64_t a_period = std::max<std::int64_t>(Share{loops_->period, own.tiles}(own.cycles), 1);
    tiles_[slot_of(cta)] = std::min((cycles + a_period / 2) / a_period * loops_->period, own.room);
  }
}

std::int64_t TileSkipper::fewest_dealt() const {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const CtaAtHand& cta : ctas_) fewest = std::min(fewest, tiles_[slot_of(cta)]);
  return fewest;
}

/// How much of what was dealt out may be skipped at once: groups come apart by no more than a part of L2 of the lines
/// that all ask for, for what the first ones brought may not be there any more when the last ones come; until they are
/// so far apart that it never is.
std::int64_t TileSkipper::part_to_skip_ppm() {
  if (buffers_fit_l2(run_)) return million;
  const auto [last, first] = std::minmax_element(
      ctas_.begin(), ctas_.end(), [](const auto& a, const auto& b) { return a.seen.passed < b.seen.passed; });
  const std::int64_t lines = run_.configuration.fabric.l2_capacity.value().count() / line_bytes;
  const std::int64_t a_trip = std::max<std::int64_t>(bring_trip(1, true), 1);
  if ((first->seen.passed - last->seen.passed) * a_trip >= lines * times_l2) return million;
  const std::int64_t apart = *std::max_element(tiles_.begin(), tiles_.end()) - fewest_dealt();
  return std::min(million, Share{million, std::max<std::int64_t>(apart * a_trip, 1)}(lines / part_of_l2));
}

/// When nothing is left to be handed out, and no CTA has a work item left, the slowest of those there are says when the
/// kernel ends: nobody takes over. Who is behind in an item need not be in the next.
std::int64_t TileSkipper::slowest_ppm(const sm::TileSurvey& all) const {
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  const auto has_items_left = [](const auto& sm) { return sm->has_items_left(); };
  if (dispatcher.started() < dispatcher.ctas() || std::any_of(run_.sms.begin(), run_.sms.end(), has_items_left))
    return 0;
  std::int64_t slowest = 0;
  for (const auto& sm : run_.sms) slowest = std::max(slowest, sm->slowest_ppm(all, window_));
  return slowest;
}

}  // namespace gpusim::machine
