// noc: what the ports between SMs and L2 let through, level by level, and what one slice gives.
#include <algorithm>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

constexpr std::int64_t region_bytes = std::int64_t{32} << 10;  ///< of each SM; it stays in L2
constexpr std::int64_t most_lines = 2048;                      ///< of a slice that are visited
constexpr std::int64_t most_slice_warps = 8;                   ///< enough to fill the SM's miss registers
constexpr std::int64_t elsewhere = 1 << 20;                    ///< more than there are SMs

/// An SM's place in its GPC.
Layout rank_in_gpc(const SmSpec& sm) {
  const std::int64_t pair = sm.sms_per_tpc;
  return along(Coordinate::block_m, pair, pair * sm.gpcs) + along(Coordinate::block_m, 1, 1, pair);
}

/// SMs of the first TPC, CPC or GPC, `most` at most. CTA i runs on SM i.
Bound sms_of(const SmSpec& sm, std::string_view level, std::int64_t most) {
  const std::int64_t pair = sm.sms_per_tpc;
  if (level == "sm") return {along(Coordinate::block_m), 1};
  if (level == "tpc") return {along(Coordinate::block_m), std::min(pair, most)};
  if (level == "chip") return {along(Coordinate::block_m), most};
  const Layout other_gpc = along(Coordinate::block_m, elsewhere, pair, sm.gpcs);
  const std::int64_t all = level == "cpc" ? sm.tpcs_per_cpc * pair : elsewhere;
  return {other_gpc + rank_in_gpc(sm), std::min(all, most)};
}

std::int64_t count_of(const Bound& bound, std::int64_t sms) {
  std::int64_t count = 0;
  Coordinates at{};
  for (std::int64_t& sm = at[static_cast<std::size_t>(Coordinate::block_m)]; sm < sms; ++sm)
    if (bound.value(at) < bound.limit) ++count;
  return count;
}

/// Every SM its own region, spread over all slices.
schedules::AccessLoop over_all_slices(std::int64_t sms, int warps) {
  constexpr std::int64_t vector = 4;
  constexpr std::int64_t words = region_bytes / 4;
  schedules::AccessLoop loop;
  loop.vector = vector;
  loop.column = along(Coordinate::block_m, words) + along(Coordinate::warp, lanes_per_warp * vector) +
                along(Coordinate::lane, vector);
  loop.warps = warps;
  loop.column_step = warps * (lanes_per_warp * vector);
  loop.unroll = static_cast<int>(words / loop.column_step);
  loop.buffer = {"regions", 1, sms * words, sms * words, DType::fp32, Placement::linear, 0};
  loop.trips = 16;
  return loop;
}

/// The SMs of a level that take part, and how they are numbered from 0.
struct Members {
  Bound where;
  Layout rank;
  std::int64_t count;
};

Members members_of(const Bench& bench, std::string_view level, std::int64_t most) {
  const SmSpec& sm = bench.profile().sm;
  const Bound where = sms_of(sm, level, std::min(most, bench.sms()));
  const bool within_gpc = level == "cpc" || level == "gpc";
  return {where, within_gpc ? rank_in_gpc(sm) : along(Coordinate::block_m), count_of(where, bench.sms())};
}

/// A word of each of many lines of one slice, every lane on a line of its own, again and again.
schedules::AccessLoop over_one_slice(std::int64_t lines, std::int64_t slice) {
  constexpr std::int64_t wide = most_slice_warps * lanes_per_warp;
  schedules::AccessLoop loop;
  loop.warps = most_slice_warps;
  loop.unroll = 2;
  loop.row = along(Coordinate::loop0, 2 * wide, 1, std::max<std::int64_t>(1, lines / wide / 2)) +
             along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane);
  loop.row_step = wide;
  loop.trips = 16;
  loop.buffer = {"lines",     std::max(lines, 2 * wide), lanes_per_warp, lanes_per_warp,
                 DType::fp32, Placement::one_slice,      slice};
  return loop;
}

/// The same, but each SM has lines of its own and visits them once: what comes from the other half of L2 is not found
/// in the SM's own half then.
schedules::AccessLoop over_one_slice_once(std::int64_t lines, std::int64_t slice, const Members& sms) {
  constexpr std::int64_t least_trips = 2;  // to take once from twice
  const std::int64_t by_lane = std::max(least_trips, lines / sms.count / lanes_per_warp);
  schedules::AccessLoop loop;
  loop.warps = static_cast<int>(std::min(most_slice_warps, by_lane / least_trips));
  const std::int64_t trips = by_lane / loop.warps;
  const std::int64_t wide = std::int64_t{lanes_per_warp} * loop.warps;
  loop.unroll = 1;
  loop.row = sms.rank * (trips * wide) + along(Coordinate::loop0, wide) + along(Coordinate::warp, lanes_per_warp) +
             along(Coordinate::lane);
  loop.trips = trips / least_trips;
  loop.buffer = {"lines",     trips * wide * sms.count, lanes_per_warp, lanes_per_warp,
                 DType::fp32, Placement::one_slice,     slice};
  return loop;
}

