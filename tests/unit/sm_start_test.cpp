// One SM alone: the warps of a starting CTA.
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_start_test {

using namespace gpusim::testing;

TEST_CASE("the first warp of a CTA begins at once, the others as they are set up") {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  for (const auto& [rate, cycles_a_warp] : {std::pair{Rate::one_every(6), 6}, {Rate::unlimited(), 0}}) {
    profile.launch.warps_per_clk = rate;
    ScriptedFabric fabric(profile, Probe().add(Arithmetic{}).schedule(4), always(Cycles(77)));
    fabric.run();
    for (int warp = 0; warp < 4; ++warp) {
      CAPTURE(warp);
      CHECK(fabric.log.issue("ALU", 0, warp) == Cycle(cycles_a_warp * warp));
    }
  }
}

TEST_CASE("two warps a cycle begin in pairs") {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  profile.launch.warps_per_clk = Rate::per_cycle(2);
  ScriptedFabric fabric(profile, Probe().add(Arithmetic{}).schedule(4), always(Cycles(77)));
  fabric.run();
  for (int warp = 0; warp < 4; ++warp) CHECK(fabric.log.issue("ALU", 0, warp) == Cycle(warp / 2));
}

}  // namespace gpusim::sm_start_test
