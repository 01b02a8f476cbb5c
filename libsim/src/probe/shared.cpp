// shared: bank conflicts of shared memory. dsm: other CTAs' shared memory.
#include <charconv>
#include <optional>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"

namespace gpusim::probe {

namespace {

constexpr std::size_t warm_reads = 8;

Quantities measure_shared(const Bench& bench, Values& values) {
  schedules::SharedLoop loop;
  loop.ways = static_cast<int>(values.number("ways"));
  Stopwatch watch("LDS");
  (void)bench.run({schedules::shared_loop(loop)}, L2State::cold, &watch);

  schedules::SharedLoop many = loop;
  many.chained = false;
  many.warps = bench.warps_of_largest_cta();
  many.trips = 16;
  constexpr double loads_a_trip = 4;
  const double per_load = bench.cycles_per_trip(schedules::shared_loop, many) / (loads_a_trip * many.warps);
  return {{"latency", watch.per_lap(warm_reads), "cycles"},
          {"cycles_per_load", per_load, "cycles"},
          {"cycles_per_wavefront", per_load / loop.ways, "cycles"}};
}

Curve ways_curve(const Profile&, const Curve&) { return {{"ways", {"1", "2", "4", "8", "16", "32"}}}; }

std::optional<int> rank_of(const std::string& text) {
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size() || rank < 0) return std::nullopt;
  return rank;
}

double chased(const Bench& bench, const schedules::PeerChase& chase) {
  Stopwatch watch(chase.peer ? "LDS.CLUSTER" : "LDS");
  (void)bench.run({schedules::peer_chase(chase)}, L2State::cold, &watch);
  return watch.per_lap(warm_reads * static_cast<std::size_t>(chase.ilp));
}

std::string lack_clusters(const Profile& profile, const Values& values) {
  if (!profile.cluster) return "it has no thread-block clusters";
  if (values.number("cluster") > profile.cluster->ctas)
    return "its clusters have at most " + std::to_string(profile.cluster->ctas) + " CTAs";
  return "";
}

Quantities measure_dsm(const Bench& bench, Values& values) {
  schedules::PeerChase chase;
  chase.cluster = static_cast<int>(values.number("cluster"));
  chase.ilp = static_cast<int>(values.number("ilp"));
  const std::string& peer = values.text("peer");
  double cycles = 0;
  if (peer == "mean") {
    for (int rank = 1; rank < chase.cluster; ++rank) {
      chase.peer = rank;
      cycles += chased(bench, chase) / (chase.cluster - 1);
    }
  } else {
    if (peer != "local") {
      chase.peer = peer == "own" ? 0 : rank_of(peer);
      if (!chase.peer || *chase.peer >= chase.cluster)
        refuse("peer",
               "'" + peer + "' is neither mean, own, local nor a rank from 0 to " + std::to_string(chase.cluster - 1));
    }
    cycles = chased(bench, chase);
  }
  const double latency = cycles * chase.ilp;
  return {{"latency", latency, "cycles"}, {"cycles_per_load", cycles, "cycles"}, {"time", bench.ns(latency), "ns"}};
}

Curve dsm_curve(const Profile& profile, const Curve&) {
  Curve curve{{"cluster", {}}};
  for (std::int64_t ctas = 2; profile.cluster && ctas <= profile.cluster->ctas; ctas *= 2)
    curve["cluster"].push_back(std::to_string(ctas));
  if (curve["cluster"].empty()) curve.clear();
  return curve;
}

}  // namespace

Kind shared_kind() {
  return {"shared",
          "loads from shared memory with bank conflicts: one warp's latency, many warps' throughput",
          "arXiv:2206.02874 (Sun et al.), table 10",
          {number("ways", "lanes that want different words of one bank", "1", 1, 32)},
          {{"latency", "cycles"}, {"cycles_per_load", "cycles"}, {"cycles_per_wavefront", "cycles"}},
          nullptr,
          measure_shared,
          ways_curve};
}

Kind dsm_kind() {
  return {"dsm",
          "pointer chase through the shared memory of another CTA of the cluster",
          "HPMLL/NVIDIA-Hopper-Benchmark DSM; arXiv:2501.12084, section 7.1",
          {number("cluster", "CTAs of the cluster", "2", 2, 64),
           text("peer", "whose memory: mean (of all others), own (through the window), local, or a rank", "mean"),
           number("ilp", "independent chains", "1", 1, 64)},
          {{"latency", "cycles"}, {"cycles_per_load", "cycles"}, {"time", "ns"}},
          lack_clusters,
          measure_dsm,
          dsm_curve};
}

}  // namespace gpusim::probe
