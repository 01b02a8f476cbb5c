// dram: kernels that stream one element a thread. dispatch: CTAs that do next to nothing.
#include <algorithm>
#include <cmath>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

struct Arrays {
  int reads, writes;
};

Arrays arrays_of(const Values& values) {
  const std::string& kernel = values.text("kernel");
  const auto given = [&](const char* name) {
    if (values.is_automatic(name)) return 1;
    if (kernel != "mix") refuse(name, "only kernel mix has it, not " + kernel);
    return static_cast<int>(values.number(name));
  };
  const Arrays mix{given("reads"), given("writes")};
  if (kernel == "read") return {1, 0};
  if (kernel == "init") return {0, 1};
  if (kernel == "scale") return {1, 1};
  if (kernel == "triad") return {2, 1};
  return mix;
}

/// Cycles from one CTA to the next in its slot, and how many slots there are.
struct Pace {
  double turnaround;
  double ctas_per_cycle;
};

Pace pace_of(const Bench& bench, schedules::ElementStream stream, std::int64_t ctas_per_sm) {
  constexpr std::int64_t least_waves = 24;
  stream.shared_bytes = bench.shared_bytes_for(ctas_per_sm);
  const std::int64_t slots = occupancy(schedules::element_stream(stream), bench.profile()).ctas;
  const std::int64_t wave = bench.sms() * slots;
  stream.ctas = least_waves * wave;
  double skipped = 1.0 / 3;
  if (stream.writes > 0) {
    // Nothing is written back before L2 is full of what was written.
    constexpr double filled = 1.1;
    const std::int64_t cta_bytes =
        stream_element_bytes * lanes_per_warp * stream.warps * (stream.reads + stream.writes);
    const std::int64_t fill = static_cast<std::int64_t>(
        std::min(filled * static_cast<double>(bench.l2_bytes()), 0x1p29) / static_cast<double>(cta_bytes));
    if (stream.warps * lanes_per_warp >= 128) {
      stream.ctas += fill;
      skipped = (static_cast<double>(fill) + skipped * static_cast<double>(least_waves * wave)) /
                static_cast<double>(stream.ctas);
    }
  }
  RateMeter meter;
  (void)bench.run({schedules::element_stream(stream)}, L2State::cold, &meter);
  const double rate = meter.starts_per_cycle(slots, skipped);
  return {static_cast<double>(wave) / rate, rate};
}

Quantities measure_dram(const Bench& bench, Values& values) {
  const std::int64_t ctas_per_sm = values.number("ctas");
  const std::int64_t most = std::min<std::int64_t>(32, bench.warps() / ctas_per_sm);
  if (most < 1) refuse("ctas", "an SM holds " + std::to_string(bench.warps()) + " warps");
  if (values.is_automatic("threads")) {
    const double warps =
        values.real("occupancy") / 100 * static_cast<double>(bench.warps()) / static_cast<double>(ctas_per_sm);
    values.resolve("threads", std::to_string(lanes_per_warp * std::clamp<std::int64_t>(std::llround(warps), 1, most)));
  }
  schedules::ElementStream stream;
  stream.warps = static_cast<int>((values.number("threads") + lanes_per_warp - 1) / lanes_per_warp);
  if (stream.warps > most) refuse("threads", std::to_string(ctas_per_sm) + " such CTAs do not fit an SM");
  const Arrays arrays = arrays_of(values);
  if (arrays.reads + arrays.writes == 0) refuse("reads", "a kernel reads or writes something");
  stream.reads = arrays.reads;
  stream.writes = arrays.writes;
  values.resolve("reads", std::to_string(arrays.reads));
  values.resolve("writes", std::to_string(arrays.writes));
  const Pace pace = pace_of(bench, stream, ctas_per_sm);
  const double bytes = pace.ctas_per_cycle * static_cast<double>(stream_element_bytes * lanes_per_warp * stream.warps *
                                                                 (arrays.reads + arrays.writes));
  const double bandwidth = bench.gb_per_s(bytes);
  const Rate peak = bench.profile().dram.bandwidth_gb_per_s;
  Quantities quantities{{"bandwidth", bandwidth, "GB/s"}, {"cta_cycles", pace.turnaround, "cycles"}};
  if (!peak.is_unlimited()) quantities.push_back({"of_peak", 100 * bandwidth / peak.per_cycle(), "%"});
  return quantities;
}

