// What the fabric needs to know of the profile, with rates in SM cycles and latencies split. Built by
// machine/configure.h.
#pragma once

#include <cstdint>

#include "fabric/dram_channel.h"
#include "fabric/topology.h"
#include "gpusim/units.h"
#include "messages.h"

namespace gpusim::fabric {

/// Data through a shared port, each way.
struct PortRates {
  Rate read = Rate::unlimited();   ///< towards the SMs
  Rate write = Rate::unlimited();  ///< from them
};

/// Clusters of CTAs: shared memory of other SMs, and the barrier. Latencies less the crossing of the message that asks.
struct ClusterConfig {
  Cycles tpc;
  Cycles cpc;
  Cycles gpc;
  Rate read_rate;   ///< bytes, out of one SM's shared memory
  Rate write_rate;  ///< bytes, into it
  Cycles barrier;
  Cycles relaxed_barrier;
};

struct FabricConfig {
  Topology topology;
  BorderLatency border;
  Bytes request_bytes;  ///< of a line's request
  PortRates tpc;
  PortRates cpc;
  PortRates gpc;
  std::int64_t coalescer_lines = 0;  ///< of a GPC's L2 request coalescer
  std::int64_t coalescer_reads = 1;  ///< that it answers with one

  bool has_l2 = true;
  Limited<Bytes> l2_capacity;
  std::int64_t l2_ways = 16;
  std::int64_t slices = 1;                    ///< without L2: one a channel
  std::int64_t fetch_bytes = 32;              ///< of a line, that come from DRAM together: 32, 64 or 128
  std::int64_t stripe_lines = 0;              ///< dealt to a slice at a time; 0: see AddressMap
  Rate slice_rate;                            ///< bytes
  Rate slice_write_rate = Rate::unlimited();  ///< of these, written ones
  std::int64_t slice_request_bytes = 0;       ///< of slice_rate, that a line takes at least
  Cycles l2_hit;                              ///< at the slice, on a hit
  Cycles l2_miss;                             ///< at the slice, before the request goes on to DRAM
  Cycles l2_far;                              ///< to the other partition and back
  Rate link_rate;                             ///< bytes between partitions, each way
  Rate atomic_rate;                           ///< sectors, of a slice
  Cycles atomic_latency;                      ///< of one that returns a value, beyond a load's

  std::int64_t channels = 1;
  DramConfig dram;

  ClusterConfig cluster;

  Rate dispatch_rate;       ///< CTAs
  bool descending = false;  ///< the first CTA goes to the last SM
};

}  // namespace gpusim::fabric
