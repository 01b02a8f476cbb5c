// Skips rounds of persistent CTAs: when each has done as many work items in the same time with the same traffic as
// before, all go on some items later.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/simulation.h"

namespace gpusim::machine {

class RoundSkipper {
 public:
  explicit RoundSkipper(Simulation& simulation);

  /// As TileSkipper's.
  Cycle look(Cycle now, Cycle limit);

 private:
  /// When as many k tiles were done as make so many rounds.
  struct Moment {
    Cycle at;  ///< with what was skipped before
    Counts counts;
  };
  [[nodiscard]] std::int64_t k_tiles_of_all_items() const;
  [[nodiscard]] std::int64_t cycles_of_round(const Moment& from, const Moment& to) const;
  [[nodiscard]] bool rounds_agree() const;
  bool skip(Cycle now, Cycle limit);
  [[nodiscard]] std::int64_t rounds_to_skip() const;
  [[nodiscard]] std::int64_t instructions_of_round(const sm::Code& code) const;

  Simulation& run_;
  std::optional<sm::TileLoops> loops_;
  std::int64_t k_tiles_ = 0;  ///< of an item; 0: rounds are not alike
  std::int64_t round_ = 0;    ///< k tiles of all CTAs' items
  std::int64_t rounds_ = 0;   ///< simulated and skipped, when the last moment was
  std::vector<Moment> moments_;
};

}  // namespace gpusim::machine
