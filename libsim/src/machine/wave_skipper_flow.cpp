// Skips where CTAs of an SM are out of step, so that no wave is over before the next but one has begun. A window is
// then a time in which as many CTAs ended as its tiles make up: those at hand are as far in their work as before.
#include <limits>

#include "machine/agreement.h"
#include "machine/turned_over.h"
#include "machine/wave_skipper.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t flow_windows_a_wave = 3;      ///< at most
constexpr std::size_t flow_moments = 3;              ///< of two windows
constexpr std::int64_t fewest_waves_of_flow = 4;     ///< of a grid, whose time is not that of a few CTAs
constexpr std::int64_t flow_tolerance_ppm = 30'000;  ///< by which CTAs that end and tiles that are done may differ

}  // namespace

std::int64_t WaveSkipper::tiles_between(const FlowMoment& from, const FlowMoment& to) {
  return to.moment.counts.kernel.k_tiles - from.moment.counts.kernel.k_tiles;
}

/// Whether a window ends now, or the first one begins.
bool WaveSkipper::is_end_of_window(std::int64_t tiles_of_cta) const {
  const std::int64_t done = run_.fabric.dispatcher().done();
  if (flow_.empty()) return done >= wave_ctas_;  // CTAs that began together are not yet out of step
  const FlowMoment& begin = flow_.back();
  const std::int64_t ended = done - begin.moment.done;
  if (ended == 0 || ended < wave_ctas_ / flow_windows_a_wave) return false;
  const std::int64_t tiles = run_.k_tiles_done() - begin.moment.counts.kernel.k_tiles;
  return difference_ppm(ended * tiles_of_cta, tiles) <= flow_tolerance_ppm;
}

/// Whether waves have been skipped.
bool WaveSkipper::look_at_flow(Cycle now, Cycle limit) {
  const fabric::Dispatcher& dispatcher = run_.fabric.dispatcher();
  if (dispatcher.ctas() < fewest_waves_of_flow * wave_ctas_) return false;
  // CTAs that were at hand at a skip must be gone before the next, which windows of less than a wave do not see to.
  if (ctas_skipped_ > 0) return false;
  // Where all buffers fit into L2 each wave finds more of them there: whole waves say more.
  if (buffers_fit_l2(run_)) return false;
  // They change how far they are out of step: what is compared begins later.
  if (!flow_.empty() && dispatcher.done() - flow_.back().moment.done > wave_ctas_) flow_.clear();
  const std::int64_t tiles = tiles_of_cta().all;
  if (tiles == 0 || !is_end_of_window(tiles)) return false;
  flow_.push_back({now + run_.skipped, {dispatcher.done(), run_.counts()}});
  if (flow_.size() < flow_moments) return false;
  if (flow_.size() > flow_moments) flow_.erase(flow_.begin());

  const auto cycles_of_wave = [&](const FlowMoment& from, const FlowMoment& to) {
    return Share{wave_ctas_ * tiles, tiles_between(from, to)}((to.at - from.at).count());
  };
  const auto traffic_of_wave = [&](const FlowMoment& from, const FlowMoment& to) {
    auto traffic = traffic_between(from.moment.counts.kernel, to.moment.counts.kernel);
    const Share share = share_of(wave_ctas_, from.moment, to.moment);
    for (std::int64_t& count : traffic) count = share(count);
    return traffic;
  };
  // Where few tiles end together it is no flow yet.
  const std::int64_t ended = flow_[2].moment.done - flow_[1].moment.done;
  if (tiles < many_tiles && flow_windows_a_wave * ended > 2 * wave_ctas_) return false;
  const FlowMoment& first = flow_[0];
  const FlowMoment& middle = flow_[1];
  const FlowMoment& last = flow_[2];
  if (!l2_is_turned_over(run_, first.moment.counts)) return false;
  const std::int64_t spread_ppm = difference_ppm(cycles_of_wave(first, middle), cycles_of_wave(middle, last));
  if (spread_ppm > cycles_tolerance_ppm ||
      !alike(traffic_of_wave(first, middle), traffic_of_wave(middle, last), traffic_tolerance_ppm))
    return false;
  const Cycles cycles(cycles_of_wave(first, last));
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  return skip({first.moment, last.moment, cycles, wave_ctas_, spread_ppm, any}, now, limit);
}

}  // namespace gpusim::machine
