// launch: small kernels one after another.
#include <array>
#include <map>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"

namespace gpusim::probe {

namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t element_bytes = 8;
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

/// Reads one array and writes another, `bytes` in all.
Schedule scale(std::int64_t bytes) {
  schedules::ElementStream stream;
  stream.writes = 1;
  stream.warps = 8;
  const std::int64_t cta_bytes = 2 * element_bytes * stream.warps * lanes;
  stream.ctas = (bytes + cta_bytes - 1) / cta_bytes;
  return schedules::element_stream(stream);
}

/// From one kernel's start to the next one's, once data is where it stays.
double start_to_start_us(const Bench& bench, const Schedule& kernel, bool graph) {
  constexpr std::int64_t kernels = 4;
  KernelStarts starts;
  (void)bench.run(std::vector<Schedule>(kernels, kernel), L2State::warm, &starts);
  const LaunchSpec& launch = bench.profile().launch;
  const auto gap = static_cast<double>(graph ? launch.graph_gap_ns : launch.gap_ns);
  return (bench.ns(starts.between(kernels - 2, kernels - 1)) + gap) / ns_per_us;
}

/// T = a + V / b through measured points, least squares.
struct Line {
  double overhead_us, gb_per_s;
};

Line fitted(const Bench& bench, bool graph) {
  constexpr std::array<std::int64_t, 4> volumes{128 << 10, 256 << 10, 512 << 10, 1 << 20};
  double v = 0, t = 0, vv = 0, vt = 0;
  for (const std::int64_t bytes : volumes) {
    const auto volume = static_cast<double>(bytes);
    const double time = start_to_start_us(bench, scale(bytes), graph);
    v += volume;
    t += time;
    vv += volume * volume;
    vt += volume * time;
  }
  constexpr auto points = static_cast<double>(volumes.size());
  const double slope = (points * vt - v * t) / (points * vv - v * v);
  return {(t - slope * v) / points, 1 / slope / ns_per_us};
}

Quantities measure(const Bench& bench, Values& values) {
  const bool graph = values.is("mode", "graph");
  const bool scales = values.is("kernel", "scale");
  const Schedule kernel = scales ? scale(values.bytes("bytes")) : schedules::empty_grid(1, 1);
  Quantities quantities{{"time", start_to_start_us(bench, kernel, graph), "us"}};
  if (scales) {
    const Line line = fitted(bench, graph);
    quantities.push_back({"overhead", line.overhead_us, "us"});
    quantities.push_back({"rate", line.gb_per_s, "GB/s"});
  }
  const KernelResult first = bench.run({kernel}).kernels.front();
  const double start =
      static_cast<double>(first.kernel_launch_ns) + bench.ns(static_cast<double>(first.launch.count()));
  quantities.push_back({"start", start / ns_per_us, "us"});
  return quantities;
}

Curve curve(const Profile&, const Curve&) {
  return {{"bytes", {"64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB"}}, {"mode", {"stream", "graph"}}};
}

}  // namespace

Kind launch_kind() {
  return {"launch",
          "small kernels one after another: start to start, and the overhead a of T = a + V / b",
          "te42kyfo/gpu-benches gpu-small-kernels; arXiv:2504.11750",
          {word("kernel", "scale: a = s b; null: an empty CTA", {"scale", "null"}),
           size("bytes", "that a scale kernel reads and writes", "256KiB", 512, 0x1p30),
           word("mode", "launched one by one, or as a graph", {"stream", "graph"})},
          {{"time", "us"}, {"overhead", "us"}, {"rate", "GB/s"}, {"start", "us"}},
          nullptr,
          measure,
          curve};
}

}  // namespace gpusim::probe
