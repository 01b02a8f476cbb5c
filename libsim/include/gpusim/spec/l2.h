#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The L2 cache: sliced, sectored (128-byte lines of four 32-byte sectors), write-back.
struct L2Spec {
  Limited<Bytes> capacity;
  std::int64_t slices = 1;
  Bytes stripe_bytes;
  Bytes fetch_bytes{32};
  std::int64_t ways = 16;
  Rate slice_bytes_per_clk;
  Rate slice_write_bytes_per_clk = Rate::unlimited();
  Bytes slice_request_bytes;
  std::int64_t clock_mhz = 0;
  Cycles latency;
  std::int64_t partitions = 1;
  Cycles far_latency;
  Rate partition_bytes_per_clk = Rate::unlimited();
  Rate miss_bytes_per_clk = Rate::unlimited();
  Rate atomics_per_clk = Rate::unlimited();
  Cycles atomic_latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "Data capacity of all slices.", "bytes", 128}, &L2Spec::capacity);
    visit(Field{"slices", "Slices; consecutive lines go to different ones, or consecutive stripes.", "", 1, 4096},
          &L2Spec::slices);
    visit(Field{"stripe_bytes",
                "Memory is dealt to slices in stripes of so many bytes, in rounds, so that rows of a matrix a power of "
                "two apart share rows of DRAM; 0: lines are dealt at random, as many of each block to each slice.",
                "bytes", 0, 2048},
          &L2Spec::stripe_bytes);
    visit(Field{"fetch_bytes",
                "What comes from DRAM together: the sectors of a line that were asked for, in pieces of so many bytes, "
                "32, 64 or 128.",
                "bytes", 32, 128},
          &L2Spec::fetch_bytes);
    visit(Field{"ways", "Associativity.", "", 1, 1024}, &L2Spec::ways);
    visit(Field{"slice_bytes_per_clk", "Bandwidth of one slice, per clock of `clock_mhz`.", "B/clk"},
          &L2Spec::slice_bytes_per_clk);
    visit(Field{"slice_write_bytes_per_clk", "Of them, bytes that can be written, per clock of `clock_mhz`.", "B/clk"},
          &L2Spec::slice_write_bytes_per_clk);
    visit(Field{"slice_request_bytes", "What a request for one line takes of a slice's bandwidth at least.", "bytes", 0,
                128},
          &L2Spec::slice_request_bytes);
    visit(
        Field{"clock_mhz", "Clock of the slices, whatever the SMs'; 0: they run with the SMs.", "MHz", 0, fastest_mhz},
        &L2Spec::clock_mhz);
    visit(Field{"latency", "Load to use on a hit in the SM's own partition, as the warp sees it.", "cycles", 2,
                1'000'000},
          &L2Spec::latency);
    visit(Field{"partitions", "Halves of L2. With 2, lines homed in the other one are kept in the SM's own as well.",
                "", 1, 2},
          &L2Spec::partitions);
    visit(Field{"far_latency", "What a hit in the other partition takes beyond one in the SM's own.", "cycles", 0,
                1'000'000},
          &L2Spec::far_latency);
    visit(Field{"partition_bytes_per_clk", "Data that crosses between the partitions, each way.", "B/clk"},
          &L2Spec::partition_bytes_per_clk);
    visit(Field{"miss_bytes_per_clk", "Data all slices exchange with DRAM.", "B/clk"}, &L2Spec::miss_bytes_per_clk);
    visit(Field{"atomics_per_clk", "Sectors with atomics that one slice works on.", "sectors/clk"},
          &L2Spec::atomics_per_clk);
    visit(Field{"atomic_latency", "What an atomic that returns a value takes beyond a load that hits.", "cycles", 0,
                100'000},
          &L2Spec::atomic_latency);
  }
};

/// A slice's rate per cycle of an SM clock of `sm_mhz`.
[[nodiscard]] constexpr Rate at_sm_clock(const L2Spec& l2, Rate of_slice, std::int64_t sm_mhz) {
  return l2.clock_mhz == 0 ? of_slice : of_slice * l2.clock_mhz / sm_mhz;
}
/// Bytes of one slice per cycle of an SM clock of `sm_mhz`.
[[nodiscard]] constexpr Rate slice_rate(const L2Spec& l2, std::int64_t sm_mhz) {
  return at_sm_clock(l2, l2.slice_bytes_per_clk, sm_mhz);
}
/// Of them, bytes that can be written.
[[nodiscard]] constexpr Rate slice_write_rate(const L2Spec& l2, std::int64_t sm_mhz) {
  return at_sm_clock(l2, l2.slice_write_bytes_per_clk, sm_mhz);
}

}  // namespace gpusim
