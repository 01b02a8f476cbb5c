// Law: with nobody in the way a dependent load takes exactly the public latency of the level that has its data.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/clock_ratio.h"
#include "fabric/address_map.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "messages.h"
#include "support/probe_programs.h"

namespace gpusim::latency_test {

using namespace gpusim::testing;

namespace {

/// Lines `stride` apart, from `first` on.
struct Walk {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  [[nodiscard]] std::int64_t line(std::int64_t i) const { return first + i * stride; }
};
// Near the end of the buffer, which is what stays in a warm L2 smaller than it.
constexpr Walk resident{65000, 1};
// So far apart that no two share a row of DRAM.
constexpr Walk spread_out{0, 2048};
constexpr Walk one_place{65000, 0};

/// `loads` of one word each, every one needing the one before: a pointer chase.
Schedule chase(std::int64_t loads, const Walk& walk) {
  Probe probe, body;
  const Token x = probe.token("x");
  const GlobalAccess word{BufferId(0), along(Coordinate::loop0, walk.stride) + walk.first, 0, 1,
                          Bound{along(Coordinate::lane), 1}};
  body.add(LoadGlobal{word, x});
  probe.loop(loads, std::move(body));
  probe.add(needs(x));
  return probe.schedule();
}

constexpr std::int64_t few = 10, many = 30;

/// Cycles the further loads of a longer chase take.
std::int64_t cycles_of_more(const Profile& profile, const Walk& walk, L2State l2) {
  const Gpu gpu(profile);
  return (cycles(gpu.run(chase(many, walk), {.l2 = l2})) - cycles(gpu.run(chase(few, walk), {.l2 = l2}))).count();
}

/// What the way to the other L2 partition adds to these loads of SM 0.
std::int64_t far_cycles(const Profile& profile, const Walk& walk) {
  if (profile.l2->partitions == 1) return 0;
  const fabric::AddressMap map(profile.l2->slices, profile.dram.channels, profile.l2->partitions,
                               profile.l2->stripe_bytes.count() / line_bytes);
  const auto near_slices = static_cast<std::size_t>(profile.l2->slices / profile.l2->partitions);
  std::int64_t far = 0;
  for (std::int64_t i = few; i < many; ++i)
    far += map.place_of(static_cast<std::uint64_t>(walk.line(i))).slice >= near_slices;
  return far * profile.l2->far_latency.count();
}

/// Cycles the last of `bytes` comes after the first through a server of this rate.
std::int64_t spread(std::int64_t bytes, Rate rate) {
  if (rate.is_unlimited()) return 0;
  return std::max<std::int64_t>((bytes * rate.period() + rate.amount() - 1) / rate.amount() - 1, 0);
}
std::int64_t sector_spread(Rate rate) { return spread(sector_bytes, rate); }
Rate channel_rate(const Profile& profile) {
  const Rate bus = core::bytes_per_cycle(profile.dram.bandwidth_gb_per_s, profile.clock.boost_mhz);
  const bool by_slices = profile.l2 && !profile.l2->miss_bytes_per_clk.is_unlimited() &&
                         (bus.is_unlimited() || profile.l2->miss_bytes_per_clk.per_cycle() < bus.per_cycle());
  return (by_slices ? profile.l2->miss_bytes_per_clk : bus) / profile.dram.channels;
}
std::int64_t dram_latency(const Profile& profile) {
  const DramSpec& dram = profile.dram;
  if (dram.latency_clock_mhz == 0) return dram.latency.count();
  const Cycles before = profile.l2->latency;
  return (before + core::rescale(dram.latency - before, dram.latency_clock_mhz, profile.clock.boost_mhz)).count();
}

}  // namespace

TEST_CASE("a lone load that L2 has takes l2.latency, and the way to the other partition where its line is there") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    if (!profile.l2) continue;
    const std::int64_t near = profile.l2->latency.count() + sector_spread(profile.l2->slice_bytes_per_clk);
    CHECK(cycles_of_more(profile, resident, L2State::warm) == (many - few) * near + far_cycles(profile, resident));
  }
}

TEST_CASE("a lone load that opens a row of DRAM takes dram.latency, and a narrow channel's time for what comes along") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    Profile profile = load_profile(name.name);
    profile.dram.refresh_interval_ns = 0;
    const std::int64_t fetched = profile.l2 ? profile.l2->fetch_bytes.count() : sector_bytes;
    const std::int64_t near = dram_latency(profile) + spread(fetched, channel_rate(profile));
    const std::int64_t far = profile.l2 ? far_cycles(profile, spread_out) : 0;
    CHECK(cycles_of_more(profile, spread_out, L2State::cold) == (many - few) * near + far);
  }
}

TEST_CASE("a lone load that L1 has takes l1.latency") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    if (!profile.l1) continue;
    CHECK(cycles_of_more(profile, one_place, L2State::cold) == (many - few) * profile.l1->latency.count());
  }
}

TEST_CASE("a lone shared load takes shared.latency") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    Probe probe;
    const Token x = probe.token("x");
    probe.add(LoadShared{one_wavefront(), x}).add(LoadShared{one_wavefront(1), x}).add(needs(x));
    const Cycles issue(profile.sm.issue_per_clk.is_unlimited() ? 0 : 1);
    CHECK(cycles(Gpu(profile).run(probe.schedule())) == profile.shared.latency * 2 + issue);
  }
}

}  // namespace gpusim::latency_test
