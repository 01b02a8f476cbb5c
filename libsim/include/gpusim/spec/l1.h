#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The L1 data cache: 128-byte lines of four 32-byte sectors; it has what shared memory leaves of `capacity`.
struct L1Spec {
  Limited<Bytes> capacity;
  std::int64_t ways = 4;
  Cycles latency;
  Rate bytes_per_clk;
  Rate tags_per_clk;
  Limited<std::int64_t> miss_lines;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "L1 and shared memory together, per SM.", "bytes", 128}, &L1Spec::capacity);
    visit(Field{"ways", "Associativity.", "", 1, 1024}, &L1Spec::ways);
    visit(Field{"latency", "Load to use on a hit.", "cycles", 0, 100'000}, &L1Spec::latency);
    visit(Field{"bytes_per_clk", "Bandwidth of hits per SM.", "B/clk"}, &L1Spec::bytes_per_clk);
    visit(Field{"tags_per_clk", "Lines looked up per SM.", "lines/clk"}, &L1Spec::tags_per_clk);
    visit(Field{"miss_lines", "Lines an SM may have outstanding beyond it (MSHRs) for loads, stores and cp.async.", "",
                16},
          &L1Spec::miss_lines);
  }
};

}  // namespace gpusim
