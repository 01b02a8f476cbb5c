// l2: bandwidth of data that all SMs share, over its size.
#include <algorithm>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

std::string lack_l2(const Profile& profile, const Values&) { return profile.l2 ? "" : "it has no L2"; }

Quantities measure_l2(const Bench& bench, Values& values) {
  constexpr std::int64_t waves = 3;  // of CTAs; after the first, what L2 holds does not change much any more
  schedules::SharedStream stream;
  stream.warps = bench.warps_of_largest_cta();
  const std::int64_t share = std::int64_t{lanes_per_warp} * stream.warps * stream.loads * stream_element_bytes;
  stream.shares = std::max<std::int64_t>(1, (values.bytes("footprint") + share / 2) / share);
  stream.ctas = waves * bench.sms() * occupancy(schedules::shared_stream(stream), bench.profile()).ctas;
  // Of data that L2 cannot hold, what was there at first must not be taken for what a long run finds.
  const std::int64_t footprint = stream.shares * share;
  const bool short_run = stream.ctas * share < 2 * footprint;
  const L2State before = short_run && footprint > bench.l2_bytes() ? L2State::cold : L2State::warm;
  RateMeter meter("LDG");
  const Result result = bench.run({schedules::shared_stream(stream)}, before, &meter);
  const double bytes = meter.while_ctas_follow() * static_cast<double>(lanes_per_warp * stream_element_bytes);
  const KernelResult& kernel = result.kernels.back();
  const double dram = static_cast<double>(kernel.traffic.dram_read_bytes) / static_cast<double>(kernel.cycles.count());
  return {{"bandwidth", bench.gb_per_s(bytes), "GB/s"},
          {"per_sm", bytes / static_cast<double>(bench.sms()), "B/clk"},
          {"dram", bench.gb_per_s(dram), "GB/s"}};
}

/// Quarters of L2's capacity up to half as much again, and twice.
Curve l2_curve(const Profile& profile, const Curve&) {
  Curve curve;
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return {{"footprint", {"2MiB", "4MiB", "8MiB"}}};
  constexpr std::int64_t granule = std::int64_t{256} << 10;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  for (const int eighths : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16})
    curve["footprint"].push_back(size_text(std::max(granule, capacity * eighths / 8 / granule * granule)));
  return curve;
}

}  // namespace

Kind l2_kind() {
  return {"l2",
          "CTAs of all SMs stream through shared data, 8 bytes a load, each share in turn",
          "te42kyfo/gpu-benches gpu-l2-cache",
          {size("footprint", "bytes of the data, rounded to shares of 256KiB", "4MiB", 1024, 0x1p34)},
          {{"bandwidth", "GB/s"}, {"per_sm", "B/clk"}, {"dram", "GB/s"}},
          lack_l2,
          measure_l2,
          l2_curve};
}

}  // namespace gpusim::probe
