// What was skipped by whole CTAs, or by whole work items of persistent ones: in the end they asked for as much as the
// others, whatever was under way in the stretch that stood for them.
#pragma once

#include <cstdint>

#include "machine/simulation.h"

namespace gpusim::machine {

struct SkippedWhole {
  Ledger grown;            ///< by it
  std::int64_t tiles = 0;  ///< of k
  std::int64_t instructions = 0;

  /// What there is of it, of as much as was simulated.
  struct Shares {
    Share items;  ///< of CTAs where they walk none
    Share ctas;
  };
  /// At the end of a kernel that was not cut off.
  void put_right(const Simulation& run, const Shares& shares) const;
};

}  // namespace gpusim::machine
