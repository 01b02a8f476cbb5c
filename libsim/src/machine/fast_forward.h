// Fast-forward: what repeats is skipped, and the Result says how much.
//
// A run is looked at in moments that follow from the model alone, before which everything has happened on both sides:
// so what is skipped depends neither on the length of turns nor on observers. Simulated time goes on without a gap;
// what was skipped is an offset to what is reported.
#pragma once

#include <cstdint>
#include <utility>

#include "machine/round_skipper.h"
#include "machine/simulation.h"
#include "machine/tile_skipper.h"
#include "machine/wave_skipper.h"

namespace gpusim::machine {

class FastForward {
 public:
  /// The kernel begins at `now`.
  FastForward(Simulation simulation, Cycle now)
      : simulation_(std::move(simulation)), tiles_due_(now), waves_due_(now), rounds_due_(now) {}
  FastForward(const FastForward&) = delete;
  FastForward& operator=(const FastForward&) = delete;

  /// When to look next; Cycle::never(): no more.
  [[nodiscard]] Cycle due() const { return std::min({tiles_due_, waves_due_, rounds_due_}); }
  /// At due(), before which all has happened. No skip may pass `limit`.
  void look(Cycle limit);
  void note(const CtaExit& exit) { waves_.note(exit); }
  /// The kernel ends at `now`.
  void finish(Cycle now);

 private:
  Simulation simulation_;
  TileSkipper tiles_{simulation_};
  WaveSkipper waves_{simulation_};
  RoundSkipper rounds_{simulation_};
  Cycle tiles_due_;
  Cycle waves_due_;
  Cycle rounds_due_;
  Cycle looked_;  ///< last
};

/// Kernels of fewer warp instructions are simulated whole: they take some tenths of a second, and of one that is so
/// short what little would be simulated says less of the rest.
inline constexpr std::int64_t fewest_instructions = 1 << 22;

/// Whether a kernel has at least `fewest`.
[[nodiscard]] bool worth_skipping(const Schedule& schedule, std::int64_t fewest);

}  // namespace gpusim::machine
