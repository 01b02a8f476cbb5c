#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The L2 cache: sliced, sectored (128-byte lines of four 32-byte sectors), write-back.
struct L2Spec {
  Limited<Bytes> capacity;
  std::int64_t slices = 1;
  std::int64_t ways = 16;
  Rate slice_bytes_per_clk;
  Cycles latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "Data capacity of all slices.", "bytes", 128}, &L2Spec::capacity);
    visit(Field{"slices", "Slices; consecutive lines go to different ones.", "", 1, 4096}, &L2Spec::slices);
    visit(Field{"ways", "Associativity.", "", 1, 1024}, &L2Spec::ways);
    visit(Field{"slice_bytes_per_clk", "Bandwidth of one slice, per SM clock.", "B/clk"}, &L2Spec::slice_bytes_per_clk);
    visit(Field{"latency", "Load to use on a hit, as the warp sees it.", "cycles", 2, 1'000'000}, &L2Spec::latency);
  }
};

}  // namespace gpusim