schedules::AccessLoop loop_for(const Bench& bench, const Values& values, const Members& sms) {
  if (values.is("target", "slices")) return over_all_slices(bench.sms(), bench.warps_of_largest_cta());
  constexpr std::int64_t line_bytes = 128;
  const std::int64_t slices = bench.profile().l2->slices;
  const std::int64_t half = bench.profile().l2->partitions == 2 ? slices / 2 : slices;
  // Half of what the slice holds surely stays there until it is visited.
  const std::int64_t lines = std::min(most_lines, bench.l2_bytes() / slices / line_bytes / 2);
  return values.is("home", "far") ? over_one_slice_once(lines, half + half / 2, sms) : over_one_slice(lines, half / 2);
}

double bytes_per_cycle(const Bench& bench, const Values& values, const Members& sms) {
  schedules::AccessLoop loop = loop_for(bench, values, sms);
  loop.store = values.is("direction", "write");
  loop.bypass_l1 = true;
  loop.ctas = bench.sms();
  loop.where = sms.where;
  // A word of a line of its own moves the sector it lies in.
  const std::int64_t lane_bytes =
      loop.row.depends_on(Coordinate::lane) ? sector_bytes : std::int64_t{loop.vector} * size_of(loop.buffer.dtype);
  const auto trip_bytes = static_cast<double>(sms.count * lanes_per_warp * lane_bytes * loop.unroll * loop.warps);
  return trip_bytes / bench.cycles_per_trip(schedules::access_loop, loop, L2State::warm);
}

std::string lack_noc(const Profile& profile, const Values& values) {
  if (!profile.l2) return "it has no L2";
  if (values.is("level", "cpc") && profile.sm.tpcs_per_cpc == 0) return "its GPCs have no CPCs";
  if (values.is("target", "slice") && values.is("home", "far") && profile.l2->partitions < 2)
    return "its L2 has one partition";
  return "";
}

Quantities measure_noc(const Bench& bench, Values& values) {
  const std::string& level = values.text("level");
  const Members sms = members_of(bench, level, values.is_automatic("sms") ? elsewhere - 1 : values.number("sms"));
  if (!values.is_automatic("sms") && sms.count < values.number("sms"))
    refuse("sms", "level " + level + " has " + std::to_string(sms.count) + (sms.count == 1 ? " SM" : " SMs"));
  const bool over_tpc = level == "gpc" && values.is("target", "slices");
  const double bytes = bytes_per_cycle(bench, values, sms);
  const double alone = bytes_per_cycle(bench, values, members_of(bench, over_tpc ? "tpc" : "sm", elsewhere - 1));
  values.resolve("sms", std::to_string(sms.count));
  return {{"bandwidth", bench.gb_per_s(bytes), "GB/s"}, {"per_clk", bytes, "B/clk"}, {"speed_up", bytes / alone, ""}};
}

Curve noc_curve(const Profile& profile, const Curve&) {
  Curve curve{{"level", {"sm", "tpc", "gpc"}}, {"direction", {"read", "write"}}};
  if (profile.sm.tpcs_per_cpc != 0) curve["level"] = {"sm", "tpc", "cpc", "gpc"};
  return curve;
}

}  // namespace

Kind noc_kind() {
  return {"noc",
          "bandwidth of some SMs from or to L2; speed-up over one SM (of a GPC over one TPC)",
          "chrirocca/GPUNetBench; Jin et al., MICRO 2024",
          {word("level", "whose SMs: one, those of a TPC, CPC or GPC, or any", {"tpc", "sm", "cpc", "gpc", "chip"}),
           word("direction", "loads or stores", {"read", "write"}),
           word("target", "data in all slices or in one", {"slices", "slice"}),
           word("home", "of one slice: in the first SM's half of L2 or the other", {"near", "far"}),
           number("sms", "how many of the level's SMs; auto: all", "auto", 1, 4096)},
          {{"bandwidth", "GB/s"}, {"per_clk", "B/clk"}, {"speed_up", ""}},
          lack_noc,
          measure_noc,
          noc_curve};
}

}  // namespace gpusim::probe
