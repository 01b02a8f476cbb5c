// Law: with nobody in the way a dependent load takes exactly the public latency of the level that has its data.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/clock_ratio.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "messages.h"
#include "support/probe_programs.h"

using namespace gpusim;
using namespace gpusim::testing;

namespace {

// Near the end of the buffer, which is what stays in a warm L2 smaller than it.
constexpr std::int64_t first_line = 65000;

/// `loads` of one sector each, every one needing the one before: a pointer chase over lines `stride` apart.
Schedule chase(std::int64_t loads, std::int64_t stride) {
  Probe probe, body;
  const Token x = probe.token("x");
  body.add(LoadGlobal{one_sector(along(Coordinate::loop0, stride) + first_line), x});
  probe.loop(loads, std::move(body));
  probe.add(needs(x));
  return probe.schedule();
}

constexpr std::int64_t few = 10, many = 30;

/// Cycles each further load of a chase takes.
double cycles_a_load(const Profile& profile, std::int64_t stride, L2State l2) {
  const Gpu gpu(profile);
  const Cycles more =
      cycles(gpu.run(chase(many, stride), {.l2 = l2})) - cycles(gpu.run(chase(few, stride), {.l2 = l2}));
  return static_cast<double>(more.count()) / (many - few);
}

/// Cycles the last of `bytes` comes after the first through a server of this rate.
std::int64_t spread(std::int64_t bytes, Rate rate) {
  if (rate.is_unlimited()) return 0;
  return std::max<std::int64_t>((bytes * rate.period() + rate.amount() - 1) / rate.amount() - 1, 0);
}
std::int64_t sector_spread(Rate rate) { return spread(sector_bytes, rate); }
Rate channel_rate(const Profile& profile) {
  return core::bytes_per_cycle(profile.dram.bandwidth_gb_per_s, profile.clock.boost_mhz) / profile.dram.channels;
}
std::int64_t dram_latency(const Profile& profile) {
  const DramSpec& dram = profile.dram;
  if (dram.latency_clock_mhz == 0) return dram.latency.count();
  const Cycles before = profile.l2->latency;
  return (before + core::rescale(dram.latency - before, dram.latency_clock_mhz, profile.clock.boost_mhz)).count();
}

}  // namespace

TEST_CASE("a lone load that L2 has takes l2.latency") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    if (!profile.l2) continue;
    CHECK(cycles_a_load(profile, 1, L2State::warm) ==
          static_cast<double>(profile.l2->latency.count() + sector_spread(profile.l2->slice_bytes_per_clk)));
  }
}

TEST_CASE("a lone load that DRAM has takes dram.latency, and a narrow channel's time for a sector") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    CHECK(cycles_a_load(profile, 1, L2State::cold) ==
          static_cast<double>(dram_latency(profile) + sector_spread(channel_rate(profile))));
  }
}

TEST_CASE("a lone load that L1 has takes l1.latency") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    if (!profile.l1) continue;
    CHECK(cycles_a_load(profile, 0, L2State::cold) == static_cast<double>(profile.l1->latency.count()));
  }
}

TEST_CASE("a lone shared load takes shared.latency, and narrow banks' time for a wavefront") {
  for (const ProfileName& name : list_profiles()) {
    CAPTURE(name.name);
    const Profile profile = load_profile(name.name);
    Probe probe;
    const Token x = probe.token("x");
    probe.add(LoadShared{one_wavefront(), x}).add(LoadShared{one_wavefront(1), x}).add(needs(x));
    const Cycles issue(profile.sm.issue_per_clk.is_unlimited() ? 0 : 1);
    const Cycles wavefront(spread(128, profile.shared.bytes_per_clk));
    CHECK(cycles(Gpu(profile).run(probe.schedule())) == (wavefront + profile.shared.latency) * 2 + issue);
  }
}
