// barrier: barriers in a loop. atomic: additions to memory.
#include <algorithm>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

using schedules::BarrierKind;

constexpr std::size_t warm_rounds = 4;

const std::vector<std::string>& barrier_names() {
  static const std::vector<std::string> names{"cta", "mbarrier", "cluster", "cluster-relaxed", "grid"};
  return names;
}

BarrierKind barrier_of(const Values& values) {
  const auto found = std::find(barrier_names().begin(), barrier_names().end(), values.text("kind"));
  return static_cast<BarrierKind>(found - barrier_names().begin());
}

bool of_cluster(BarrierKind kind) { return kind == BarrierKind::cluster || kind == BarrierKind::cluster_relaxed; }

/// What the watch looks for.
std::string_view operation_of(BarrierKind kind) {
  switch (kind) {
    case BarrierKind::cta:
      return "BAR";
    case BarrierKind::mbarrier:
      return "SYNCS.ARRIVE";
    case BarrierKind::grid:
      return "BARRIER.GRID";
    case BarrierKind::cluster:
    case BarrierKind::cluster_relaxed:
      break;
  }
  return "BARRIER.CLUSTER";
}

std::string lack_barrier(const Profile& profile, const Values& values) {
  const BarrierKind kind = barrier_of(values);
  if (kind == BarrierKind::mbarrier && !profile.tma) return "it has no mbarriers";
  if (!of_cluster(kind)) return "";
  if (!profile.cluster) return "it has no thread-block clusters";
  if (values.number("cluster") > profile.cluster->ctas)
    return "its clusters have at most " + std::to_string(profile.cluster->ctas) + " CTAs";
  return "";
}

Quantities measure_barrier(const Bench& bench, Values& values) {
  schedules::BarrierLoop loop;
  loop.kind = barrier_of(values);
  loop.warps = static_cast<int>(values.number("warps"));
  if (loop.warps > bench.warps()) refuse("warps", "an SM holds " + std::to_string(bench.warps()));
  if (loop.kind != BarrierKind::grid && values.number("ctas") != 1) refuse("ctas", "only the grid's barrier has it");
  if (of_cluster(loop.kind)) loop.cluster = static_cast<int>(values.number("cluster"));
  loop.ctas = bench.sms() * values.number("ctas");
  Stopwatch watch(operation_of(loop.kind));
  (void)bench.run({schedules::barrier_loop(loop)}, L2State::cold, &watch);
  const double cycles = watch.per_lap(warm_rounds);
  return {{"cycles", cycles, "cycles"}, {"time", bench.ns(cycles), "ns"}};
}

Curve barrier_curve(const Profile&, const Curve&) { return {{"warps", {"1", "2", "4", "8", "16", "32"}}}; }

schedules::AtomicLoop atomics_of(const Values& values) {
  using Target = schedules::AtomicLoop::Target;
  schedules::AtomicLoop loop;
  loop.returns = values.is("returns", "yes");
  if (values.is("target", "cta")) loop.target = Target::cta;
  if (values.is("target", "one") || values.is("target", "two")) loop.target = Target::words;
  loop.words = values.is("target", "two") ? 2 : 1;
  return loop;
}

Quantities measure_atomic(const Bench& bench, Values& values) {
  schedules::AtomicLoop loop = atomics_of(values);
  loop.ctas = bench.sms();
  loop.warps = 16;
  loop.ilp = 4;
  loop.trips = 8;
  const auto additions = static_cast<double>(loop.ctas * loop.warps * loop.ilp * lanes_per_warp);
  const double rate = additions / bench.cycles_per_trip(schedules::atomic_loop, loop, L2State::warm);

  schedules::AtomicLoop alone = atomics_of(values);
  alone.chained = true;
  alone.warps = 1;
  Stopwatch watch("ATOM");
  (void)bench.run({schedules::atomic_loop(alone)}, L2State::warm, &watch);
  const double latency = watch.per_lap(warm_rounds);
  return {{"rate", bench.gb_per_s(rate), "Gop/s"},
          {"per_clk", rate, "op/clk"},
          {"latency", latency, "cycles"},
          {"time", bench.ns(latency), "ns"}};
}

Curve atomic_curve(const Profile&, const Curve&) {
  return {{"target", {"spread", "cta", "one", "two"}}, {"returns", {"no", "yes"}}};
}

}  // namespace

Kind barrier_kind() {
  return {"barrier",
          "barriers in a loop",
          "burtscher/SyncPerformance; ademeure/QuickRunCUDA",
          {word("kind",
                "bar.sync, mbarrier arrive and wait, barrier.cluster, the same with relaxed order, a barrier of the "
                "whole grid",
                barrier_names()),
           number("warps", "of the CTA", "1", 1, 32),
           number("cluster", "CTAs of the cluster, for its barriers", "2", 2, 64),
           number("ctas", "CTAs of each SM, for the grid's barrier", "1", 1, 32)},
          {{"cycles", "cycles"}, {"time", "ns"}},
          lack_barrier,
          measure_barrier,
          barrier_curve};
}

Kind atomic_kind() {
  return {"atomic",
          "32-bit atomic additions of all SMs, and one warp's chain of them",
          "ademeure/QuickRunCUDA",
          {word("target", "a word for each lane, for each CTA, or one or two for all", {"spread", "cta", "one", "two"}),
           word("returns", "whether the old value is asked for", {"no", "yes"})},
          {{"rate", "Gop/s"}, {"per_clk", "op/clk"}, {"latency", "cycles"}, {"time", "ns"}},
          nullptr,
          measure_atomic,
          atomic_curve};
}

}  // namespace gpusim::probe
