// The barrier over all CTAs of a grid: each is counted by an atomic and then polls, one load after another, until it
// finds that all have been counted. Which poll that is follows from the loads' latency; none of them is an event.
#pragma once

#include <cstdint>
#include <deque>
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
    std::int64_t round = 0;    ///< grid barriers that the CTA has come to before
  };
  /// A kernel of so many CTAs begins.
  void begin(std::int64_t ctas) {
    ctas_ = ctas;
    first_ = 0;
    rounds_.clear();
  }
  /// Counts a CTA; true when it was the last one of its round. Rounds are full one after another: whoever has come to
  /// one has come to those before.
  bool count(const Arrival& arrival) {
    const auto at = static_cast<std::size_t>(arrival.round - first_);
    if (at >= rounds_.size()) rounds_.resize(at + 1);
    rounds_[at].push_back(arrival);
    return static_cast<std::int64_t>(rounds_[at].size()) == ctas_;
  }

  struct Release {
    std::int32_t sm = 0;
    std::uint32_t handle = 0;
    Cycle at;  ///< the poll's answer is at the SM
  };
  /// All of the first round have been counted: when each that waits knows. The next round is the first then.
  std::vector<Release> release();

 private:
  std::int64_t ctas_ = 0;
  std::int64_t first_ = 0;  ///< round that is not full yet
  std::deque<std::vector<Arrival>> rounds_;
};

}  // namespace gpusim::fabric
