// One SM alone: mma.sync and wgmma.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/cluster_programs.h"
#include "support/probe_machine.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_tensor_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};
constexpr std::int64_t mma_fmas = 16 * 8 * 16;
constexpr Cycles interval{8};
constexpr Cycles reissue{1};

Profile with_mma() {
  Profile profile = probe_machine();
  profile.tensor.modes[0].fma_per_clk = Rate::per_cycle(mma_fmas / interval.count());
  profile.tensor.reissue = reissue;
  return profile;
}

/// When the last of `count` independent mma of one of `warps` warps issued.
Cycle last_issue(const Profile& profile, int warps, int count) {
  Probe probe;
  const Token a = probe.token("a");
  for (int i = 0; i < count; ++i) {
    const Token c = probe.token("c" + std::to_string(i));
    probe.add(Multiply{.a = a, .b = a, .c = c});
  }
  ScriptedFabric fabric(profile, probe.schedule(warps), always(Cycles(77)));
  fabric.run();
  Cycle last;
  for (int warp = 0; warp < warps; ++warp) last = std::max(last, fabric.log.issue("HMMA", count - 1, warp));
  return last;
}

constexpr std::int64_t fmas_a_clock = 2048;  // m64nNk16 in N / 2 cycles

Profile with_wgmma() {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.tensor.modes[0].peak_fma_per_clk = Rate::per_cycle(fmas_a_clock);
  profile.tensor.wgmma = WgmmaSpec{.interval = Cycles(13), .latency = Cycles(25), .shared_latency = Cycles(35)};
  return profile;
}

std::int64_t math(int n) { return 64 * n * 16 / fmas_a_clock; }
std::int64_t wavefronts(int n, bool a_in_shared) { return ((a_in_shared ? 64 * 16 : 0) + n * 16) * 2 / 128; }

Cycles latency(const Profile& profile, bool a_in_shared) {
  return a_in_shared ? profile.tensor.wgmma->shared_latency : profile.tensor.wgmma->latency;
}

WarpgroupMultiply multiply(Token c, int n, std::optional<Token> a) {
  WarpgroupMultiply multiply = wgmma(c);
  multiply.shape = {64, n, 16};
  if (a) multiply.a = *a;
  return multiply;
}

/// When warp 3, whose quarter of the operands comes last, goes on after waiting for `count` wgmma of m64n256k16, while
/// another warp makes `stores` stores of 32 wavefronts right behind the first one's operands.
Cycles waited_beside_stores(const Profile& profile, int count, std::int64_t stores) {
  Probe multiplier("multiplier"), storer("storer");
  const Token a = multiplier.token("a"), c = multiplier.token("c"), x = storer.token("x");
  multiplier.add(multiply(c, 256, {}), count).add(WarpgroupCommit{}).add(WarpgroupWait{}).add(needs(a));
  SharedAccess aside = one_bank();
  aside.tile = TileId(2);
  storer.add(StoreShared{aside, x}, stores);
  std::vector<Role> roles{multiplier.role(4)};
  if (stores > 0) roles.push_back(storer.role());
  Schedule schedule = probe_schedule(std::move(roles));
  const SharedTile tile = schedule.shared_tiles.front();
  schedule.shared_tiles = wgmma_tiles();
  schedule.shared_tiles.push_back(tile);
  ScriptedFabric fabric(profile, schedule, always(Cycles(77)));
  fabric.run();
  return fabric.log.issue("ALU", 0, 3) - Cycle(0);
}

/// When warp 3, whose quarter of the operands comes last, goes on after waiting for `count` wgmma.
Cycles waited(const Profile& profile, int n, bool a_in_shared, int count = 1) {
  Probe probe;
  const Token a = probe.token("a"), c = probe.token("c");
  probe.add(multiply(c, n, a_in_shared ? std::nullopt : std::optional(a)), count);
  probe.add(WarpgroupCommit{}).add(WarpgroupWait{}).add(needs(a));
  Schedule schedule = probe.schedule(4);
  schedule.shared_tiles = wgmma_tiles();
  ScriptedFabric fabric(profile, schedule, always(Cycles(77)));
  fabric.run();
  return fabric.log.issue("ALU", 0, 3) - Cycle(0);
}

}  // namespace

TEST_CASE("independent mma of one warp follow each other at the pipe's interval and the reissue") {
  const Profile profile = with_mma();
  for (const int count : {1, 3, 10}) {
    CAPTURE(count);
    CHECK(last_issue(profile, 1, count) == Cycle(0) + (interval + reissue) * (count - 1));
  }
}

TEST_CASE("two warps take turns and lose nothing") {
  CHECK(last_issue(with_mma(), 2, 10) == Cycle(0) + interval * (2 * 10 - 1));
}

