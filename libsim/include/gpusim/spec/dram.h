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
  std::int64_t ecc_percent = 0;
  Cycles latency;
  std::int64_t latency_clock_mhz = 0;
  std::int64_t banks = 1;
  std::int64_t interleaved_groups = 4;
  Bytes row_bytes{1024};
  std::int64_t row_miss_ns = 0;
  std::int64_t row_cycle_ns = 0;
  std::int64_t activate_ps = 0;
  std::int64_t column_percent = 100;
  std::int64_t turnaround_ns = 0;
  std::int64_t write_batch = 1;
  std::int64_t refresh_ns = 0;
  std::int64_t refresh_interval_ns = 0;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"capacity", "Device memory.", "bytes", 1, std::int64_t{1} << 50}, &DramSpec::capacity);
    visit(Field{"channels", "Independent channels; lines are spread over them with the slices.", "", 1, 4096},
          &DramSpec::channels);
    visit(Field{"bandwidth_gb_per_s", "Peak bandwidth of all channels.", "GB/s"}, &DramSpec::bandwidth_gb_per_s);
    visit(Field{"ecc_percent",
                "Check bytes that cross the bus with the data where ECC is stored in line, of the data's; those of "
                "written data "
                "cross it twice. 0: none.",
                "percent", 0, 100},
          &DramSpec::ecc_percent);
    visit(Field{"latency",
                "Load to use through the SM's own L2 partition from a bank with another row open, as the warp sees it.",
                "cycles", 2, 1'000'000},
          &DramSpec::latency);
    visit(
        Field{"latency_clock_mhz",
              "SM clock at which `latency` was measured; what DRAM adds to L2's latency keeps its nanoseconds at other "
              "clocks. 0: keeps its cycles.",
              "MHz", 0, fastest_mhz},
        &DramSpec::latency_clock_mhz);
    visit(Field{"banks", "Banks of a channel, each with one open row.", "", 1, 1024}, &DramSpec::banks);
    visit(
        Field{
            "interleaved_groups",
            "Bank groups, of four, over which neighbouring lines of a channel alternate until their rows are full: 1, "
            "2 or 4. Fewer than 4 only of banks that make four groups.",
            "", 1, 4},
        &DramSpec::interleaved_groups);
    visit(Field{"row_bytes", "What an open row holds.", "bytes", 128, 1 << 20}, &DramSpec::row_bytes);
    visit(Field{"row_miss_ns", "Closing a row and opening another (tRP + tRCD); a hit is that much quicker.", "ns", 0,
                1000},
          &DramSpec::row_miss_ns);
    visit(Field{"row_cycle_ns", "Least time from opening a row of a bank to opening the next (tRC).", "ns", 0, 1000},
          &DramSpec::row_cycle_ns);
    visit(
        Field{"activate_ps", "Least time from opening a row of a channel to opening one of any bank (tRRD, tFAW / 4).",
              "ps", 0, 1'000'000},
        &DramSpec::activate_ps);
    visit(Field{"column_percent",
                "From one line of a bank to its next, of a line's time on the bus (tCCD_L / tCCD_S); other banks fill "
                "the bus between.",
                "percent", 100, 1000},
          &DramSpec::column_percent);
    visit(Field{"turnaround_ns", "What a channel's bus loses from reads to writes and back, together.", "ns", 0, 1000},
          &DramSpec::turnaround_ns);
    visit(Field{"write_batch", "Lines a channel collects before it turns from reads to writes.", "lines", 1, 4096},
          &DramSpec::write_batch);
    visit(Field{"refresh_ns", "Time a refresh takes of a channel's bus.", "ns", 0, 100'000}, &DramSpec::refresh_ns);
    visit(Field{"refresh_interval_ns", "From one refresh to the next; 0: none.", "ns", 0, 1'000'000},
          &DramSpec::refresh_interval_ns);
  }
};

}  // namespace gpusim
