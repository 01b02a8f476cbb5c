// One SM alone: cp.async groups, bulk copies, and the mbarriers they complete on.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_copy_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles slice{77};
constexpr Cycles issue{1};

Cycles round_trip(const ScriptedFabric& fabric) { return fabric.border().request + slice + fabric.border().reply; }

CopyAsync copy_of(const Layout& line) { return {one_line(line), one_wavefront()}; }

constexpr std::int64_t box_rows = 4;
constexpr std::int64_t box_bytes = box_rows * 128;

/// Expects a box on slot 0, asks for it, and waits for it.
Probe bulk_copy() {
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(box_bytes)}).add(bulk_lines(0, box_rows, full())).add(BarrierWait{full(), 0});
  return probe;
}

}  // namespace

TEST_CASE("a group of copies is complete a load's time and the copy's overhead after its last copy") {
  const Profile profile = probe_machine();
  Probe probe;
  probe.add(copy_of(along(Coordinate::repeat)), 3).add(CommitGroup{}).add(WaitGroup{0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  CHECK(fabric.run() == Cycles(3 - 1) + round_trip(fabric) + profile.async_copy->overhead);
}

TEST_CASE("waiting for all but one group waits for the older one only") {
  const Profile profile = probe_machine();
  Probe probe;
  const Token x = probe.token("x");
  probe.add(copy_of(0)).add(CommitGroup{});
  for (int i = 0; i < 50; ++i) probe.add(changes(x));
  probe.add(copy_of(1)).add(CommitGroup{}).add(WaitGroup{1}).add(needs(x, Pipe::sfu)).add(WaitGroup{0}).add(needs(x));
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  fabric.run();
  const Cycles copied = round_trip(fabric) + profile.async_copy->overhead;
  CHECK(fabric.log.issue("SFU") == fabric.log.issue("LDGSTS", 0) + copied);
  CHECK(fabric.log.issue("ALU") == fabric.log.issue("LDGSTS", 1) + copied);
}

TEST_CASE("groups complete in order: an older one that is late holds back a newer one") {
  Probe probe;
  probe.add(copy_of(0)).add(CommitGroup{}).add(copy_of(1)).add(CommitGroup{}).add(WaitGroup{1});
  probe.add(needs(probe.token("x")));
  const Profile profile = probe_machine();
  ScriptedFabric fabric(profile, probe.schedule(),
                        [](const Request& request) { return request.lines[0].line == 0 ? slice * 2 : slice; });
  fabric.run();
  CHECK(fabric.log.issue("ALU") == Cycle(0) + round_trip(fabric) + slice + profile.async_copy->overhead);
}

TEST_CASE("an empty group is complete at once") {
  Probe probe;
  probe.add(CommitGroup{}).add(WaitGroup{0});
  ScriptedFabric fabric(probe_machine(), probe.schedule(), always(slice));
  CHECK(fabric.run() == issue + issue);
}

TEST_CASE("copied data is written through the banks of shared memory") {
  Profile profile = probe_machine();
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  Probe probe;
  probe.add(CopyAsync{one_line(0), one_bank()}).add(CommitGroup{}).add(WaitGroup{0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  constexpr Cycles conflicts(32 - 1);
  CHECK(fabric.run() == round_trip(fabric) + conflicts + profile.async_copy->overhead);
  CHECK(fabric.counters().shared_wavefronts == 32);
  CHECK(fabric.counters().shared_ideal_wavefronts == 1);
  CHECK(fabric.counters().shared_store_bytes == 128);
}

TEST_CASE("a bulk copy completes its mbarrier a load's time and its overhead after it is issued") {
  const Profile profile = probe_machine();
  ScriptedFabric fabric(profile, bulk_copy().schedule(), always(slice));
  const Cycles arrive = issue;
  CHECK(fabric.run() == arrive + round_trip(fabric) + profile.tma->overhead + profile.barrier.mbarrier_latency);
  REQUIRE(fabric.requests.size() == 1);
  CHECK(fabric.requests[0].count == box_rows);
  CHECK(fabric.counters().shared_store_bytes == box_bytes);
}

TEST_CASE("a box outside its buffer completes without memory") {
  const Profile profile = probe_machine();
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(box_bytes)})
      .add(bulk_lines(65536, box_rows, full()))
      .add(BarrierWait{full(), 0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  CHECK(fabric.run() == issue + profile.tma->overhead + profile.barrier.mbarrier_latency);
  CHECK(fabric.requests.empty());
}

TEST_CASE("the engine begins copies at its rate and asks for bytes at its rate") {
  Profile profile = probe_machine();
  profile.tma->bytes_per_clk = Rate::per_cycle(64);
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(2 * box_bytes)}).add(bulk_lines(0, box_rows, full()));
  probe.add(bulk_lines(box_rows, box_rows, full())).add(BarrierWait{full(), 0});
  ScriptedFabric by_bytes(profile, probe.schedule(), always(slice));
  by_bytes.run();
  CHECK(by_bytes.requests[1].arrives - by_bytes.requests[0].arrives == Cycles(box_bytes / 64));
  profile.tma->bytes_per_clk = Rate::unlimited();
  profile.tma->copies_per_clk = Rate::one_every(20);
  ScriptedFabric by_copies(profile, probe.schedule(), always(slice));
  by_copies.run();
  CHECK(by_copies.requests[1].arrives - by_copies.requests[0].arrives == Cycles(20));
}

TEST_CASE("a phase waits for its arrivals as well as its bytes") {
  const Profile profile = probe_machine();
  Probe copier("copier"), arriver("arriver"), waiter("waiter");
  copier.add(bulk_lines(0, box_rows, full()));
  const Token x = arriver.token("x");
  for (int i = 0; i < 200; ++i) arriver.add(changes(x));
  arriver.add(needs(x)).add(BarrierArrive{full(), Bytes(box_bytes)});
  waiter.add(BarrierWait{full(), 0}).add(needs(waiter.token("y")));
  ScriptedFabric fabric(profile, probe_schedule({copier.role(), arriver.role(), waiter.role()}), always(slice));
  fabric.run();
  REQUIRE(fabric.log.issue("SYNCS.ARRIVE", 0, 1) > Cycle(0) + round_trip(fabric) + profile.tma->overhead);
  CHECK(fabric.log.issue("ALU", 0, 2) == fabric.log.issue("SYNCS.ARRIVE", 0, 1) + profile.barrier.mbarrier_latency);
}

TEST_CASE("a phase before the first is complete from the start, one long complete costs nothing") {
  Probe probe;
  probe.add(BarrierWait{full(), -1}).add(needs(probe.token("x")));
  ScriptedFabric fabric(probe_machine(), probe.schedule(), always(slice));
  CHECK(fabric.run() == issue + issue);
}

TEST_CASE("slots of an mbarrier do not complete each other") {
  const Profile profile = probe_machine();
  Probe probe;
  probe.add(BarrierArrive{full(0), Bytes()}).add(BarrierArrive{full(1), Bytes(box_bytes)});
  probe.add(bulk_lines(0, box_rows, full(1))).add(BarrierWait{full(0), 0}).add(needs(probe.token("x")));
  probe.add(BarrierWait{full(1), 0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  CHECK(fabric.run() == issue * 2 + round_trip(fabric) + profile.tma->overhead + profile.barrier.mbarrier_latency);
  CHECK(fabric.log.issue("ALU") == Cycle(0) + profile.barrier.mbarrier_latency);
}

TEST_CASE("a copy through L1 brings its line there, and the next one finds it") {
  Profile profile = probe_machine();
  profile.l1 = probe_l1();
  Probe probe;
  CopyAsync copy = copy_of(0);
  copy.through_l1 = true;
  probe.add(copy).add(CommitGroup{}).add(WaitGroup{0}).add(copy).add(CommitGroup{}).add(WaitGroup{0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  const Cycles overhead = profile.async_copy->overhead;
  CHECK(fabric.run() == round_trip(fabric) + overhead + profile.l1->latency + overhead);
  CHECK(fabric.requests.size() == 1);
}

TEST_CASE("a copy past L1 leaves nothing there") {
  Profile profile = probe_machine();
  profile.l1 = probe_l1();
  Probe probe;
  probe.add(copy_of(0)).add(CommitGroup{}).add(WaitGroup{0}).add(copy_of(0)).add(CommitGroup{}).add(WaitGroup{0});
  ScriptedFabric fabric(profile, probe.schedule(), always(slice));
  CHECK(fabric.run() == (round_trip(fabric) + profile.async_copy->overhead) * 2);
  CHECK(fabric.requests.size() == 2);
}

}  // namespace gpusim::sm_copy_test
