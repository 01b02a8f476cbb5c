// One mbarrier slot: counts the arrivals and bytes of its current phase.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/path.h"

namespace gpusim::estimate {

class PhaseCounter {
 public:
  explicit PhaseCounter(int arrivals) : arrivals_(arrivals), missing_(arrivals) {}

  /// Counts arrivals that expect `bytes` more. The warps to wake when this completes the phase.
  [[nodiscard]] std::vector<int> arrive(std::int64_t arrivals, std::int64_t bytes, const Path& at);
  /// Counts bytes that came. The warps to wake when this completes the phase.
  [[nodiscard]] std::vector<int> deliver(std::int64_t bytes, const Path& at);

  [[nodiscard]] bool complete(std::int64_t phase) const { return phase < phase_; }
  /// Completion of phase number `phase`, if it was the last.
  [[nodiscard]] const Path* completion(std::int64_t phase) const {
    return phase == phase_ - 1 ? &completion_ : nullptr;
  }
  void wait(int warp, std::int64_t phase) { waiting_.push_back({warp, phase}); }

 private:
  struct Waiter {
    int warp = 0;
    std::int64_t phase = 0;
  };
  [[nodiscard]] std::vector<int> finish(const Path& at);

  int arrivals_;
  std::int64_t missing_;
  std::int64_t bytes_ = 0;  ///< expected and not yet come
  std::int64_t phase_ = 0;  ///< the current one
  Path completion_;         ///< of the phase before
  std::vector<Waiter> waiting_;
};

}  // namespace gpusim::estimate
