// Profiles that are wrong only as a whole, and the views of a profile.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/profile_io.h"

namespace gpusim::profile_check_test {

namespace {

/// The keys that check() complains of after the assignments.
std::vector<std::string> complaints(const std::vector<std::string>& assignments) {
  Profile profile = load_profile("ada");
  for (const std::string& assignment : assignments) set(profile, assignment);
  std::vector<std::string> keys;
  for (const Problem& problem : check(profile)) keys.push_back(problem.where);
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a CTA cannot have more shared memory than an SM") {
  CHECK(complaints({"shared.per_cta=100KiB"}) == Keys{"shared.per_cta"});
  CHECK(complaints({"shared.per_cta=99KiB"}).empty());
  CHECK(complaints({"shared.per_cta=unlimited"}).empty());
}

TEST_CASE("shared memory is a part of L1") {
  CHECK(complaints({"shared.capacity=129KiB"}) == Keys{"shared.capacity"});
  CHECK(complaints({"shared.capacity=unlimited"}) == Keys{"shared.capacity"});
  CHECK(complaints({"shared.capacity=unlimited", "l1=null"}).empty());
}

TEST_CASE("a warp's registers must fit an SM") {
  CHECK(complaints({"sm.registers=4096"}) == Keys{"sm.registers_per_thread"});
  CHECK(complaints({"sm.registers=128", "sm.registers_per_thread=4"}) == Keys{"sm.register_granule"});
  CHECK(complaints({"sm.registers=unlimited"}).empty());
}

TEST_CASE("each sub-partition needs a warp") { CHECK(complaints({"sm.warps=3"}) == Keys{"sm.warps"}); }

TEST_CASE("a cache holds at least one set") {
  CHECK(complaints({"l1.ways=1024", "l1.capacity=100KiB", "shared.capacity=100KiB"}) == Keys{"l1.ways"});
  CHECK(complaints({"l2.capacity=1KiB"}) == Keys{"l2.ways"});
}

TEST_CASE("channels share L2 slices, or slices have as many channels each") {
  CHECK(complaints({"dram.channels=49"}) == Keys{"dram.channels"});
  CHECK(complaints({"dram.channels=95"}) == Keys{"dram.channels"});
  CHECK(complaints({"dram.channels=36"}).empty());
  CHECK(complaints({"dram.channels=96"}).empty());
  CHECK(complaints({"dram.channels=49", "l2=null"}).empty());
}

TEST_CASE("partitions have as many L2 slices each") {
  CHECK(complaints({"l2.partitions=2"}).empty());
  CHECK(complaints({"l2.partitions=2", "l2.slices=3", "dram.channels=3"}) == Keys{"l2.partitions"});
}

TEST_CASE("stripes and what DRAM brings together are powers of two, and bank groups take turns in twos or fours") {
  CHECK(complaints({"l2.stripe_bytes=256"}).empty());
  CHECK(complaints({"l2.stripe_bytes=384"}) == Keys{"l2.stripe_bytes"});
  CHECK(complaints({"l2.stripe_bytes=64"}) == Keys{"l2.stripe_bytes"});
  CHECK(complaints({"l2.fetch_bytes=64"}).empty());
  CHECK(complaints({"l2.fetch_bytes=96"}) == Keys{"l2.fetch_bytes"});
  CHECK(complaints({"dram.interleaved_groups=2"}).empty());
  CHECK(complaints({"dram.interleaved_groups=3"}) == Keys{"dram.interleaved_groups"});
  CHECK(complaints({"dram.interleaved_groups=2", "dram.banks=6"}) == Keys{"dram.interleaved_groups"});
  CHECK(complaints({"dram.banks=6"}).empty());
}

TEST_CASE("a refresh is over before the next begins") {
  CHECK(complaints({"dram.refresh_ns=3900"}) == Keys{"dram.refresh_ns"});
  CHECK(complaints({"dram.refresh_ns=3900", "dram.refresh_interval_ns=0"}).empty());
}

TEST_CASE("a board's highest clock is not below its boost clock, and a limit leaves more than it draws idle") {
  CHECK(complaints({"power.max_mhz=1000"}) == Keys{"power.max_mhz"});
  CHECK(complaints({"power.max_mhz=0"}).empty());
  CHECK(complaints({"power.max_mhz=3000"}).empty());
  CHECK(complaints({"power.static_w=450"}) == Keys{"power.static_w"});
}

TEST_CASE("a tensor mode is not faster than its peak, and is given once in a shape") {
  CHECK(complaints({"tensor.modes.0.fma_per_clk=257"}) == Keys{"tensor.modes.0.fma_per_clk"});
  CHECK(complaints({"tensor.modes.1.k=16"}) == Keys{"tensor.modes.1"});
  CHECK(complaints({"tensor.modes.1.k=16", "tensor.modes.1.sparse=true"}).empty());
}

TEST_CASE("device memory may be nearer than L2") { CHECK(complaints({"dram.latency=2", "l2.latency=300"}).empty()); }

TEST_CASE("entries list every member in the order of the fields, with unit and meaning") {
  const auto lines = entries(load_profile("ada"));
  CHECK(lines.front().key == "clock.boost_mhz");
  CHECK(lines.front().value == "2520");
  CHECK(lines.front().unit == "MHz");
  CHECK_FALSE(lines.front().doc.empty());
  CHECK(lines.back().key == "power.dram_byte_fj");
  const auto absent = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.key == "tma"; });
  REQUIRE(absent != lines.end());
  CHECK(absent->value == "null");
}

TEST_CASE("a digest follows the numbers, not their sources or names") {
  Profile profile = load_profile("ada");
  const std::uint64_t before = digest(profile);
  profile.name = "other";
  profile.provenance["l2.latency"].source = "elsewhere";
  CHECK(digest(profile) == before);
  profile.l2->latency += Cycles(1);
  CHECK(digest(profile) != before);
  profile.l2->latency -= Cycles(1);
  profile.l1.reset();
  CHECK(digest(profile) != before);
}

TEST_CASE("a digest is 64-bit FNV-1a over lines of key=value") {
  const Profile profile = load_profile("ada");
  std::uint64_t hash = 14695981039346656037U;
  for (const ProfileEntry& line : entries(profile)) {
    for (const char letter : line.key + "=" + line.value + "\n") {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    }
  }
  CHECK(digest(profile) == hash);
}

TEST_CASE("a difference names the keys that only one profile has") {
  const auto differences = diff(load_profile("textbook-2020"), load_profile("textbook-2023"));
  const auto latency =
      std::find_if(differences.begin(), differences.end(), [](const auto& each) { return each.key == "l2.latency"; });
  REQUIRE(latency != differences.end());
  CHECK(latency->left.empty());
  CHECK(latency->right == "200");
}

TEST_CASE("a number that a program adds is written with a source that says so") {
  Profile profile = load_profile("textbook-2020");
  profile.l2 = load_profile("ada").l2;
  const Profile again = parse_profile(to_json(profile), "again.json");
  CHECK(again.provenance.at("l2.latency") == Provenance{Method::user, "not stated"});
}

}  // namespace gpusim::profile_check_test
