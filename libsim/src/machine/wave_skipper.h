// Skips CTAs: when two full machines' worth of equal CTAs have come and gone in the same time with the same traffic,
// the dispatcher goes on some machines' worth later. So it does when CTAs are out of step, and shorter windows in
// which as many came as went were alike.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "machine/simulation.h"
#include "machine/skipped_whole.h"
#include "machine/strided_borders.h"

namespace gpusim::machine {

class WaveSkipper {
 public:
  explicit WaveSkipper(Simulation& simulation);

  void note(const CtaExit& exit);
  /// As TileSkipper's.
  Cycle look(Cycle now, Cycle limit);
  /// All CTAs have come to their end.
  void finish();

 private:
  static constexpr std::int64_t many_tiles = 64;  ///< of a CTA, beside which its beginning and end are little

  /// As many CTAs as the machine holds, in the order in which they were handed out.
  struct Wave {
    std::int64_t ctas = 0;                                          ///< that have ended
    std::int64_t ends = 0;                                          ///< sum of their last cycles
    std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< of those
    std::int64_t last = 0;
  };
  /// When a wave was over.
  struct Moment {
    std::int64_t done = 0;  ///< CTAs
    Counts counts;
  };
  /// The same, while CTAs come and go at all times.
  struct FlowMoment {
    Cycle at;  ///< with what was skipped
    Moment moment;
  };
  /// Of a CTA.
  struct Tiles {
    std::int64_t all = 0;
    std::int64_t late = 0;  ///< in the last halves of its loops
  };
  /// What a skip goes by.
  struct Seen {
    const Moment& from;
    const Moment& to;
    Cycles cycles;  ///< so many CTAs took them
    std::int64_t ctas = 0;
    std::int64_t spread_ppm = 0;
    std::int64_t most_waves = 0;  ///< that it may stand for
  };
  [[nodiscard]] Cycles duration(std::size_t last, std::size_t waves) const;
  [[nodiscard]] Share share_of(std::int64_t ctas, const Moment& from, const Moment& to) const;
  [[nodiscard]] bool is_spread(std::size_t wave) const;
  [[nodiscard]] bool windows_agree(std::size_t last, std::size_t window) const;
  [[nodiscard]] std::int64_t most_waves(std::size_t last, std::size_t window) const;
  bool skip_like_windows(std::size_t last, std::size_t window, Cycle now, Cycle limit);
  bool skip(const Seen& seen, Cycle now, Cycle limit);
  // Where CTAs are out of step (wave_skipper_flow.cpp)
  [[nodiscard]] static std::int64_t tiles_between(const FlowMoment& from, const FlowMoment& to);
  [[nodiscard]] bool is_end_of_window(std::int64_t tiles_of_cta) const;
  bool look_at_flow(Cycle now, Cycle limit);
  [[nodiscard]] std::int64_t equal_ctas() const;
  [[nodiscard]] std::int64_t instructions(std::size_t role, std::int64_t ctas) const;
  [[nodiscard]] Tiles tiles_of_cta() const;

  Simulation& run_;
  std::int64_t wave_ctas_ = 0;
  StridedBorders borders_;  ///< CTAs from which on less is asked for
  SkippedWhole whole_;
  std::int64_t ctas_skipped_ = 0;
  std::int64_t ctas_skipped_before_ = 0;  ///< the last skip, of which those that were resident then have no part
  std::int64_t jumped_to_ = 0;            ///< the first CTA after it
  Cycles passed_;                         ///< by skipping waves
  std::vector<Wave> waves_;
  std::vector<Moment> moments_;
  std::vector<FlowMoment> flow_;
  std::size_t measured_from_ = 0;  ///< the first wave whose duration says something
};

}  // namespace gpusim::machine
