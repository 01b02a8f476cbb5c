// The barrier over all CTAs of a grid: each is counted by an atomic and then polls, one load after another, until it
// finds that all have been counted. Which poll that is follows from the loads' latency; none of them is an event.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/memory_side.h"
#include "gpusim/units.h"

namespace gpusim::fabric {

class GridBarrier {
 public:
  struct Arrival {
    std::int32_t sm = 0;
    std::uint32_t handle = 0;  ///< of the request that counts it
    Cycle counted;             ///< in L2
    Cycle polls_from;          ///< the SM knows that it has been counted
    MemorySide::Way way;       ///< of a poll
    bool waits = true;         ///< for all the others, too
  };
  /// A kernel of so many CTAs begins.
  void begin(std::int64_t ctas) {
    ctas_ = ctas;
    arrivals_.clear();
  }
  /// Counts a CTA; true when it was the last one.
  bool count(const Arrival& arrival) {
    arrivals_.push_back(arrival);
    return static_cast<std::int64_t>(arrivals_.size()) == ctas_;
  }

  struct Release {
    std::int32_t sm = 0;
    std::uint32_t handle = 0;
    Cycle at;  ///< the poll's answer is at the SM
  };
  /// All have been counted: when each that waits knows. The barrier begins anew.
  std::vector<Release> release();

 private:
  std::int64_t ctas_ = 0;
  std::vector<Arrival> arrivals_;
};

}  // namespace gpusim::fabric
