// Servers: whatever has a rate.
//
// Work is served one after another in the order it is given, each piece from the later of its arrival and the end of
// the one before. The end is kept to the exact fraction of a cycle, so a rate of 7/3 a cycle sustains 7 in 3 cycles for
// ever.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/divisor.h"
#include "gpusim/units.h"

namespace gpusim::core {

/// When a piece of work is served: from within cycle `start` until `end`.
struct Grant {
  Cycle start;
  Cycle end;

  /// Cycles the last part comes after the first: 0 for work that fits one cycle.
  [[nodiscard]] Cycles spread() const { return std::max(end - start - Cycles(1), Cycles(0)); }
};

class Server {
 public:
  Server() : Server(Rate::unlimited()) {}
  explicit Server(Rate rate) : amount_(static_cast<std::uint64_t>(rate.amount())), period_(rate.period()) {}

  [[nodiscard]] Rate rate() const { return period_ == 0 ? Rate::unlimited() : Rate::ratio(amount(), period_); }

  /// Serves `work`, which arrives at `at`.
  Grant take(Cycle at, std::int64_t work) {
    work_ += work;
    if (period_ == 0) return {at, at};
    if (at > whole_) {
      whole_ = at;
      part_ = 0;
    }
    const Cycle start = whole_;
    waited_ += (start - at).count();
    serve(work);
    return {start, part_ == 0 ? whole_ : whole_ + Cycles(1)};
  }

  /// Is busy with so much more behind what it took last, and nobody waits for that.
  void take_behind(std::int64_t work) {
    work_ += work;
    if (period_ != 0) serve(work);
  }

  /// Takes nothing new before `until`.
  void hold(Cycle until) {
    if (period_ == 0 || until <= whole_) return;
    whole_ = until;
    part_ = 0;
  }

  /// The first cycle in which new work would begin; some of that cycle may be gone.
  [[nodiscard]] Cycle free() const { return whole_; }

  [[nodiscard]] std::int64_t work() const { return work_; }
  [[nodiscard]] std::int64_t waited() const { return waited_; }

 private:
  void serve(std::int64_t work) {
    if (amount() == 1) {  // as of most: whole cycles for each piece
      whole_ += Cycles(work * period_);
      return;
    }
    const std::int64_t parts = part_ + work * period_;
    const auto cycles = static_cast<std::int64_t>(amount_.quotient(static_cast<std::uint64_t>(parts)));
    whole_ += Cycles(cycles);
    part_ = parts - cycles * amount();
  }
  [[nodiscard]] std::int64_t amount() const { return static_cast<std::int64_t>(amount_.value()); }

  Divisor amount_;
  std::int64_t period_ = 0;  ///< 0: unlimited
  Cycle whole_;              ///< the work so far ends at whole_ + part_ / amount()
  std::int64_t part_ = 0;
  std::int64_t work_ = 0;
  std::int64_t waited_ = 0;
};

}  // namespace gpusim::core
