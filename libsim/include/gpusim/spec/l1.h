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
  Limited<std::int64_t> tag_banks;
  Limited<std::int64_t> miss_lines;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "L1 and shared memory together, per SM.", "bytes", 128}, &L1Spec::capacity);
    visit(Field{"ways", "Associativity.", "", 1, 1024}, &L1Spec::ways);
    visit(Field{"latency", "Load to use on a hit.", "cycles", 0, 100'000}, &L1Spec::latency);
    visit(Field{"bytes_per_clk", "Most bytes of hits per SM; bank conflicts and tags may take longer.", "B/clk"},
          &L1Spec::bytes_per_clk);
    visit(Field{"tag_banks", "Banks of the tags, hashed by line; each looks up one line a clock.", "", 1, 32},
          &L1Spec::tag_banks);
    visit(Field{"miss_lines", "Lines an SM may have outstanding beyond it (MSHRs) for loads, stores and cp.async.", "",
                16},
          &L1Spec::miss_lines);
  }
};

}  // namespace gpusim
