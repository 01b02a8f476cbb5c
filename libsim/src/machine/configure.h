// From a Profile to what SMs and fabric need: rates in SM cycles at a clock, end-to-end latencies split over the hops.
#pragma once

#include <cstdint>

#include "fabric/config.h"
#include "gpusim/profile.h"
#include "sm/config.h"

namespace gpusim::machine {

/// The smallest latency of a message, each way.
struct Crossing {
  Cycles to_fabric;
  Cycles to_sms;
};

struct Configuration {
  sm::SmConfig sm;
  fabric::FabricConfig fabric;
  Crossing crossing;
  Crossing cluster_crossing;  ///< the same with the messages of clusters
};

/// The machine of `profile` with an SM clock of `clock_mhz`.
[[nodiscard]] Configuration configure(const Profile& profile, std::int64_t clock_mhz);

}  // namespace gpusim::machine
