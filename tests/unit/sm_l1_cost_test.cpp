// What a load costs L1: the longest of passes over the data banks, tag lookups, and bytes.
#include <doctest/doctest.h>

#include <algorithm>

#include "sm/l1_tag_banks.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_l1_cost_test {

using namespace gpusim::testing;

namespace {

constexpr unsigned banks = 4;

std::vector<LineChunks> lines(std::uint64_t first, std::uint64_t count) {
  std::vector<LineChunks> result;
  for (std::uint64_t i = 0; i < count; ++i) result.push_back({first + i, 0xFF});
  return result;
}

/// Mean wavefronts of `count` neighbouring lines, over many first lines.
double mean_wavefronts(std::uint64_t count) {
  constexpr std::uint64_t samples = 4096;
  double sum = 0;
  for (std::uint64_t first = 0; first < samples; ++first)
    sum += static_cast<double>(sm::tag_wavefronts(lines(first, count), banks));
  return sum / samples;
}

Profile with_l1(Rate bytes_per_clk) {
  Profile profile = probe_machine();
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.l1 = probe_l1();
  profile.l1->bytes_per_clk = bytes_per_clk;
  profile.shared.bytes_per_clk = Rate::per_cycle(128);  // the same banks
  return profile;
}

/// Cycles each further load of `access` keeps L1 busy, when all of it is there.
double cycles_a_load(const Profile& profile, const GlobalAccess& access) {
  constexpr int less = 100, more = 300;
  const auto run = [&](int loads) {
    Probe probe;
    const Token x = probe.token("x");
    probe.add(LoadGlobal{access, x}).add(needs(x)).add(LoadGlobal{access, x}, loads).add(needs(x));
    return ScriptedFabric(profile, probe.schedule(), always(Cycles(77))).run();
  };
  return static_cast<double>((run(more) - run(less)).count()) / (more - less);
}

/// Lanes `stride` words apart.
GlobalAccess strided(std::int64_t stride) {
  // A row is a line: lane l's word is word l * stride.
  GlobalAccess access = one_line(0);
  access.row = along(Coordinate::lane, 1, std::max<std::int64_t>(32 / stride, 1));
  access.column = along(Coordinate::lane, stride, 1, std::max<std::int64_t>(32 / stride, 1));
  return access;
}

}  // namespace

TEST_CASE("two neighbouring lines meet in a tag bank a quarter of the time") {
  CHECK(mean_wavefronts(1) == 1);
  CHECK(mean_wavefronts(2) == doctest::Approx(1.25).epsilon(0.02));
}

TEST_CASE("tag wavefronts of more neighbours are what hardware counts") {
  // te42kyfo/gpu-benches gpu-strides, A100: tag wavefronts of 3 to 9 lines; the last is the farthest off.
  constexpr std::array counted{1.62, 1.89, 2.19, 2.36, 2.67, 2.83, 3.03};
  for (std::size_t i = 0; i < counted.size(); ++i) {
    CAPTURE(i + 3);
    CHECK(mean_wavefronts(i + 3) == doctest::Approx(counted[i]).epsilon(0.09));
  }
}

TEST_CASE("every line has a bank, and banks have as many lines each") {
  for (const unsigned count : {1U, 2U, 4U, 8U}) {
    CAPTURE(count);
    std::vector<int> hits(count);
    for (std::uint64_t line = 0; line < 4096; ++line) ++hits[sm::tag_bank(line, count)];
    CHECK(*std::max_element(hits.begin(), hits.end()) == 4096 / static_cast<int>(count));
  }
}

TEST_CASE("a stride that divides the banks costs as many passes over them") {
  const Profile profile = with_l1(Rate::per_cycle(128));
  for (const std::int64_t stride : {1, 2, 4, 8, 16}) {
    CAPTURE(stride);
    CHECK(cycles_a_load(profile, strided(stride)) == static_cast<double>(stride));
  }
}

TEST_CASE("L1 of half the bytes a cycle takes at least two for a full line") {
  const Profile profile = with_l1(Rate::per_cycle(64));
  CHECK(cycles_a_load(profile, strided(1)) == 128 / 64);
  CHECK(cycles_a_load(profile, strided(4)) == 4);  // passes over the banks are more than the bytes
}

TEST_CASE("lines that meet in a tag bank cost a cycle each") {
  Profile profile = with_l1(Rate::unlimited());
  profile.l1->tag_banks = 1;
  CHECK(cycles_a_load(profile, strided(8)) == 8);
}

TEST_CASE("the slower of data banks and tags counts, not their sum") {
  Profile profile = with_l1(Rate::per_cycle(128));
  profile.l1->tag_banks = 1;
  // Every lane in a line of its own, and in a bank of its own.
  const GlobalAccess diagonal{BufferId(0), along(Coordinate::lane), along(Coordinate::lane), 1};
  CHECK(cycles_a_load(profile, diagonal) == 32);
  profile.l1->tag_banks = 32;
  CHECK(cycles_a_load(profile, strided(16)) == 16);
}

}  // namespace gpusim::sm_l1_cost_test
