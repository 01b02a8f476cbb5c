// Skips CTAs: when two full machines' worth of equal CTAs have come and gone in the same time with the same traffic,
// the dispatcher goes on some machines' worth later.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/simulation.h"

namespace gpusim::machine {

class WaveSkipper {
 public:
  explicit WaveSkipper(Simulation& simulation);

  void note(const CtaExit& exit);
  /// As TileSkipper's.
  Cycle look(Cycle now, Cycle limit);

 private:
  /// As many CTAs as the machine holds, in the order in which they were handed out.
  struct Wave {
    std::int64_t ctas = 0;  ///< that have ended
    std::int64_t ends = 0;  ///< sum of their last cycles
  };
  /// When a wave was over.
  struct Moment {
    std::int64_t done = 0;  ///< CTAs
    Counts counts;
  };
  [[nodiscard]] Cycles duration(std::size_t last, std::size_t waves) const;
  [[nodiscard]] Share share_of(std::int64_t ctas, const Moment& from, const Moment& to) const;
  [[nodiscard]] bool windows_agree(std::size_t last, std::size_t window) const;
  [[nodiscard]] std::int64_t most_waves(std::size_t last, std::size_t window) const;
  bool skip(std::size_t last, std::size_t window, Cycle now, Cycle limit);
  [[nodiscard]] std::int64_t equal_ctas() const;
  [[nodiscard]] std::int64_t instructions(std::size_t role, std::int64_t ctas) const;
  [[nodiscard]] std::int64_t tiles_of_cta() const;

  Simulation& run_;
  std::int64_t wave_ctas_ = 0;
  std::int64_t ctas_skipped_ = 0;
  std::int64_t ctas_skipped_before_ = 0;  ///< the last skip, of which those that were resident then have no part
  std::int64_t jumped_to_ = 0;            ///< the first CTA after it
  Cycles passed_;                         ///< by skipping waves
  std::vector<Wave> waves_;
  std::vector<Moment> moments_;
  std::size_t measured_from_ = 0;  ///< the first wave whose duration says something
};

}  // namespace gpusim::machine
