#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Clusters: CTAs of one GPC that read each other's shared memory (distributed shared memory, DSM).
struct ClusterSpec {
  std::int64_t ctas = 8;
  Cycles own_latency;
  Cycles tpc_latency{2};
  Cycles cpc_latency{2};
  Cycles gpc_latency{2};
  Rate read_bytes_per_clk = Rate::unlimited();
  Rate write_bytes_per_clk = Rate::unlimited();
  Cycles barrier_latency{2};
  Cycles relaxed_barrier_latency{2};

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"ctas", "Most CTAs of a cluster.", "CTAs", 1, 256}, &ClusterSpec::ctas);
    visit(Field{"own_latency", "Load to use of the SM's own shared memory through the cluster window.", "cycles", 0,
                100'000},
          &ClusterSpec::own_latency);
    visit(Field{"tpc_latency", "Load to use from the other SM of the TPC.", "cycles", 2, 100'000},
          &ClusterSpec::tpc_latency);
    visit(Field{"cpc_latency", "Load to use from an SM of the same CPC.", "cycles", 2, 100'000},
          &ClusterSpec::cpc_latency);
    visit(Field{"gpc_latency", "Load to use from an SM elsewhere in the GPC.", "cycles", 2, 100'000},
          &ClusterSpec::gpc_latency);
    visit(Field{"read_bytes_per_clk", "Data an SM's shared memory gives to others.", "B/clk"},
          &ClusterSpec::read_bytes_per_clk);
    visit(Field{"write_bytes_per_clk", "Data it takes from others.", "B/clk"}, &ClusterSpec::write_bytes_per_clk);
    visit(Field{"barrier_latency", "barrier.cluster: last arrival to release, memory ordered.", "cycles", 2, 100'000},
          &ClusterSpec::barrier_latency);
    visit(Field{"relaxed_barrier_latency", "The same with a relaxed arrive.", "cycles", 2, 100'000},
          &ClusterSpec::relaxed_barrier_latency);
  }
};

}  // namespace gpusim
