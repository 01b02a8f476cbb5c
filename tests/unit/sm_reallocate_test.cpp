// One SM alone: warps that hand registers to each other (setmaxnreg).
#include <doctest/doctest.h>

#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_reallocate_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles issue{1};
constexpr int at_launch = 96;

/// One role takes `taken` registers a thread at once; the other goes down to `left` after a chain of FMAs.
Schedule handed_over(int taken, int left, std::int64_t chain = 50) {
  Probe taker("taker"), giver("giver");
  taker.add(RegisterReallocate{taken}).add(Arithmetic{});
  const Token x = giver.token("x");
  giver.add(changes(x), chain).add(needs(x, Pipe::sfu)).add(RegisterReallocate{left});
  Schedule schedule = probe_schedule({taker.role(), giver.role()});
  schedule.registers_per_thread = at_launch;
  return schedule;
}

}  // namespace

TEST_CASE("a warp that asks for more registers waits until others have given them back") {
  ScriptedFabric fabric(probe_machine(), handed_over(136, 56), always(Cycles(0)));
  fabric.run();
  REQUIRE(fabric.log.issue("USETMAXREG", 0, 1) > Cycle(50));
  CHECK(fabric.log.issue("ALU", 0, 0) == fabric.log.issue("USETMAXREG", 0, 1) + issue);
}

TEST_CASE("fewer registers, or as many, are had at once") {
  for (const int registers : {at_launch, at_launch - 40}) {
    CAPTURE(registers);
    ScriptedFabric fabric(probe_machine(), handed_over(registers, 56), always(Cycles(0)));
    fabric.run();
    CHECK(fabric.log.issue("ALU", 0, 0) <= fabric.log.issue("USETMAXREG", 0, 0) + 2 * issue);
  }
}

TEST_CASE("registers that nobody gives back are waited for in vain, and the run says so") {
  const Schedule schedule = handed_over(144, 56);
  const Profile profile = probe_machine();
  try {
    (void)machine::Machine(profile, {}, {}).run(std::span(&schedule, 1));
    FAIL("the run ended");
  } catch (const DeadlockError& error) {
    REQUIRE(error.waits().size() == 1);
    CHECK(error.waits()[0] ==
          "warp 0 (taker) of CTA 0 waits to have 144 registers a thread instead of 96: other warps have given back 40");
  }
}

}  // namespace gpusim::sm_reallocate_test
