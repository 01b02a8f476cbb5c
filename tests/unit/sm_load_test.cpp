// One SM alone: what a global load costs, and what holds it up.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_load_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles slice{77};
constexpr Cycles issue{1};

Profile with_l1() {
  Profile profile = probe_machine();
  profile.l1 = probe_l1();
  return profile;
}

/// `count` loads of consecutive lines, and an instruction that needs them all.
Probe loads(std::int64_t count) {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_line(along(Coordinate::repeat)), x}, count);
  probe.add(needs(x));
  return probe;
}

Cycles round_trip(const ScriptedFabric& fabric) { return fabric.border().request + slice + fabric.border().reply; }

}  // namespace

TEST_CASE("a load's data is there after the way out, the answer, and the way back") {
  ScriptedFabric fabric(probe_machine(), loads(1).schedule(), always(slice));
  fabric.run();
  CHECK(fabric.log.issue("ALU") - fabric.log.issue("LDG") == round_trip(fabric));
}

TEST_CASE("a warp that only loads leaves when its data has come") {
  Probe probe;
  probe.add(LoadGlobal{one_line(0), probe.token("x")});
  ScriptedFabric fabric(probe_machine(), probe.schedule(), always(slice));
  CHECK(fabric.run() == round_trip(fabric));
}

TEST_CASE("a store is posted: the warp leaves as soon as it is issued") {
  Probe probe;
  probe.add(StoreGlobal{one_line(0), probe.token("x")});
  ScriptedFabric fabric(probe_machine(), probe.schedule(), always(slice));
  CHECK(fabric.run() == issue);
  REQUIRE(fabric.requests.size() == 1);
  CHECK(fabric.requests[0].kind == RequestKind::write);
}

TEST_CASE("loads follow each other at the rate of the issue port") {
  ScriptedFabric fabric(probe_machine(), loads(10).schedule(), always(slice));
  CHECK(fabric.run() == Cycles(10 - 1) + round_trip(fabric) + issue);
}

TEST_CASE("a request takes the output port 8 bytes a line, and its data the input port") {
  Profile profile = probe_machine();
  profile.crossbar.sm_write_bytes_per_clk = Rate::per_cycle(2);
  profile.crossbar.sm_read_bytes_per_clk = Rate::per_cycle(32);
  constexpr Cycles out{8 / 2}, in{128 / 32};
  ScriptedFabric one(profile, loads(1).schedule(), always(slice));
  CHECK(one.run() == out - Cycles(1) + round_trip(one) + in - Cycles(1) + issue);
  ScriptedFabric ten(profile, loads(10).schedule(), always(slice));
  CHECK(ten.run() == out * 10 - Cycles(1) + round_trip(ten) + in - Cycles(1) + issue);
}

TEST_CASE("a store sends its data through the output port") {
  Profile profile = probe_machine();
  profile.crossbar.sm_write_bytes_per_clk = Rate::per_cycle(8);
  Probe probe;
  probe.add(StoreGlobal{one_line(along(Coordinate::repeat)), probe.token("x")}, 2);
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  REQUIRE(fabric.requests.size() == 2);
  CHECK(fabric.requests[1].arrives - fabric.requests[0].arrives == Cycles((128 + 8) / 8));
}

TEST_CASE("what was loaded is found in L1") {
  Probe probe;
  const Token x = probe.token("x");
  const Token y = probe.token("y");
  probe.add(LoadGlobal{one_line(0), x}).add(needs(x));
  probe.add(LoadGlobal{one_line(0), y}).add(needs(y));
  const Profile profile = with_l1();
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  CHECK(fabric.run() == round_trip(fabric) + issue + profile.l1->latency + issue);
  CHECK(fabric.requests.size() == 1);
  CHECK(fabric.counters().l1_read_sectors == 4 + 4);
  CHECK(fabric.counters().l1_hit_sectors == 4);
}

TEST_CASE("a second miss to a line on its way joins the first") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_line(0), x}).add(needs(x));
  ScriptedFabric fabric(with_l1(), probe.schedule(8), always(slice));
  // The last of eight warps loads in cycle 7; all data comes with the first request, and the warps go on one by one.
  CHECK(fabric.run() == round_trip(fabric) + issue * 8);
  CHECK(fabric.requests.size() == 1);
  CHECK(fabric.counters().l1_hit_sectors == 7 * 4);
}

TEST_CASE("a miss fetches the sectors it needs, and a later one the rest") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_sector(0), x}).add(LoadGlobal{one_line(0), x});
  ScriptedFabric fabric(with_l1(), probe.schedule(), always(slice));
  fabric.run();
  REQUIRE(fabric.requests.size() == 2);
  CHECK(static_cast<unsigned>(fabric.requests[0].lines[0].chunks) == 0x03);
  CHECK(static_cast<unsigned>(fabric.requests[1].lines[0].chunks) == 0xFC);
}

TEST_CASE("without L1 every load goes to the fabric") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_line(0), x}).add(LoadGlobal{one_line(0), x});
  ScriptedFabric fabric(probe_machine(), probe.schedule(), always(slice));
  CHECK(fabric.run() == round_trip(fabric) * 2);
  CHECK(fabric.requests.size() == 2);
}

TEST_CASE("with few miss registers the loads beyond them wait for the first to come back") {
  constexpr std::int64_t registers = 16;
  Profile profile = with_l1();
  profile.l1->miss_lines = registers;
  ScriptedFabric fabric(profile, loads(3 * registers).schedule(), always(slice));
  const Cycles last_of_round(registers - 1);
  CHECK(fabric.run() == round_trip(fabric) * 3 + last_of_round + issue);
  CHECK(fabric.sm().border().miss_registers().peak() == registers);
  CHECK(fabric.sm().border().miss_registers().refused() > 0);
}

TEST_CASE("a full queue to the load-store unit stops the warp, and stores behind loads with it") {
  constexpr std::int64_t registers = 16, places = 2;
  Profile profile = with_l1();
  profile.l1->miss_lines = registers;
  profile.lsu.queue = places;
  Probe probe;
  probe.add(LoadGlobal{one_line(along(Coordinate::repeat)), probe.token("x")}, registers + places);
  probe.add(StoreGlobal{one_line(1000), probe.token("y")});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  // The last two loads hold both places until the first two are back; only then may the store enter.
  CHECK(fabric.log.issue("STG") == Cycle(0) + round_trip(fabric));
}

TEST_CASE("an instruction that overwrites what a load brings waits for the load") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_line(0), x});
  probe.add(Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = x, .overhead = false}).add(needs(x, Pipe::fma));
  const Profile profile = probe_machine();
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  CHECK(fabric.log.issue("ALU") == Cycle(0) + round_trip(fabric));
  CHECK(fabric.log.issue("FMA") == Cycle(0) + round_trip(fabric) + profile.pipes.alu.latency);
}

}  // namespace gpusim::sm_load_test
