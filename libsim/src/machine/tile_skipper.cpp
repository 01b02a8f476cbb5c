#include "machine/tile_skipper.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "machine/agreement.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t longest_first_window = 2;  ///< tiles
constexpr std::int64_t longest_known_window = 4;  ///< the same in grids of many waves, once one has agreed
constexpr std::int64_t many_waves = 32;
constexpr std::int64_t first_windows_a_loop = 32;
constexpr std::int64_t in_turns_ppm = 200'000;  ///< a tile and the next that differ by more take turns
constexpr int tries_a_window = 3;
constexpr std::int64_t noise_tolerance_ppm = 40'000;  ///< windows under busy DRAM differ by so much and mean the same
constexpr std::int64_t tiles_to_come_apart = 48;      ///< of CTAs, in loops whose roles take turns
constexpr std::int64_t least_in_turns = 16;           ///< tiles after these: windows, and what a skip saves
constexpr std::int64_t late_room = 4;                 ///< of a skip's time, before a limit

/// Tiles of the first windows: more where more is at stake.
std::int64_t first_window(const sm::TileSurvey& seen) {
  return std::clamp<std::int64_t>((seen.room + seen.passed) / first_windows_a_loop, 1, longest_first_window);
}

/// Whether what a kernel writes leaves it tile by tile, not behind its loops. L2 is then ever fuller of what it has yet
/// to write out, CTAs come ever further apart, and no tile takes as long as the one before.
bool stores_tile_by_tile(const std::vector<Statement>& body, bool within = false) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& statement) {
    if (const auto* const loop = std::get_if<Loop>(&statement))
      return stores_tile_by_tile(loop->body, within || loop->steps_tiles);
    return within && std::holds_alternative<StoreGlobal>(std::get<Operation>(statement).action);
  });
}

/// Where roles take items in turns, whether each has more k tiles than are simulated to see them come apart.
bool are_worth_looking_at(const sm::TileLoops& loops, const Simulation& run) {
  const auto& roles = run.schedule.roles;
  if (std::any_of(roles.begin(), roles.end(), [](const Role& role) { return stores_tile_by_tile(role.program.body); }))
    return false;
  return !loops.in_turns || run.kernel.items.at(0, 0).k_tiles > tiles_to_come_apart + least_in_turns;
}

/// Parts of items count as such.
std::int64_t items_of_all_ctas(const Simulation& run) {
  const std::int64_t ctas = run.fabric.dispatcher().ctas();
  if (run.schedule.ctas == 0) return ctas;
  std::int64_t sum = 0;
  std::int64_t most = 1;
  for (std::int64_t cta = 0; cta < ctas; ++cta)
    for (std::int64_t item = 0; item < run.kernel.items.count(cta); ++item) {
      const std::int64_t k_tiles = run.kernel.items.at(cta, item).k_tiles;
      sum += k_tiles;
      most = std::max(most, k_tiles);
    }
  return sum / most;
}

}  // namespace

TileSkipper::TileSkipper(Simulation& simulation)
    : run_(simulation),
      loops_(sm::find_tile_loops(simulation.kernel)),
      lines_(simulation.kernel),
      items_(items_of_all_ctas(simulation)) {
  if (loops_ && !are_worth_looking_at(*loops_, run_)) loops_.reset();
}

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
  if (!inside || seen.room < 1) {
    const bool was_late = late_.tiles > 0;
    limit = limit_behind(let_late_pass(now, limit), limit);
    if (was_late) begin_anew();  // what passed lies between no two moments
  }
  if (!inside) {
    begin_anew();
    return even_due_ = uneven_due_ = now + between_looks;
  }
  if (now >= uneven_due_) {
    const std::optional<Cycle> next = look_uneven(now, limit);
    if (!next) return even_due_ = uneven_due_ = now + between_looks;
    uneven_due_ = *next;
  }
  if (now >= even_due_) {
    if (has_settled(seen)) {
      even_due_ = look_inside(seen, now, limit);
    } else {
      forget_windows();
      even_due_ = now + between_looks;
    }
  }
  return std::min(even_due_, uneven_due_);
}

/// Where roles take turns tiles are counted as they are brought. The first ones fill free stages, before any is
/// multiplied, and CTAs that have only begun, a kernel or an item, are more in step than they will be.
bool TileSkipper::has_settled(const sm::TileSurvey& seen) const {
  return seen.fewest >= settling_tiles && (!loops_->in_turns || seen.passed >= tiles_to_come_apart);
}

void TileSkipper::begin_anew() {
  forget_windows();
  snapshots_.clear();
}

void TileSkipper::forget_windows() {
  moments_.clear();
  window_ = 1;
  disagreed_ = 0;
}

