// One mbarrier slot while it is executed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/layout.h"
#include "gpusim/program.h"

namespace gpusim::functional {

/// A bulk copy on its way, as it was issued.
struct PendingCopy {
  const BulkCopy* copy = nullptr;
  Coordinates at{};
};

/// A phase completes when all arrivals and exactly the expected bytes are there; its copies land at that moment, as
/// late as the machine may let them.
class Mbarrier {
 public:
  explicit Mbarrier(int arrivals) : arrivals_(arrivals) {}

  [[nodiscard]] bool complete(std::int64_t phase) const { return phase < phase_; }
  void arrive(std::int64_t expected) {
    ++arrived_;
    expected_ += expected;
  }
  void add(PendingCopy copy, std::int64_t bytes) {
    copies_.push_back(copy);
    coming_ += bytes;
  }
  /// Ends the phase if it is complete, and gives the copies that land; call after arrive() and add().
  [[nodiscard]] std::vector<PendingCopy> finish_phase() {
    if (arrived_ < arrivals_ || coming_ != expected_) return {};
    ++phase_;
    arrived_ = 0;
    expected_ = 0;
    coming_ = 0;
    return std::exchange(copies_, {});
  }
  /// "phase 3 has 0 of 1 arrivals and 0 of 4096 bytes"
  [[nodiscard]] std::string state() const {
    return "phase " + std::to_string(phase_) + " has " + std::to_string(arrived_) + " of " + std::to_string(arrivals_) +
           " arrivals and " + std::to_string(coming_) + " of " + std::to_string(expected_) + " bytes";
  }

 private:
  int arrivals_;
  int arrived_ = 0;
  std::int64_t expected_ = 0;
  std::int64_t coming_ = 0;
  std::int64_t phase_ = 0;  ///< the current one
  std::vector<PendingCopy> copies_;
};

}  // namespace gpusim::functional
