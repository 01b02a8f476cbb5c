// Skips where CTAs share their SM unevenly: a scheduler that prefers older warps has the older CTAs run, and younger
// ones fill what these leave. What each does is then counted in stretches of time, not of tiles, for the youngest may
// do none in one; CTAs that are as old among those of their SM go on by as many tiles.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "machine/agreement.h"
#include "machine/tile_skipper.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t tiles_of_quickest = 8;         ///< in a stretch of time
constexpr std::int64_t share_tolerance_ppm = 40'000;  ///< of all tiles, that other ages may have done
constexpr std::int64_t fewest_of_quickest = 16;       ///< tiles worth skipping
constexpr std::int64_t time_growth = 2;               ///< tiles skipped at a time, of those before
constexpr int tries_a_stretch = 3;

/// Whether the CTAs of an SM have done so different work that they do not share it evenly. Whole tiles are counted.
bool is_uneven(std::int64_t most, std::int64_t least) {
  return difference_ppm(most, least + 2) > even_pace_ppm && most > least + 2;
}

}  // namespace

/// The CTAs inside their k loops, SM by SM, the oldest first.
void TileSkipper::find_ctas() {
  ctas_.clear();
  std::vector<sm::CtaSurvey> own;
  for (std::size_t sm = 0; sm < run_.sms.size(); ++sm) {
    own.clear();
    run_.sms[sm]->survey_ctas(*loops_, window_, own);
    for (std::size_t age = 0; age < own.size(); ++age) ctas_.push_back({sm, own[age], age_group(own.size(), age)});
  }
}

/// When to look again; nothing when tiles have been skipped.
std::optional<Cycle> TileSkipper::look_uneven(Cycle now, Cycle limit) {
  // CTAs of a cluster go through the same phases, and tiles that fill free stages are no share of an SM.
  if (slots() < 2 || run_.kernel.cluster > 1 || loops_->in_turns) return now + between_looks;
  find_ctas();
  std::vector<std::int64_t> ids;
  for (const CtaAtHand& cta : ctas_) ids.insert(ids.end(), {cta.seen.id, cta.seen.loops});
  if (snapshots_.empty() || snapshots_.front().ids != ids) {
    snapshots_.clear();
    constexpr Cycles unknown(std::numeric_limits<std::int64_t>::max());
    Cycles quickest = unknown;
    for (const CtaAtHand& cta : ctas_)
      if (cta.seen.undisturbed >= settling_tiles) quickest = std::min(quickest, cta.seen.last_tile);
    if (quickest == unknown) return now + between_looks;
    stretch_ = std::max(quickest, Cycles(1)) * tiles_of_quickest;
    unlike_ = 0;
  }
  Snapshot snapshot{{now, run_.counts()}, std::move(ids), {}};
  for (const CtaAtHand& cta : ctas_) snapshot.done.push_back(cta.seen.done);
  snapshots_.push_back(std::move(snapshot));
  if (snapshots_.size() < 3) return now + stretch_;
  if (stretches_agree()) {
    const bool was_late = late_.tiles > 0;
    limit = limit_behind(let_late_pass(now, limit), limit);
    if (plan_uneven() && (limit == Cycle::never() || now + cycles_ < limit)) {
      moments_.clear();
      for (const Snapshot& each : snapshots_) moments_.push_back(each.moment);
      passes_at_once_ = false;
      carry_out(now, uneven_spread_ppm_);
      begin_anew();
      return std::nullopt;
    }
    if (was_late) {
      begin_anew();
      return now + between_looks;
    }
  }
  if (++unlike_ == tries_a_stretch) {
    unlike_ = 0;
    stretch_ = stretch_ * 2;
    snapshots_.erase(snapshots_.begin() + 1);
  } else {
    snapshots_.erase(snapshots_.begin());
  }
  return now + stretch_;
}

/// Tiles that each group has done from one snapshot to another.
std::vector<std::int64_t> TileSkipper::done_by_age(std::size_t from, std::size_t to) const {
  std::vector<std::int64_t> done((slots() + 1) * (slots() + 1));
  for (std::size_t i = 0; i < ctas_.size(); ++i)
    done[ctas_[i].age_group] += snapshots_[to].done[i] - snapshots_[from].done[i];
  return done;
}