TEST_CASE("a run of mma loses the reissue each time, like as many by themselves") {
  const Profile profile = with_mma();
  Probe probe;
  const Token a = probe.token("a"), c = probe.token("c"), d = probe.token("d");
  probe.add(Multiply{.a = a, .b = a, .c = c}, 4).add(Multiply{.a = a, .b = a, .c = d});
  ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(77)));
  fabric.run();
  CHECK(fabric.log.issue("HMMA", 1) == Cycle(0) + (interval + reissue) * 4);
}

TEST_CASE("a lone wgmma takes its arithmetic, and a latency by where A lies") {
  const Profile profile = with_wgmma();
  for (const bool a_in_shared : {true, false})
    for (const int n : {8, 16, 32, 64, 128, 256}) {
      CAPTURE(a_in_shared);
      CAPTURE(n);
      REQUIRE(math(n) > wavefronts(n, false));
      CHECK(waited(profile, n, a_in_shared) == Cycles(math(n)) + latency(profile, a_in_shared));
    }
}

TEST_CASE("wgmma follow each other at the longest of arithmetic, operands and interval") {
  const Profile profile = with_wgmma();
  constexpr int less = 10, more = 40;
  for (const bool a_in_shared : {true, false})
    for (const int n : {8, 16, 32, 64, 128, 256}) {
      CAPTURE(a_in_shared);
      CAPTURE(n);
      const std::int64_t longest =
          std::max({math(n), wavefronts(n, a_in_shared), profile.tensor.wgmma->interval.count()});
      CHECK(waited(profile, n, a_in_shared, more) - waited(profile, n, a_in_shared, less) ==
            Cycles(longest * (more - less)));
    }
}

TEST_CASE("warp groups take turns at wgmma, whatever the scheduler") {
  constexpr int count = 6;
  for (const SchedulerPolicy policy : {SchedulerPolicy::gto, SchedulerPolicy::lrr})
    for (const int groups : {2, 3}) {
      CAPTURE(static_cast<int>(policy));
      CAPTURE(groups);
      Profile profile = with_wgmma();
      profile.sm.scheduler = policy;
      std::vector<Role> roles;
      for (int group = 0; group < groups; ++group) {
        Probe probe("group" + std::to_string(group));
        for (int i = 0; i < count; ++i) probe.add(multiply(probe.token("c" + std::to_string(i)), 256, {}));
        roles.push_back(probe.role(4));
      }
      Schedule schedule = probe_schedule(std::move(roles));
      schedule.shared_tiles = wgmma_tiles();
      ScriptedFabric fabric(profile, schedule, always(Cycles(77)));
      fabric.run();
      for (int i = 1; i < count; ++i)
        for (int group = 0; group < groups; ++group)
          for (int other = 0; other < groups; ++other) {
            CAPTURE(i);
            CHECK(fabric.log.issue("WGMMA", i, 4 * group) > fabric.log.issue("WGMMA", i - 1, 4 * other));
          }
    }
}

TEST_CASE("warps go on while a wgmma runs, and wait for all but the pending groups") {
  const Profile profile = with_wgmma();
  Probe probe;
  const Token a = probe.token("a"), c = probe.token("c"), d = probe.token("d");
  probe.add(multiply(c, 256, {})).add(WarpgroupCommit{}).add(multiply(d, 256, {})).add(WarpgroupCommit{});
  probe.add(needs(a, Pipe::sfu)).add(WarpgroupWait{1}).add(needs(a)).add(WarpgroupWait{0}).add(needs(a));
  Schedule schedule = probe.schedule(4);
  schedule.shared_tiles = wgmma_tiles();
  ScriptedFabric fabric(profile, schedule, always(Cycles(77)));
  fabric.run();
  const Cycles latency = profile.tensor.wgmma->shared_latency;
  REQUIRE(math(256) > wavefronts(256, true));
  CHECK(fabric.log.issue("ALU", 0) == Cycle(math(256)) + latency);
  CHECK(fabric.log.issue("ALU", 1) == Cycle(2 * math(256)) + latency);
  CHECK(fabric.log.issue("SFU") == fabric.log.issue("WGMMA", 1) + issue * 2);
}

TEST_CASE("banks that are busy otherwise delay a wgmma only by what an instruction's lead does not cover") {
  const Profile profile = with_wgmma();
  constexpr int count = 4;
  // Behind the first one's operands and the stores come the second's, which are in time when it ends.
  const std::int64_t covered = (2 * math(256) - 2 * wavefronts(256, true)) / 32;
  const Cycles alone = waited_beside_stores(profile, count, 0);
  CHECK(alone.count() == count * math(256) + profile.tensor.wgmma->shared_latency.count());
  CHECK(waited_beside_stores(profile, count, covered).count() == alone.count());
  const Cycles late = waited_beside_stores(profile, count, covered + 2);
  CHECK(late > alone);
  CHECK(waited_beside_stores(profile, count, covered + 4) == late + Cycles(2 * 32));
}

}  // namespace gpusim::sm_tensor_test
