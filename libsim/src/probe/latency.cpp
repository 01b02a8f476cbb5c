// latency: a pointer chase over a footprint.
#include <algorithm>
#include <bit>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

using schedules::ChaseVia;

constexpr std::int64_t pointer_distance = 64;
constexpr std::size_t most_parts = 8;
constexpr std::int64_t sampled_hops = 2048;        ///< where a whole round would take too long
constexpr std::int64_t most_rows_a_round = 16384;  ///< chased round by round
constexpr std::int64_t least_hops = 512;

ChaseVia via_of(const Values& values) {
  if (values.is("via", "ldg.cg")) return ChaseVia::load_cg;
  if (values.is("via", "tma")) return ChaseVia::bulk;
  if (values.is("via", "constant")) return ChaseVia::constant;
  return ChaseVia::load;
}

std::string_view operation_of(ChaseVia via) {
  switch (via) {
    case ChaseVia::load:
      return "LDG";
    case ChaseVia::load_cg:
      return "LDG.CG";
    case ChaseVia::bulk:
      return "UTMALDG";
    case ChaseVia::constant:
      break;
  }
  return "LDC";
}

/// Buffers of a power of two rows each, the largest first: random orders need that.
std::vector<Buffer> chains(std::int64_t rows) {
  std::vector<Buffer> parts;
  while (rows > 0 && parts.size() < most_parts) {
    const auto part = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
    parts.push_back(schedules::chain("chain" + std::to_string(parts.size()), part));
    rows -= part;
  }
  return parts;
}

std::vector<Buffer> parts_of(const Bench& bench, const Values& values) {
  const std::int64_t footprint = values.bytes("footprint");
  if (values.is("home", "any")) return chains(footprint / pointer_distance);
  const std::int64_t slices = bench.profile().l2->slices;
  const std::int64_t half = bench.profile().l2->partitions == 2 ? slices / 2 : slices;
  const std::int64_t slice = half / 2 + (values.is("home", "far") ? half : 0);
  const auto rows = std::bit_floor(static_cast<std::uint64_t>(footprint / line_bytes));
  return {schedules::slice_lines("lines", static_cast<std::int64_t>(rows), slice)};
}

std::int64_t rows_of(const std::vector<Buffer>& parts) {
  std::int64_t rows = 0;
  for (const Buffer& part : parts) rows += part.rows;
  return rows;
}

double chased(const Bench& bench, const std::vector<Schedule>& schedules, ChaseVia via, std::size_t warm_hops,
              L2State l2) {
  Stopwatch watch(operation_of(via), KernelId(static_cast<std::int64_t>(schedules.size()) - 1));
  (void)bench.run(schedules, l2, &watch);
  return watch.per_lap(warm_hops);
}

/// A round to warm up, then as many as it takes.
double steady_by_rounds(const Bench& bench, schedules::PointerChase chase, std::int64_t rows) {
  chase.rounds = 1 + (least_hops + rows - 1) / rows;
  return chased(bench, {schedules::pointer_chase(chase)}, chase.via, static_cast<std::size_t>(rows), L2State::cold);
}

/// The first hops of a round that follows a whole one.
double steady_by_sample(const Bench& bench, const schedules::PointerChase& whole) {
  schedules::PointerChase chase = whole;
  chase.parts.resize(1);
  chase.hops = std::min(sampled_hops, chase.parts.front().rows);
  const Schedule measured = schedules::pointer_chase(chase);
  const std::int64_t bytes = rows_of(whole.parts) * pointer_distance;
  // A footprint twice as large as L2 leaves nothing there that the next round would find.
  if (bytes / 2 >= bench.l2_bytes()) return chased(bench, {measured}, chase.via, 0, L2State::cold);
  return chased(bench, {schedules::sweep(whole.parts), measured}, chase.via, 0, L2State::cold);
}

double once(const Bench& bench, schedules::PointerChase chase, L2State l2) {
  chase.parts.resize(1);
  chase.hops = std::min(sampled_hops, chase.parts.front().rows);
  return chased(bench, {schedules::pointer_chase(chase)}, chase.via, 0, l2);
}

double latency(const Bench& bench, const Values& values) {
  schedules::PointerChase chase;
  chase.via = via_of(values);
  chase.parts = parts_of(bench, values);
  chase.scattered = !values.is("home", "any");
  const std::int64_t rows = rows_of(chase.parts);
  if (values.is("state", "miss")) return once(bench, chase, L2State::cold);
  if (values.is("state", "hit-once")) {
    const std::int64_t there = chase.scattered ? bench.l2_bytes() / bench.profile().l2->slices / 2 : bench.l2_bytes();
    const std::int64_t needed = rows * (chase.scattered ? line_bytes : pointer_distance);
    if (needed > there)
      refuse("footprint", size_text(needed) + " do not stay in L2 until they are visited; there " +
                              (chase.scattered ? "is room for half a slice, " : "are ") + size_text(there));
    return once(bench, chase, L2State::warm);
  }
  const bool in_rounds = rows <= most_rows_a_round || rows * pointer_distance / 4 <= bench.l1_bytes();
  return in_rounds && rows <= 4 * most_rows_a_round ? steady_by_rounds(bench, chase, rows)
                                                    : steady_by_sample(bench, chase);
}

std::string lack_latency(const Profile& profile, const Values& values) {
  if (values.is("via", "tma") && !profile.tma) return "it has no tensor memory accelerator";
  if (!values.is("home", "any") && !profile.l2) return "it has no L2";
  if (values.is("home", "far") && profile.l2->partitions < 2) return "its L2 has one partition";
  if (values.is("state", "hit-once") && !profile.l2) return "it has no L2";
  return "";
}

Quantities measure_latency(const Bench& bench, Values& values) {
  if (values.is_automatic("footprint")) values.resolve("footprint", values.is("home", "any") ? "1MiB" : "128KiB");
  const double cycles = latency(bench, values);
  return {{"latency", cycles, "cycles"}, {"time", bench.ns(cycles), "ns"}};
}

/// From what L1 surely holds to what L2 surely does not.
Curve latency_curve(const Profile& profile, const Curve& given) {
  if (given.contains("home") || given.contains("state")) return {};
  constexpr std::int64_t least = std::int64_t{4} << 10;
  std::int64_t most = std::int64_t{64} << 20;
  if (profile.l2 && !profile.l2->capacity.is_unlimited())
    most =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(profile.l2->capacity.value().count()))) * 4;
  Curve curve;
  for (std::int64_t bytes = least; bytes <= most; bytes *= 2) curve["footprint"].push_back(size_text(bytes));
  return curve;
}

}  // namespace

Kind latency_kind() {
  return {
      "latency",
      "pointer chase over a footprint: load to use",
      "te42kyfo/gpu-benches gpu-latency; HPMLL/NVIDIA-Hopper-Benchmark tma_lat_random",
      {size("footprint", "bytes the chain covers; auto: 1MiB, or 128KiB with a home", "auto", 128, 0x1p36),
       word("via", "how it reads", {"ldg", "ldg.cg", "tma", "constant"}),
       word("home", "whose L2 slices hold the data: any, or one of the SM's own half or of the other",
            {"any", "near", "far"}),
       word("state", "round after round; in L2, each line visited once; in DRAM", {"warm-steady", "hit-once", "miss"})},
      {{"latency", "cycles"}, {"time", "ns"}},
      lack_latency,
      measure_latency,
      latency_curve};
}

}  // namespace gpusim::probe
