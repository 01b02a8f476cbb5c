#include "machine/wave_skipper.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "machine/agreement.h"
#include "machine/turned_over.h"

namespace gpusim::machine {
namespace {

constexpr std::size_t longest_window = 4;  ///< waves
constexpr std::size_t most_waves_in_step = 20;
/// Waves skipped at a time, of those simulated before: a grid of 500 waves (32768x65536 in tiles of 128x256 on an H100)
/// then stops once.
constexpr std::int64_t wave_growth = 512;

/// Every CTA runs the same operations, as often.
bool ctas_are_equal(const Simulation& run) {
  const Schedule& schedule = run.schedule;
  if (schedule.ctas != 0 || schedule.stream_k) return false;
  for (const sm::Code& code : run.kernel.roles)
    for (const sm::Step& step : code.steps)
      if (step.kind == sm::StepKind::grid_barrier) return false;
  return std::none_of(run.kernel.guards.begin(), run.kernel.guards.end(),
                      [&](const sm::Guard& guard) { return depends_on_tile(guard.value, schedule); });
}

}  // namespace

WaveSkipper::WaveSkipper(Simulation& simulation) : run_(simulation) {
  if (!ctas_are_equal(run_)) return;
  wave_ctas_ = run_.fabric.dispatcher().started();
  borders_ = StridedBorders(run_.schedule, wave_ctas_);
}

void WaveSkipper::note(const CtaExit& exit) {
  if (wave_ctas_ == 0) return;
  // Those that came after a skip follow those before it.
  const bool after = exit.cta >= jumped_to_;
  const auto wave = static_cast<std::size_t>((exit.cta - (after ? ctas_skipped_ : ctas_skipped_before_)) / wave_ctas_);
  if (wave >= waves_.size()) waves_.resize(wave + 1);
  const std::int64_t end = (exit.exited + run_.skipped - passed_).count();
  Wave& own = waves_[wave];
  ++own.ctas;
  own.ends += end;
  own.first = std::min(own.first, end);
  own.last = std::max(own.last, end);
}

Cycle WaveSkipper::look(Cycle now, Cycle limit) {
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  if (wave_ctas_ == 0 || dispatcher.ctas() - dispatcher.started() < wave_ctas_) return Cycle::never();
  const std::size_t next = moments_.size();
  if (look_at_flow(now, limit)) {
    measured_from_ = next + 1;
    return now + between_looks;
  }
  if (next >= waves_.size() || waves_[next].ctas < wave_ctas_) return now + between_looks;
  moments_.push_back({dispatcher.done(), run_.counts()});
  if (!is_spread(next)) return now + between_looks;
  // The shortest window of whole waves that agrees with the one before it.
  for (std::size_t window = 1; window <= longest_window && measured_from_ + 2 * window <= next; ++window)
    if (windows_agree(next, window) && skip_like_windows(next, window, now, limit)) {
      measured_from_ = next + 1;
      break;
    }
  return now + between_looks;
}

/// CTAs that begin together come apart from wave to wave until their ends are spread over as long as a wave takes.
/// Where they are in step, what is not their loop overlaps with nothing, and waves of few tiles get shorter meanwhile;
/// those of many do not. What stays in step is not waited for for ever.
bool WaveSkipper::is_spread(std::size_t wave) const {
  if (tiles_of_cta().all >= many_tiles || wave >= most_waves_in_step) return true;
  return wave > 0 && waves_[wave].last - waves_[wave].first >= duration(wave, 1).count();
}

/// Of the `waves` waves up to `last`: from the mean end of the wave before them to that of the last.
Cycles WaveSkipper::duration(std::size_t last, std::size_t waves) const {
  return Cycles((waves_[last].ends - waves_[last - waves].ends) / wave_ctas_);
}

/// What so many CTAs are of those between two moments, counted in tiles where there are tiles: some are under way.
Share WaveSkipper::share_of(std::int64_t ctas, const Moment& from, const Moment& to) const {
  const std::int64_t tiles = tiles_of_cta().all;
  const std::int64_t done = tiles > 0 ? to.counts.kernel.k_tiles - from.counts.kernel.k_tiles : to.done - from.done;
  return {ctas * std::max<std::int64_t>(tiles, 1), std::max<std::int64_t>(done, 1)};
}

bool WaveSkipper::windows_agree(std::size_t last, std::size_t window) const {
  const std::size_t before = last - window;
  if (!l2_is_turned_over(run_, moments_[before - window].counts)) return false;
  if (difference_ppm(duration(last, window).count(), duration(before, window).count()) > cycles_tolerance_ppm)
    return false;
  // Of as many CTAs: a wave is over when its last CTA is.
  const auto of_a_wave = [&](const Moment& from, const Moment& to) {
    auto traffic = traffic_between(from.counts.kernel, to.counts.kernel);
    const Share share = share_of(wave_ctas_, from, to);
    for (std::int64_t& count : traffic) count = share(count);
    return traffic;
  };
  return alike(of_a_wave(moments_[before - window], moments_[before]), of_a_wave(moments_[before], moments_[last]),
               traffic_tolerance_ppm);
}

/// As many waves as a drift lets stand for what follows.
std::int64_t WaveSkipper::most_waves(std::size_t last, std::size_t window) const {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  if (measured_from_ + 3 * window > last) return any;
  const auto took = [&](std::size_t windows_ago) { return duration(last - windows_ago * window, window).count(); };
  return borne_by_drift(took(2), took(1), took(0), static_cast<std::int64_t>(window)).value_or(any);
}

/// CTAs from the next one on that have as much to do as those that were seen last.
std::int64_t WaveSkipper::equal_ctas() const {
  constexpr std::int64_t waves_seen = 2 * longest_window + 1;
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  const std::int64_t first = dispatcher.started();
  const std::optional<std::int64_t> border = borders_.after(first - waves_seen * wave_ctas_);
  if (border && *border <= first) return 0;
  const std::int64_t end = std::min(border.value_or(dispatcher.ctas()), dispatcher.ctas());
  const std::int64_t tiles = run_.kernel.items.at(first - 1, 0).k_tiles;
  std::int64_t cta = first;
  while (cta < end && run_.kernel.items.at(cta, 0).k_tiles == tiles) ++cta;
  return cta - first;
}

std::int64_t WaveSkipper::instructions(std::size_t role, std::int64_t ctas) const {
  const sm::Code& code = run_.kernel.roles[role];
  std::int64_t count = 0;
  for (int warp = code.first_warp; warp < code.first_warp + code.warps; ++warp)
    count += instruction_count(run_.schedule, run_.schedule.roles[role].program,
                               CtaId(run_.fabric.dispatcher().started()), warp);
  return count * ctas;
}

/// Of the role that counts them, in all of its loops that step tiles.
WaveSkipper::Tiles WaveSkipper::tiles_of_cta() const {
  const auto of = [&](const sm::Code& code) {
    Tiles sum;
    std::vector<std::int64_t> times{1};  // that a loop begins, by depth
    for (const sm::Step& step : code.steps) {
      if (step.kind == sm::StepKind::loop_end) times.pop_back();
      if (step.kind != sm::StepKind::loop_begin) continue;
      const std::int64_t trips =
          step.walk == Walk::k_tiles ? run_.kernel.items.at(run_.fabric.dispatcher().started(), 0).k_tiles : step.trips;
      if (step.steps_tiles) {
        sum.all += times.back() * trips;
        sum.late += times.back() * (trips - trips / 2);
      }
      times.push_back(times.back() * trips);
    }
    return sum;
  };
  for (const sm::Code& code : run_.kernel.roles)
    if (code.counts_tiles) return of(code);
  return {};
}

bool WaveSkipper::skip_like_windows(std::size_t last, std::size_t window, Cycle now, Cycle limit) {
  return skip({moments_[last - 2 * window], moments_[last], duration(last, 2 * window),
               static_cast<std::int64_t>(2 * window) * wave_ctas_,
               difference_ppm(duration(last, window).count(), duration(last - window, window).count()),
               most_waves(last, window)},
              now, limit);
}

bool WaveSkipper::skip(const Seen& seen, Cycle now, Cycle limit) {
  fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  const std::int64_t before = std::max<std::int64_t>(std::ssize(moments_), 1) + ctas_skipped_ / wave_ctas_;
  const std::int64_t waves = std::min({equal_ctas() / wave_ctas_, before * wave_growth, seen.most_waves});
  const std::int64_t ctas = waves * wave_ctas_;
  const Cycles cycles(Share{ctas, seen.ctas}(seen.cycles.count()));
  // Fewer than say how long they take are not worth what may be wrong with them.
  if (ctas < seen.ctas || (limit != Cycle::never() && now + cycles >= limit)) return false;

  const Moment& from = seen.from;
  const Moment& to = seen.to;
  const Share share = share_of(ctas, from, to);
  Ledger& ledger = run_.ledger;
  ledger.grow(from.counts, to.counts, {share, share, share});
  whole_.grown.grow(from.counts, to.counts, {share, share, share});
  KernelResult& sum = ledger.kernel();
  for (std::size_t role = 0; role < run_.kernel.roles.size(); ++role) {
    const std::int64_t spent =
        share(to.counts.kernel.roles[role].stalls.total() - from.counts.kernel.roles[role].stalls.total());
    ledger.grow_stalls(role, from.counts, to.counts, spent);
    sum.roles[role].warp_cycles += spent;
    sum.roles[role].warps += ctas * run_.kernel.roles[role].warps;
    const std::int64_t count = instructions(role, ctas);
    sum.roles[role].instructions += count;
    whole_.instructions += count;
  }
  const Tiles of_cta = tiles_of_cta();
  const std::int64_t tiles = of_cta.all * ctas;
  const std::int64_t late_tiles = of_cta.late * ctas;
  const std::int64_t counted = to.counts.kernel.steady_tiles - from.counts.kernel.steady_tiles;
  if (counted > 0)
    sum.steady_tile_cycles +=
        Share{late_tiles, counted}(to.counts.kernel.steady_tile_cycles - from.counts.kernel.steady_tile_cycles);
  sum.steady_tiles += late_tiles;
  sum.k_tiles += tiles;
  sum.skipped.k_tiles += tiles;
  whole_.tiles += tiles;
  sum.skipped.ctas += ctas;

  jumped_to_ = dispatcher.started() + ctas;
  ctas_skipped_before_ = ctas_skipped_;
  ctas_skipped_ += ctas;
  dispatcher.skip(ctas);
  for (const auto& sm : run_.sms) sm->let_pass(cycles, now);
  run_.pass(cycles, now, seen.spread_ppm);
  passed_ += cycles;
  flow_.clear();
  return true;
}

void WaveSkipper::finish() {
  if (ctas_skipped_ == 0) return;
  const Share ctas = proportion(ctas_skipped_, run_.fabric.dispatcher().ctas() - ctas_skipped_);
  whole_.put_right(run_, {.items = ctas, .ctas = ctas});
}

}  // namespace gpusim::machine