/// All CTAs have done some tiles since they began, or since some were skipped.
Cycle TileSkipper::look_inside(const sm::TileSurvey& seen, Cycle now, Cycle limit) {
  if (moments_.empty() || seen.fewest < 2 * window_) {
    if (moments_.empty()) {
      // Tiles may take turns: where one was too short, two are not.
      const bool are_few = seen.ctas * many_waves < items_;
      const std::int64_t longest = are_few ? longest_known_window : longest_first_window;
      window_ = std::max(first_window(seen), std::min(agreed_, longest));
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
  const bool was_late = late_.tiles > 0;
  limit = limit_behind(let_late_pass(now, limit), limit);
  if (agrees(seen)) {
    agreed_ = window_;
    const bool has_skipped = skip(seen, now, limit);
    begin_anew();
    // Where there is no room another look would find less.
    return has_skipped ? now + between_looks : now + span_ * 4;
  }
  look_longer(seen);
  if (was_late) {
    snapshots_.clear();
    moments_.clear();
    add_moment(now);
  }
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

/// Whether the CTAs of an SM go at one pace. Where a scheduler prefers the older ones, none of them goes on at the mean
/// of their paces; which of a few CTAs waited longest for DRAM is chance, so ages are compared, not CTAs.
bool TileSkipper::share_evenly() const {
  std::vector<Cycles> cycles((slots() + 1) * (slots() + 1));
  for (const CtaAtHand& cta : ctas_) cycles[cta.age_group] += cta.seen.both_windows;
  for (std::size_t at_hand = 2; at_hand <= slots(); ++at_hand) {
    const auto oldest = cycles.begin() + static_cast<std::ptrdiff_t>(age_group(at_hand, 0));
    const auto [quickest, slowest] = std::minmax_element(oldest, oldest + static_cast<std::ptrdiff_t>(at_hand));
    if (difference_ppm(quickest->count(), slowest->count()) > even_pace_ppm) return false;
  }
  return true;
}

/// The windows agree with each other; or together with those that were skipped by before, and then roughly with each
/// other.
bool TileSkipper::agrees(const sm::TileSurvey& seen) {
  const std::int64_t tiles = window_ * seen.ctas;
  const TileStretch both = stretch(0, 2, seen.last + seen.before, 2 * tiles);
  is_steady_ = steady_.tiles != 0 && alike(both, steady_, cycles_tolerance_ppm);
  at_hand_ = both;
  if (is_steady_) at_hand_ += steady_;
  if (!alike(stretch(0, 1, seen.before, tiles), stretch(1, 2, seen.last, tiles),
             is_steady_ ? noise_tolerance_ppm : cycles_tolerance_ppm))
    return false;
  find_ctas();
  return share_evenly();
}

/// The next window, or a longer one.
void TileSkipper::look_longer(const sm::TileSurvey& seen) {
  const bool in_turns = window_ == 1 && difference_ppm(seen.before.count(), seen.last.count()) > in_turns_ppm;
  const bool is_tried = ++disagreed_ >= tries_a_window || in_turns;
  if (!is_tried || 4 * window_ >= sm::Pace::known) {
    moments_.erase(moments_.begin());
    return;
  }
  disagreed_ = 0;
  window_ *= 2;
  moments_.erase(moments_.begin() + 1);
  span_ = (seen.last + seen.before) / seen.ctas;
}

bool TileSkipper::skip(const sm::TileSurvey& seen, Cycle now, Cycle limit) {
  if (!plan(seen)) return false;
  passes_at_once_ = is_steady_ && !sees_behind_;
  if (!is_steady_) passed_ = {};
  // What is late passes after some tiles that are simulated meanwhile, at a pace not known yet.
  const Cycles needed = sees_behind_ ? cycles_ * late_room : cycles_;
  if (limit != Cycle::never() && now + needed >= limit) return false;
  carry_out(now, difference_ppm(seen.last.count(), seen.before.count()));
  steady_ = at_hand_;
  return true;
}

/// What is planned, by what lies between the first of three moments and the last.
void TileSkipper::carry_out(Cycle now, std::int64_t spread_ppm) {
  const std::int64_t before = run_.fabric.memory().counters().dram_write_bytes;
  bring_lines();
  const std::int64_t written = run_.fabric.memory().counters().dram_write_bytes - before;
  sm::TileLines::Asked asked = asked_in_skip();
  const std::int64_t most = *std::max_element(tiles_.begin(), tiles_.end());
  late_ = {};
  if (sees_behind_) late_.tiles = most / 2;
  const Share is_late{late_.tiles, most};
  // Which CTA will be the last is not known before either: what it is behind by passes late, for all tiles.
  const Cycles mean(Share{million, million + slowest_ppm_}(cycles_.count()));
  const Cycles cycles = late_.tiles > 0 ? mean - Cycles(is_late(mean.count())) : cycles_;
  late_.before = paces_;
  late_.mean = Cycles(is_late(mean.count()));
  late_.expected = cycles_ - cycles;
  std::int64_t instructions = 0;
  for (std::size_t sm = 0; sm < run_.sms.size(); ++sm)
    instructions += run_.sms[sm]->skip({*loops_, tiles_of(sm), cycles, cycles_}, now);
  if (late_.tiles > 0) {
    late_.window = window_;
    late_.passed = cycles;
    late_.slowest_ppm = slowest_ppm_;
    late_.instructions = is_late(instructions);
    late_.asked = {is_late(asked.bytes), is_late(asked.sectors), asked.through_l1};
    late_.written = is_late(written);
    late_.from = moments_[0];
    late_.to = moments_[2];
    asked.bytes -= late_.asked.bytes;
    asked.sectors -= late_.asked.sectors;
  }
  account(moments_[0], moments_[2], cycles, instructions - late_.instructions, asked, written - late_.written);
  Ledger& ledger = run_.ledger;
  const std::int64_t tiles = std::accumulate(tiles_.begin(), tiles_.end(), std::int64_t{0});
  ledger.kernel().k_tiles += tiles;
  ledger.kernel().skipped.k_tiles += tiles;
  run_.pass(cycles, now, spread_ppm);
}

}  // namespace gpusim::machine
