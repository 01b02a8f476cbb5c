// From public numbers to the machine's: latencies split over hops and rates of other clocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "gpusim/profile_io.h"
#include "machine/configure.h"
#include "support/probe_machine.h"

namespace gpusim::machine_configure_test {

using machine::Configuration;
using machine::configure;
using testing::probe_machine;

namespace {

constexpr std::int64_t mhz = 1000;

Cycles hit_path(const Configuration& configuration) {
  const fabric::FabricConfig& fabric = configuration.fabric;
  return configuration.sm.border.request + fabric.l2_hit + configuration.sm.border.reply;
}
Cycles miss_path(const Configuration& configuration) {
  const fabric::FabricConfig& fabric = configuration.fabric;
  return configuration.sm.border.request + fabric.l2_miss + fabric.dram.latency + configuration.sm.border.reply;
}

void check_hops(const Configuration& configuration) {
  const fabric::FabricConfig& fabric = configuration.fabric;
  for (const Cycles hop : {fabric.l2_hit, fabric.l2_miss, fabric.dram.latency}) CHECK(hop >= Cycles(0));
  for (const BorderLatency& border : {configuration.sm.border, fabric.border}) {
    CHECK(border.request >= configuration.crossing.to_fabric);
    CHECK(border.reply >= configuration.crossing.to_sms);
  }
  CHECK(configuration.crossing.to_fabric >= Cycles(1));
  CHECK(configuration.crossing.to_sms >= Cycles(1));
}

}  // namespace

TEST_CASE("the hops of a hit and of a miss add up to the public latencies, whatever these are") {
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) { return Cycles(std::uniform_int_distribution<int>(low, high)(random)); };
  for (int round = 0; round < 500; ++round) {
    Profile profile = probe_machine();
    profile.l2->latency = draw(2, round % 2 == 0 ? 6 : 700);
    profile.dram.latency = draw(2, round % 3 == 0 ? 6 : 1500);
    CAPTURE(profile.l2->latency.count());
    CAPTURE(profile.dram.latency.count());
    const Configuration configuration = configure(profile, mhz);
    CHECK(hit_path(configuration) == profile.l2->latency);
    CHECK(miss_path(configuration) == profile.dram.latency);
    check_hops(configuration);
  }
}

TEST_CASE("without L2 the hops add up to DRAM's latency") {
  for (const int latency : {2, 3, 4, 5, 200, 1001}) {
    Profile profile = probe_machine();
    profile.l2.reset();
    profile.dram.latency = Cycles(latency);
    CAPTURE(latency);
    const Configuration configuration = configure(profile, mhz);
    CHECK(miss_path(configuration) == Cycles(latency));
    CHECK_FALSE(configuration.fabric.has_l2);
    CHECK(configuration.fabric.slices == profile.dram.channels);
    check_hops(configuration);
  }
}

TEST_CASE("at another clock what DRAM adds keeps its nanoseconds, and L2 its cycles") {
  Profile profile = probe_machine();
  profile.l2->latency = Cycles(200);
  profile.dram.latency = Cycles(500);
  profile.dram.latency_clock_mhz = 1500;
  for (const std::int64_t clock : {750, 1000, 1500, 3000}) {
    CAPTURE(clock);
    const Configuration configuration = configure(profile, clock);
    CHECK(hit_path(configuration) == Cycles(200));
    CHECK(miss_path(configuration) == Cycles(200 + (500 - 200) * clock / 1500));
  }
}

TEST_CASE("a DRAM latency given in cycles keeps them at any clock") {
  Profile profile = probe_machine();
  profile.dram.latency_clock_mhz = 0;
  CHECK(miss_path(configure(profile, 500)) == profile.dram.latency);
  CHECK(miss_path(configure(profile, 3000)) == profile.dram.latency);
}

