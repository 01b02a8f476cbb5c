#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Device memory.
struct DramSpec {
  Limited<Bytes> capacity;
  std::int64_t channels = 1;
  Rate bandwidth_gb_per_s;
  Cycles latency;
  std::int64_t latency_clock_mhz = 0;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "Device memory.", "bytes", 1, std::int64_t{1} << 50}, &DramSpec::capacity);
    visit(Field{"channels", "Independent channels; lines are spread over them with the slices.", "", 1, 4096},
          &DramSpec::channels);
    visit(Field{"bandwidth_gb_per_s", "Peak bandwidth of all channels.", "GB/s"}, &DramSpec::bandwidth_gb_per_s);
    visit(Field{"latency", "Load to use, as the warp sees it.", "cycles", 2, 1'000'000}, &DramSpec::latency);
    visit(
        Field{"latency_clock_mhz",
              "SM clock at which `latency` was measured; what DRAM adds to L2's latency keeps its nanoseconds at other "
              "clocks. 0: keeps its cycles.",
              "MHz", 0, 100'000},
        &DramSpec::latency_clock_mhz);
  }
};

}  // namespace gpusim
