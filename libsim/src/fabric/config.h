// What the fabric needs to know of the profile, with rates in SM cycles and latencies split. Built by
// machine/configure.h.
#pragma once

#include <cstdint>

#include "gpusim/units.h"
#include "messages.h"

namespace gpusim::fabric {

struct FabricConfig {
  std::int64_t sms = 1;
  BorderLatency border;

  bool has_l2 = true;
  Limited<Bytes> l2_capacity;
  std::int64_t l2_ways = 16;
  std::int64_t slices = 1;  ///< without L2: one a channel
  Rate slice_rate;          ///< bytes
  Cycles l2_hit;            ///< at the slice, on a hit
  Cycles l2_miss;           ///< at the slice, before the request goes on to DRAM

  std::int64_t channels = 1;
  Rate channel_rate;  ///< bytes
  Cycles dram;        ///< at the channel and device

  Rate dispatch_rate;       ///< CTAs
  bool descending = false;  ///< the first CTA goes to the last SM
};

}  // namespace gpusim::fabric
