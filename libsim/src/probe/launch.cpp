// launch: small kernels one after another.
#include <algorithm>
#include <limits>
#include <map>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

constexpr double ns_per_us = 1000;

/// When each kernel's first CTA began.
class KernelStarts : public Observer {
 public:
  void cta_started(KernelId kernel, CtaId, SmId, Cycle at) override {
    const auto [place, added] = starts_.emplace(kernel.index(), at.count());
    if (!added && at.count() < place->second) place->second = at.count();
  }
  [[nodiscard]] double between(std::int64_t earlier, std::int64_t later) const {
    return static_cast<double>(starts_.at(later) - starts_.at(earlier));
  }

 private:
  std::map<std::int64_t, std::int64_t> starts_;
};

constexpr int scale_warps = 8;
/// Bytes that a CTA reads and writes, an element a thread.
constexpr std::int64_t cta_bytes(int warps) { return 2 * stream_element_bytes * lanes_per_warp * warps; }

enum class Mode : std::uint8_t { stream, graph, persistent };

/// Reads one array and writes another, `bytes` in all. 0: an empty CTA.
Schedule small_kernel(std::int64_t bytes, int warps) {
  if (bytes == 0) return schedules::empty_grid(1, 1);
  schedules::ElementStream stream;
  stream.writes = 1;
  stream.warps = warps;
  stream.ctas = (bytes + cta_bytes(warps) - 1) / cta_bytes(warps);
  return schedules::element_stream(stream);
}

/// The same `repeats` times in one kernel of as many CTAs as the GPU holds at a time, if it has work for so many.
Schedule persistent_kernel(const Bench& bench, std::int64_t bytes, int warps, std::int64_t repeats) {
  if (bytes == 0) {
    schedules::BarrierLoop barriers;
    barriers.kind = schedules::BarrierKind::grid;
    barriers.trips = repeats;
    return schedules::barrier_loop(barriers);
  }
  schedules::RepeatedStream stream;
  stream.elements = bytes / (2 * stream_element_bytes);
  stream.warps = warps;
  stream.repeats = repeats;
  const std::int64_t held = bench.sms() * occupancy(schedules::repeated_stream(stream), bench.profile()).ctas;
  stream.ctas = std::min((bytes + cta_bytes(warps) - 1) / cta_bytes(warps), held);
  return schedules::repeated_stream(stream);
}

/// From one repetition's end to the next one's, once data is where it stays.
double repetition_us(const Bench& bench, std::int64_t bytes, int warps) {
  constexpr std::size_t first = 3;
  constexpr std::int64_t repeats = 11;
  Stopwatch watch("BARRIER.GRID");
  (void)bench.run({persistent_kernel(bench, bytes, warps, repeats)}, L2State::warm, &watch);
  return bench.ns(watch.per_lap(first)) / ns_per_us;
}

/// From one kernel's start to the next one's, once data is where it stays.
double start_to_start_us(const Bench& bench, std::int64_t bytes, int warps, bool graph) {
  constexpr std::int64_t kernels = 4;
  KernelStarts starts;
  (void)bench.run(std::vector<Schedule>(kernels, small_kernel(bytes, warps)), L2State::warm, &starts);
  const LaunchSpec& launch = bench.profile().launch;
  const auto gap = static_cast<double>(graph ? launch.graph_gap_ns : launch.gap_ns);
  return (bench.ns(starts.between(kernels - 2, kernels - 1)) + gap) / ns_per_us;
}

double time_us(const Bench& bench, std::int64_t bytes, int warps, Mode mode) {
  if (mode == Mode::persistent) return repetition_us(bench, bytes, warps);
  return start_to_start_us(bench, bytes, warps, mode == Mode::graph);
}

/// By the CTA size that is the quickest for these bytes, as the source takes it.
double quickest_us(const Bench& bench, std::int64_t bytes, Mode mode) {
  double quickest = std::numeric_limits<double>::infinity();
  for (const int warps : {4, 8, 32}) quickest = std::min(quickest, time_us(bench, bytes, warps, mode));
  return quickest;
}

/// T = a + V / b through measured points, least squares.
struct Line {
  double overhead_us, gb_per_s;
};

/// Volumes from 64 KiB on, each four times the one before, while both arrays leave most of L2 free.
Line fitted(const Bench& bench, Mode mode) {
  constexpr std::int64_t first = 64 << 10;
  constexpr std::int64_t share = 4;
  const auto& l2 = bench.profile().l2;
  const bool bounded = l2 && !l2->capacity.is_unlimited();
  const std::int64_t last = bounded ? l2->capacity.value().count() / share : 16 * share * first;
  double points = 0, v = 0, t = 0, vv = 0, vt = 0;
  for (std::int64_t bytes = first; bytes <= std::max(last, share * first); bytes *= share) {
    const auto volume = static_cast<double>(bytes);
    const double time = quickest_us(bench, bytes, mode);
    ++points;
    v += volume;
    t += time;
    vv += volume * volume;
    vt += volume * time;
  }
  const double slope = (points * vt - v * t) / (points * vv - v * v);
  return {(t - slope * v) / points, 1 / slope / ns_per_us};
}

Quantities measure_launch(const Bench& bench, Values& values) {
  const Mode mode = values.is("mode", "graph")        ? Mode::graph
                    : values.is("mode", "persistent") ? Mode::persistent
                                                      : Mode::stream;
  const bool scales = values.is("kernel", "scale");
  const std::int64_t bytes = scales ? values.bytes("bytes") : 0;
  Quantities quantities{{"time", time_us(bench, bytes, scale_warps, mode), "us"}};
  if (scales) {
    const Line line = fitted(bench, mode);
    quantities.push_back({"overhead", line.overhead_us, "us"});
    quantities.push_back({"rate", line.gb_per_s, "GB/s"});
  }
  const KernelResult first = bench
                                 .run({mode == Mode::persistent ? persistent_kernel(bench, bytes, scale_warps, 1)
                                                                : small_kernel(bytes, scale_warps)})
                                 .kernels.front();
  const double start =
      static_cast<double>(first.kernel_launch_ns) + bench.ns(static_cast<double>(first.launch.count()));
  quantities.push_back({"start", start / ns_per_us, "us"});
  return quantities;
}

Curve launch_curve(const Profile&, const Curve&) {
  return {{"bytes", {"64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB"}},
          {"mode", {"stream", "graph", "persistent"}}};
}

}  // namespace

Kind launch_kind() {
  return {"launch",
          "small kernels one after another: start to start, and the overhead a of T = a + V / b",
          "te42kyfo/gpu-benches gpu-small-kernels; arXiv:2504.11750",
          {word("kernel", "scale: a = s b; null: an empty CTA", {"scale", "null"}),
           size("bytes", "that a scale kernel reads and writes", "256KiB", 512, 0x1p30),
           word("mode", "launched one by one, as a graph, or repeated by one kernel with a barrier over the grid",
                {"stream", "graph", "persistent"})},
          {{"time", "us"}, {"overhead", "us"}, {"rate", "GB/s"}, {"start", "us"}},
          nullptr,
          measure_launch,
          launch_curve};
}

}  // namespace gpusim::probe
