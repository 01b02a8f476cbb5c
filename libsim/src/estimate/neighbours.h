// The rest of CTA 0's cluster, which runs the same programs and is always as far as CTA 0.
//
// Of what the others do only that counts which reaches CTA 0: parts of multicast copies, and arrivals at its mbarriers.
// An operation that CTA 0 itself skips reaches nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// Arrivals at one slot of CTA 0.
struct Arrival {
  std::int64_t slot = 0;
  bool from_peer = false;
};

class Neighbours {
 public:
  explicit Neighbours(const Schedule& schedule);

  /// How many CTAs bring CTA 0 a copy each by executing this one, itself included.
  [[nodiscard]] std::int64_t bringing(const Operation& operation, const BulkCopy& copy, const Coordinates& at) const;
  /// Arrivals at CTA 0's mbarriers when every CTA of the cluster executes this.
  [[nodiscard]] std::vector<Arrival> arriving(const Operation& operation, const BarrierArrive& arrive,
                                              const Coordinates& at) const;

 private:
  struct Place {
    std::int64_t m = 0;  ///< from CTA 0
    std::int64_t n = 0;
  };
  [[nodiscard]] static Coordinates moved(const Coordinates& at, const Place& place);
  [[nodiscard]] static bool reaches(Multicast multicast, const Place& place);

  std::int64_t cluster_;
  std::vector<Place> places_;  ///< by rank; 0 is CTA 0
};

}  // namespace gpusim::estimate