/// As many tiles took as long and moved as much, and CTAs of each age had as large a share of them; and the shares do
/// differ.
bool TileSkipper::stretches_agree() {
  const auto sum = [](const std::vector<std::int64_t>& of) {
    return std::accumulate(of.begin(), of.end(), std::int64_t{0});
  };
  const std::vector<std::int64_t> before = done_by_age(0, 1);
  const std::vector<std::int64_t> last = done_by_age(1, 2);
  const auto stretch = [&](std::size_t from, std::int64_t tiles) {
    const Moment& begin = snapshots_[from].moment;
    const Moment& end = snapshots_[from + 1].moment;
    return stretch_between(begin.counts.kernel, end.counts.kernel, (end.at - begin.at).count(), tiles);
  };
  if (sum(before) == 0 || sum(last) == 0 ||
      !alike(stretch(0, sum(before)), stretch(1, sum(last)), cycles_tolerance_ppm))
    return false;
  std::int64_t shifted = 0;
  const Share to_last{sum(last), sum(before)};
  for (std::size_t group = 0; group < last.size(); ++group) shifted += std::abs(last[group] - to_last(before[group]));
  const std::int64_t shifted_ppm = Share{million, sum(last)}(shifted);
  if (shifted_ppm > share_tolerance_ppm) return false;
  uneven_spread_ppm_ = std::max(shifted_ppm, difference_ppm(stretch(0, sum(before)).cycles * sum(last),
                                                            stretch(1, sum(last)).cycles * sum(before)));
  // An SM's CTAs lie together.
  bool uneven = false;
  std::int64_t most = 0;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < ctas_.size(); ++i) {
    const std::int64_t done = snapshots_[2].done[i] - snapshots_[0].done[i];
    const bool is_first = i == 0 || ctas_[i].sm != ctas_[i - 1].sm;
    most = is_first ? done : std::max(most, done);
    least = is_first ? done : std::min(least, done);
    uneven = uneven || is_uneven(most, least);
  }
  return uneven;
}

/// How many tiles each CTA skips: what those of its age do in a time in which none comes to its loop's end, and which
/// is not much longer than what was simulated before.
bool TileSkipper::plan_uneven() {
  slowest_ppm_ = 0;
  most_ = std::numeric_limits<std::int64_t>::max();
  sees_behind_ = false;
  const std::vector<std::int64_t> done = done_by_age(0, 2);
  std::vector<std::int64_t> ctas(done.size());
  for (const CtaAtHand& cta : ctas_) ++ctas[cta.age_group];
  const std::int64_t span = (snapshots_[2].moment.at - snapshots_[0].moment.at).count();
  std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_passed = 0;
  std::vector<std::int64_t> rooms;
  for (const CtaAtHand& cta : ctas_) {
    rooms.push_back(room_of(cta));
    most_passed = std::max(most_passed, cta.seen.passed);
    if (done[cta.age_group] > 0)
      cycles = std::min(cycles, Share{rooms.back() * ctas[cta.age_group], done[cta.age_group]}(span));
  }
  const auto tiles_in = [&](std::int64_t time, std::size_t group) {
    const std::int64_t period = loops_->period;
    const Share periods{done[group], span * ctas[group] * period};
    return periods(time) * period;
  };
  std::int64_t quickest = 0;
  for (const CtaAtHand& cta : ctas_) quickest = std::max(quickest, tiles_in(cycles, cta.age_group));
  if (quickest > most_passed * time_growth) cycles = Share{most_passed * time_growth, quickest}(cycles);
  tiles_.assign(run_.sms.size() * slots(), 0);
  std::int64_t sum = 0;
  quickest = 0;
  for (std::size_t i = 0; i < ctas_.size(); ++i) {
    const CtaAtHand& cta = ctas_[i];
    const std::int64_t tiles = std::min(tiles_in(cycles, cta.age_group), rooms[i]);
    tiles_[slot_of(cta)] = tiles;
    sum += tiles;
    quickest = std::max(quickest, tiles);
  }
  // What is rounded off takes no time.
  cycles_ = Cycles(Share{sum, std::accumulate(done.begin(), done.end(), std::int64_t{0})}(span));
  return quickest >= std::max(fewest_of_quickest, 4 * loops_->period);
}

}  // namespace gpusim::machine
