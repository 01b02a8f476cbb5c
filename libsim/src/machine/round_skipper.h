// Skips rounds of persistent CTAs: when some rounds have taken as long as those before them, with the same traffic, all
// CTAs go on some work items later.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/simulation.h"
#include "machine/skipped_whole.h"

namespace gpusim::machine {

class RoundSkipper {
 public:
  explicit RoundSkipper(Simulation& simulation);

  /// As TileSkipper's.
  Cycle look(Cycle now, Cycle limit);
  /// The kernel has ended: what was skipped is put right.
  void finish();

 private:
  /// When as many k tiles were done as make so many rounds.
  struct Moment {
    Cycle at;  ///< with what was skipped before
    Counts counts;
  };
  /// The last moment and those one and two windows before it.
  struct Windows {
    std::int64_t rounds;  ///< of a window
    const Moment& from;
    const Moment& middle;
    const Moment& to;
  };
  [[nodiscard]] std::int64_t k_tiles_of_all_items() const;
  [[nodiscard]] Windows last_windows(std::size_t rounds) const;
  [[nodiscard]] std::int64_t cycles_of_round(const Moment& from, const Moment& to) const;
  [[nodiscard]] bool is_of_whole_rounds(const Moment& from, const Moment& to) const;
  [[nodiscard]] bool agree(const Windows& windows) const;
  bool skip(const Windows& windows, Cycle now, Cycle limit);
  [[nodiscard]] std::int64_t rounds_to_skip(std::int64_t window) const;
  [[nodiscard]] std::int64_t instructions_of_round(const sm::Code& code) const;

  Simulation& run_;
  std::optional<sm::TileLoops> loops_;
  std::int64_t k_tiles_ = 0;       ///< of an item; 0: rounds are not alike
  std::int64_t round_ = 0;         ///< k tiles of all CTAs' items
  std::int64_t instructions_ = 0;  ///< of all warps in a round
  SkippedWhole whole_;
  std::int64_t rounds_ = 0;      ///< simulated and skipped, when the last moment was
  std::vector<Moment> moments_;  ///< a round apart, since the last skip
};

}  // namespace gpusim::machine