TEST_CASE("slices run with the SMs, or at a clock of their own, whatever the SMs'") {
  Profile profile = probe_machine();
  profile.l2->slice_bytes_per_clk = Rate::per_cycle(64);
  for (const std::int64_t clock : {750, 1500, 2000}) {
    CAPTURE(clock);
    profile.l2->clock_mhz = 0;
    CHECK(configure(profile, clock).fabric.slice_rate == Rate::per_cycle(64));
    profile.l2->clock_mhz = 1500;
    CHECK(configure(profile, clock).fabric.slice_rate.per_cycle() == doctest::Approx(64 * 1500.0 / clock));
    CHECK(configure(profile, clock).fabric.slice_write_rate.is_unlimited());
    profile.l2->slice_write_bytes_per_clk = Rate::per_cycle(16);
    CHECK(configure(profile, clock).fabric.slice_write_rate.per_cycle() == doctest::Approx(16 * 1500.0 / clock));
    profile.l2->slice_write_bytes_per_clk = Rate::unlimited();
  }
  profile.l2->slice_bytes_per_clk = Rate::unlimited();
  CHECK(configure(profile, 750).fabric.slice_rate.is_unlimited());
}

TEST_CASE("a crossing is the shortest way over the border") {
  Profile profile = probe_machine();
  profile.launch.cta_start = Cycles(300);
  profile.launch.cta_exit = Cycles(400);
  const Configuration far = configure(profile, mhz);
  CHECK(far.crossing.to_fabric == far.sm.border.request);
  CHECK(far.crossing.to_sms == far.sm.border.reply);
  CHECK(far.crossing.to_sms < Cycles(300));
  profile.launch.cta_exit = Cycles(2);
  CHECK(configure(profile, mhz).crossing.to_fabric == Cycles(2));
  profile.launch.cta_start = Cycles(3);
  CHECK(configure(profile, mhz).crossing.to_sms == Cycles(3));
}

TEST_CASE("clusters have shorter ways") {
  const Configuration hopper = configure(load_profile("hopper"), 1980);
  CHECK(hopper.cluster_crossing.to_fabric <= std::min(hopper.sm.border.peer, hopper.sm.border.barrier));
  CHECK(hopper.cluster_crossing.to_sms <= hopper.fabric.cluster.tpc);
  CHECK(hopper.cluster_crossing.to_sms <= hopper.fabric.cluster.relaxed_barrier);
  const Configuration ada = configure(load_profile("ada"), 2520);
  CHECK(ada.cluster_crossing.to_sms == ada.crossing.to_sms);
}

TEST_CASE("DRAM bandwidth is shared by the channels and seen in SM cycles") {
  Profile profile = probe_machine();
  profile.l2->slices = 40;
  profile.dram.channels = 10;
  profile.dram.bandwidth_gb_per_s = Rate::per_cycle(1555);
  CHECK(configure(profile, 1410).fabric.dram.rate == Rate::ratio(1555 * 1000, 1410 * 10));
  CHECK(configure(profile, 705).fabric.dram.rate == Rate::ratio(1555 * 1000, 705 * 10));
}

TEST_CASE("an SM's lanes are shared by its sub-partitions, 32 to a warp instruction") {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  profile.pipes.fma.lanes = 128;
  profile.pipes.alu.lanes = 64;
  profile.pipes.sfu.lanes = 16;
  const auto pipes = configure(profile, mhz).sm.pipes;
  CHECK(pipes[static_cast<std::size_t>(Pipe::fma)] == Rate::per_cycle(1));
  CHECK(pipes[static_cast<std::size_t>(Pipe::alu)] == Rate::one_every(2));
  CHECK(pipes[static_cast<std::size_t>(Pipe::sfu)] == Rate::one_every(8));
  profile.pipes.sfu.lanes = Limited<std::int64_t>::unlimited();
  CHECK(configure(profile, mhz).sm.pipes[static_cast<std::size_t>(Pipe::sfu)].is_unlimited());
}

TEST_CASE("shared-memory bandwidth counts in wavefronts of 128 bytes") {
  Profile profile = probe_machine();
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  CHECK(configure(profile, mhz).sm.data_rate == Rate::per_cycle(1));
  profile.shared.bytes_per_clk = Rate::per_cycle(64);
  CHECK(configure(profile, mhz).sm.data_rate == Rate::one_every(2));
}

}  // namespace gpusim::machine_configure_test
