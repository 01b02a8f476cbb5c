// bandwidth and stride: loads that hit L1.
#include <algorithm>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

std::string lack_l1(const Profile& profile, const Values&) { return profile.l1 ? "" : "it has no L1"; }

Buffer row_of(std::int64_t elements, DType dtype) {
  return {"data", 1, elements, elements, dtype, Placement::linear, 0};
}

Quantities measure_bandwidth(const Bench& bench, Values& values) {
  constexpr DType dtype = DType::fp64;
  constexpr std::int64_t measured_bytes = std::int64_t{256} << 10;  ///< by each SM
  schedules::AccessLoop loop;
  loop.warps = bench.warps_of_largest_cta();
  const std::int64_t wide = std::int64_t{loop.warps} * lanes_per_warp;  ///< elements that one load of all warps reads
  const std::int64_t loads = std::max<std::int64_t>(values.bytes("footprint") / (wide * size_of(dtype)), 1);
  loop.unroll = loads % 4 == 0 ? 4 : 1;
  const std::int64_t trips_a_round = loads / loop.unroll;
  loop.buffer = row_of(loads * wide, dtype);
  loop.column = along(Coordinate::loop0, loop.unroll * wide, 1, trips_a_round) +
                along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane);
  loop.column_step = wide;
  const std::int64_t round_bytes = loads * wide * size_of(dtype);
  loop.warm_trips = trips_a_round;
  loop.trips = trips_a_round * std::max<std::int64_t>(1, measured_bytes / round_bytes);
  loop.ctas = values.is_automatic("sms") ? bench.sms() : values.number("sms");
  if (loop.ctas > bench.sms()) refuse("sms", "the GPU has " + std::to_string(bench.sms()));
  values.resolve("sms", std::to_string(loop.ctas));
  const double cycles = bench.cycles_per_trip(schedules::access_loop, loop, L2State::warm);
  const double per_sm = static_cast<double>(loop.unroll * wide * size_of(dtype)) / cycles;
  return {{"per_sm", per_sm, "B/clk"}, {"bandwidth", bench.gb_per_s(per_sm * static_cast<double>(loop.ctas)), "GB/s"}};
}

Quantities measure_stride(const Bench& bench, Values& values) {
  const DType dtype = values.is("type", "fp64") ? DType::fp64 : DType::fp32;
  const std::int64_t stride = values.number("stride");
  const std::int64_t line = line_bytes / size_of(dtype);
  // Each load begins at a line of its own, for the tags' banks are hashed.
  constexpr std::int64_t begins = 32;
  schedules::AccessLoop loop;
  loop.warps = bench.warps_of_largest_cta();
  loop.unroll = 8;
  loop.warm_trips = begins;
  loop.trips = 2 * begins;  // the end of a shorter loop is not like that of a longer one
  loop.column =
      along(Coordinate::lane, stride) + along(Coordinate::warp, line) + along(Coordinate::loop0, line, 1, begins);
  loop.column_step = 5 * line;
  loop.buffer = row_of((loop.warps + 5 * loop.unroll + begins) * line + lanes_per_warp * stride, dtype);
  const double cycles = bench.cycles_per_trip(schedules::access_loop, loop, L2State::warm);
  const double per_load = cycles / static_cast<double>(loop.unroll * loop.warps);
  return {{"cycles_per_load", per_load, "cycles"},
          {"per_sm", static_cast<double>(lanes_per_warp * size_of(dtype)) / per_load, "B/clk"}};
}

Curve bandwidth_curve(const Profile& profile, const Curve&) {
  Curve curve;
  const std::int64_t most = profile.l1 ? profile.l1->capacity.value_or(Bytes(std::int64_t{256} << 10)).count() : 0;
  for (std::int64_t bytes = std::int64_t{16} << 10; bytes <= 2 * most; bytes *= 2)
    curve["footprint"].push_back(size_text(bytes));
  return curve;
}

Curve stride_curve(const Profile&, const Curve&) {
  Curve curve;
  for (const int stride : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32})
    curve["stride"].push_back(std::to_string(stride));
  return curve;
}

}  // namespace

Kind bandwidth_kind() {
  return {"bandwidth",
          "8-byte loads of a footprint that all SMs read again and again",
          "te42kyfo/gpu-benches gpu-cache",
          {size("footprint", "bytes that each SM reads, the same for all", "64KiB", 1024, 0x1p30),
           number("sms", "SMs that read; auto: all", "auto", 1, 4096)},
          {{"per_sm", "B/clk"}, {"bandwidth", "GB/s"}},
          lack_l1,
          measure_bandwidth,
          bandwidth_curve};
}

Kind stride_kind() {
  return {
      "stride",
      "loads that hit L1, lanes a stride apart, from all sub-partitions of an SM",
      "te42kyfo/gpu-benches gpu-strides",
      {number("stride", "elements from lane to lane", "1", 0, 64), word("type", "of the elements", {"fp32", "fp64"})},
      {{"cycles_per_load", "cycles"}, {"per_sm", "B/clk"}},
      lack_l1,
      measure_stride,
      stride_curve};
}

}  // namespace gpusim::probe
