#include "machine/round_skipper.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "machine/agreement.h"
#include "machine/tile_stretch.h"
#include "machine/turned_over.h"

namespace gpusim::machine {
namespace {

constexpr std::size_t longest_window_of_rounds = 4;  ///< rounds
constexpr std::int64_t round_growth = 128;           ///< rounds skipped at a time, of those before
constexpr std::int64_t rounds_left = 1;              ///< at the end, simulated
/// By which the instructions of two windows may differ from those of as many rounds.
constexpr std::int64_t instructions_tolerance_ppm = 5000;

/// The value where a k tile's number within whole items is looked at: the same in all of them, whatever k_begin.
Layout without_k_tiles(const Layout& value) {
  constexpr std::array of_k{Coordinate::k_begin, Coordinate::k_count, Coordinate::partial};
  Layout rest(value.offset());
  for (const Term& term : value.terms())
    if (std::find(of_k.begin(), of_k.end(), term.source) == of_k.end()) rest.add(term);
  return rest;
}

/// Every item of a CTA has the same operations: nothing that is guarded depends on where it lies.
bool items_are_equal(const Simulation& run) {
  const bool are_whole = run.schedule.splits == 1 && !run.schedule.stream_k;
  return std::none_of(run.kernel.guards.begin(), run.kernel.guards.end(), [&](const sm::Guard& guard) {
    return depends_on_tile(are_whole ? without_k_tiles(guard.value) : guard.value, run.schedule);
  });
}

}  // namespace

RoundSkipper::RoundSkipper(Simulation& simulation) : run_(simulation), loops_(sm::find_tile_loops(simulation.kernel)) {
  if (!loops_ || run_.schedule.ctas == 0 || run_.schedule.stream_k || !items_are_equal(run_)) return;
  k_tiles_ = k_tiles_of_all_items();
  round_ = k_tiles_ * run_.fabric.dispatcher().ctas();
  if (k_tiles_ == 0) return;
  for (const sm::Code& code : run_.kernel.roles) instructions_ += instructions_of_round(code) / sm::item_turns(code);
}

/// 0: they differ.
std::int64_t RoundSkipper::k_tiles_of_all_items() const {
  const std::int64_t k_tiles = run_.kernel.items.at(0, 0).k_tiles;
  for (std::int64_t cta = 0; cta < run_.fabric.dispatcher().ctas(); ++cta)
    for (std::int64_t item = 0; item < run_.kernel.items.count(cta); ++item)
      if (run_.kernel.items.at(cta, item).k_tiles != k_tiles) return 0;
  return k_tiles;
}

Cycle RoundSkipper::look(Cycle now, Cycle limit) {
  if (k_tiles_ == 0) return Cycle::never();
  const std::int64_t rounds = run_.k_tiles_done() / round_;
  if (rounds == rounds_) return now + between_looks;
  if (rounds > rounds_ + 1) moments_.clear();
  rounds_ = rounds;
  moments_.push_back({now + run_.skipped, run_.counts()});
  // The shortest window that agrees with the one before it: where tiles are grouped, rounds may take turns at finding
  // more or less in L2.
  for (std::size_t window = 1; window <= longest_window_of_rounds && 2 * window < moments_.size(); ++window) {
    const Windows windows = last_windows(window);
    if (!agree(windows) || !skip(windows, now, limit)) continue;
    moments_.clear();
    rounds_ = run_.k_tiles_done() / round_;
    break;
  }
  if (moments_.size() > 2 * longest_window_of_rounds) moments_.erase(moments_.begin());
  return now + between_looks;
}

RoundSkipper::Windows RoundSkipper::last_windows(std::size_t rounds) const {
  const std::size_t last = moments_.size() - 1;
  return {static_cast<std::int64_t>(rounds), moments_[last - 2 * rounds], moments_[last - rounds], moments_[last]};
}

std::int64_t RoundSkipper::cycles_of_round(const Moment& from, const Moment& to) const {
  const std::int64_t tiles = to.counts.kernel.k_tiles - from.counts.kernel.k_tiles;
  return Share{round_, std::max<std::int64_t>(tiles, 1)}((to.at - from.at).count());
}

/// Whether all of a round is in each that lies between two moments. CTAs that have begun together end their k loops
/// together: then a round by its k tiles has the stores of another, until they have come apart.
bool RoundSkipper::is_of_whole_rounds(const Moment& from, const Moment& to) const {
  const KernelResult& before = from.counts.kernel;
  const KernelResult& after = to.counts.kernel;
  const std::int64_t expected = Share{after.k_tiles - before.k_tiles, round_}(instructions_);
  return difference_ppm(instructions_of(after) - instructions_of(before), expected) <= instructions_tolerance_ppm;
}

bool RoundSkipper::agree(const Windows& windows) const {
  if (!l2_is_turned_over(run_, windows.from.counts)) return false;
  if (!is_of_whole_rounds(windows.from, windows.to)) return false;
  if (difference_ppm(cycles_of_round(windows.from, windows.middle), cycles_of_round(windows.middle, windows.to)) >
      cycles_tolerance_ppm)
    return false;
  const auto of_a_round = [&](const Moment& from, const Moment& to) {
    auto traffic = traffic_between(from.counts.kernel, to.counts.kernel);
    const Share share{round_, std::max<std::int64_t>(to.counts.kernel.k_tiles - from.counts.kernel.k_tiles, 1)};
    for (std::int64_t& count : traffic) count = share(count);
    return traffic;
  };
  return alike(of_a_round(windows.from, windows.middle), of_a_round(windows.middle, windows.to), traffic_tolerance_ppm);
}

/// As many as every warp has before it, in whole windows and periods of its mbarriers.
std::int64_t RoundSkipper::rounds_to_skip(std::int64_t window) const {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  // Only CTAs that are there can go on, and a round is all CTAs'.
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  if (dispatcher.started() != dispatcher.ctas() || dispatcher.done() != 0) return 0;
  for (const auto& sm : run_.sms) left = std::min(left, sm->items_left());
  if (left == std::numeric_limits<std::int64_t>::max()) return 0;
  const std::int64_t period = std::lcm(window, loops_->period / std::gcd(loops_->period, k_tiles_));
  std::int64_t rounds = std::min(left - rounds_left, rounds_ * round_growth) / period * period;
  const auto may_skip = [&](const auto& sm) { return sm->may_skip_items({*loops_, rounds, k_tiles_, {}}); };
  while (rounds > 0 && !std::all_of(run_.sms.begin(), run_.sms.end(), may_skip)) rounds -= period;
  // Fewer than say how long they take are not worth what may be wrong with them.
  return rounds < 2 * window ? 0 : rounds;
}

std::int64_t RoundSkipper::instructions_of_round(const sm::Code& code) const {
  const Schedule& schedule = run_.schedule;
  std::int64_t sum = 0;
  for (int rank = 0; rank < schedule.cluster; ++rank)
    for (int warp = code.first_warp; warp < code.first_warp + code.warps; ++warp)
      sum += sm::item_instructions(run_.kernel, code, place_in_cluster(schedule, rank), warp, k_tiles_);
  return sum * (run_.fabric.dispatcher().ctas() / schedule.cluster);
}

bool RoundSkipper::skip(const Windows& windows, Cycle now, Cycle limit) {
  const std::int64_t rounds = rounds_to_skip(windows.rounds);
  const Moment& from = windows.from;
  const Moment& to = windows.to;
  const Share of_round{rounds * round_, to.counts.kernel.k_tiles - from.counts.kernel.k_tiles};
  const Cycles cycles(of_round((to.at - from.at).count()));
  if (rounds == 0 || (limit != Cycle::never() && now + cycles >= limit)) return false;

  Ledger& ledger = run_.ledger;
  ledger.grow(from.counts, to.counts, {of_round, of_round, of_round});
  whole_.grown.grow(from.counts, to.counts, {of_round, of_round, of_round});
  KernelResult& sum = ledger.kernel();
  std::vector<std::int64_t> warps(run_.kernel.roles.size());
  for (const auto& sm : run_.sms) sm->count_resident(warps);
  for (std::size_t role = 0; role < warps.size(); ++role) {
    ledger.grow_stalls(role, from.counts, to.counts, warps[role] * cycles.count());
    const sm::Code& code = run_.kernel.roles[role];
    const std::int64_t instructions = instructions_of_round(code) * (rounds / sm::item_turns(code));
    sum.roles[role].instructions += instructions;
    whole_.instructions += instructions;
  }
  const std::int64_t late_tiles = (k_tiles_ - k_tiles_ / 2) * run_.fabric.dispatcher().ctas() * rounds;
  const std::int64_t counted = to.counts.kernel.steady_tiles - from.counts.kernel.steady_tiles;
  if (counted > 0)
    sum.steady_tile_cycles +=
        Share{late_tiles, counted}(to.counts.kernel.steady_tile_cycles - from.counts.kernel.steady_tile_cycles);
  sum.steady_tiles += late_tiles;
  sum.k_tiles += rounds * round_;
  sum.skipped.k_tiles += rounds * round_;
  whole_.tiles += rounds * round_;

  for (const auto& sm : run_.sms) sm->skip_items({*loops_, rounds, k_tiles_, cycles}, now);
  run_.pass(cycles, now, difference_ppm(cycles_of_round(from, windows.middle), cycles_of_round(windows.middle, to)));
  return true;
}

/// All items have as many k tiles.
void RoundSkipper::finish() {
  if (whole_.tiles == 0) return;
  whole_.put_right(run_, {.items = proportion(whole_.tiles, run_.k_tiles_done() - whole_.tiles), .ctas = {0, 1}});
}

}  // namespace gpusim::machine
