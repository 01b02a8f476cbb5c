// Where SMs sit, and which of them share a port of the crossbar.
#include <doctest/doctest.h>

#include <set>

#include "fabric/ports.h"
#include "fabric/topology.h"

namespace gpusim::fabric_topology_test {

using fabric::SharedPorts;
using fabric::Topology;

namespace {

/// Two SMs a TPC, three TPCs a CPC, two CPCs a GPC, two GPCs: 24 SMs.
Topology small_chip() { return {24, 2, 2, 3, 2}; }

constexpr Rate unlimited = Rate::unlimited();
constexpr std::int64_t bytes = 128;
constexpr Cycles taken{128 / 32};

/// Cycles `second`'s data waits when `first`'s passes in the same cycle.
Cycles wait_behind(SharedPorts ports, std::int64_t first, std::int64_t second) {
  (void)ports.pass(first, Cycle(100), bytes);
  return ports.pass(second, Cycle(100), bytes).first;
}

}  // namespace

TEST_CASE("SMs of a TPC are neighbours, and neighbouring TPCs lie in different GPCs") {
  const Topology chip = small_chip();
  CHECK(chip.tpcs() == 12);
  CHECK(chip.tpc_of(0) == chip.tpc_of(1));
  CHECK(chip.tpc_of(1) != chip.tpc_of(2));
  CHECK(chip.gpc_of(0) == 0);
  CHECK(chip.gpc_of(2) == 1);
  CHECK(chip.gpc_of(4) == 0);
}

TEST_CASE("each CPC has its TPCs of one GPC") {
  const Topology chip = small_chip();
  CHECK(chip.cpcs() == 4);
  std::vector<std::set<std::int64_t>> tpcs(4), gpcs(4);
  for (std::int64_t sm = 0; sm < chip.sms; ++sm) {
    const auto cpc = static_cast<std::size_t>(chip.cpc_of(sm));
    tpcs[cpc].insert(chip.tpc_of(sm));
    gpcs[cpc].insert(chip.gpc_of(sm));
  }
  for (std::size_t cpc = 0; cpc < 4; ++cpc) {
    CHECK(tpcs[cpc].size() == 3);
    CHECK(gpcs[cpc].size() == 1);
  }
}

TEST_CASE("without CPCs a GPC is one") {
  const Topology chip{24, 2, 2, 0, 1};
  CHECK(chip.cpcs() == 2);
  for (std::int64_t sm = 0; sm < chip.sms; ++sm) CHECK(chip.cpc_of(sm) == chip.gpc_of(sm));
}

TEST_CASE("GPCs alternate between the partitions of L2") {
  const Topology chip{24, 2, 3, 0, 2};
  CHECK(chip.partition_of(0) == 0);
  CHECK(chip.partition_of(2) == 1);
  CHECK(chip.partition_of(4) == 0);
  CHECK(chip.partition_of(6) == 0);  // the fourth TPC: GPC 0 again
}

TEST_CASE("the SMs of a TPC share its port, those of others do not") {
  const SharedPorts ports(small_chip(), Rate::per_cycle(32), unlimited, unlimited);
  CHECK(wait_behind(ports, 0, 1) == taken);
  CHECK(wait_behind(ports, 0, 2) == Cycles(0));
  CHECK(wait_behind(ports, 0, 4) == Cycles(0));
}

TEST_CASE("the TPCs of a CPC share its port, those of the GPC's other CPC do not") {
  const SharedPorts ports(small_chip(), unlimited, Rate::per_cycle(32), unlimited);
  CHECK(wait_behind(ports, 0, 4) == taken);       // TPCs 0 and 2 of GPC 0
  CHECK(wait_behind(ports, 0, 12) == Cycles(0));  // TPC 6: the next CPC
}

TEST_CASE("the CPCs of a GPC share its port, those of another GPC do not") {
  const SharedPorts ports(small_chip(), unlimited, unlimited, Rate::per_cycle(32));
  CHECK(wait_behind(ports, 0, 12) == taken);
  CHECK(wait_behind(ports, 0, 2) == Cycles(0));
}

TEST_CASE("of several narrow ports on the way the slowest counts, once") {
  SharedPorts ports(small_chip(), Rate::per_cycle(64), Rate::per_cycle(32), Rate::per_cycle(16));
  CHECK(ports.pass(0, Cycle(0), bytes).last == Cycles(bytes / 16 - 1));
}

TEST_CASE("ports without limit are not there") {
  SharedPorts ports(small_chip(), unlimited, unlimited, unlimited);
  CHECK_FALSE(ports.limited());
  CHECK(ports.pass(0, Cycle(0), bytes).last == Cycles(0));
}

}  // namespace gpusim::fabric_topology_test