Curve dram_curve(const Profile&, const Curve& given) {
  if (given.contains("threads")) return {};
  return {{"occupancy", {"3", "6", "12.5", "25", "37.5", "50", "75", "100"}}};
}

Quantities measure_dispatch(const Bench& bench, Values& values) {
  if (values.is_automatic("threads")) values.resolve("threads", values.is("kernel", "empty") ? "32" : "64");
  const auto warps = static_cast<int>((values.number("threads") + lanes_per_warp - 1) / lanes_per_warp);
  if (warps > bench.warps()) refuse("threads", "an SM holds " + std::to_string(bench.warps()) + " warps");
  if (!values.is("kernel", "empty")) {
    schedules::ElementStream stream;
    stream.reads = values.is("kernel", "read") ? 1 : 0;
    stream.writes = 1 - stream.reads;
    stream.warps = warps;
    const Pace pace = pace_of(bench, stream, 2);
    return {{"turnaround", pace.turnaround, "cycles"},
            {"ctas_per_clk", pace.ctas_per_cycle, "CTAs/clk"},
            {"per_cta", bench.ns(1 / pace.ctas_per_cycle), "ns"}};
  }
  constexpr std::int64_t waves = 3;
  const std::int64_t slots = occupancy(schedules::empty_grid(1, warps), bench.profile()).ctas;
  const std::int64_t wave = bench.sms() * std::min<std::int64_t>(slots, bench.warps());
  RateMeter meter;
  (void)bench.run({schedules::empty_grid(waves * wave, warps)}, L2State::cold, &meter);
  const double rate = meter.while_ctas_follow();
  return {{"ctas_per_clk", rate, "CTAs/clk"}, {"per_cta", bench.ns(1 / rate), "ns"}};
}

Curve dispatch_curve(const Profile&, const Curve&) {
  return {{"kernel", {"empty", "init", "read"}}, {"threads", {"32", "64", "128", "256", "512"}}};
}

}  // namespace

Kind dram_kind() {
  return {"dram",
          "kernels with one 8-byte element of each array a thread, one-shot CTAs, over cold data",
          "te42kyfo/gpu-benches gpu-stream",
          {word("kernel", "read: b; init: a =; scale: a = s b; triad: a = s b + c; mix: as reads and writes say",
                {"read", "init", "scale", "triad", "mix"}),
           real("occupancy", "percent of an SM's threads", "100", 0.1, 100),
           number("ctas", "CTAs that an SM holds", "2", 1, 32),
           number("threads", "of a CTA, in warps of 32; auto: from the occupancy", "auto", 1, 1024),
           number("reads", "arrays that a mix reads; auto: 1", "auto", 0, 32),
           number("writes", "arrays that a mix writes; auto: 1", "auto", 0, 32)},
          {{"bandwidth", "GB/s"}, {"cta_cycles", "cycles"}, {"of_peak", "%"}},
          nullptr,
          measure_dram,
          dram_curve};
}

Kind dispatch_kind() {
  return {"dispatch",
          "how fast CTAs start: empty ones, or one slot after another (two an SM) of a small kernel",
          "te42kyfo/gpu-benches gpu-stream; ademeure/QuickRunCUDA",
          {word("kernel", "empty, init (one store a thread) or read (one load)", {"empty", "init", "read"}),
           number("threads", "of a CTA; auto: 32 of an empty one, else 64", "auto", 1, 1024)},
          {{"turnaround", "cycles"}, {"ctas_per_clk", "CTAs/clk"}, {"per_cta", "ns"}},
          nullptr,
          measure_dispatch,
          dispatch_curve};
}

}  // namespace gpusim::probe
