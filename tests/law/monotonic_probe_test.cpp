// Law: better hardware never makes a program that lives on one unit slower, not by a cycle.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/improvements.h"
#include "support/unit_probes.h"

namespace gpusim::monotonic_probe_test {

using namespace gpusim::testing;

namespace {

Cycles cycles_on(const Profile& profile, const UnitProbe& probe) {
  return cycles(Gpu(profile).run(probe.schedule, {.l2 = probe.l2}));
}

/// Runs each probe on every better machine; returns the numbers that made no probe faster.
std::vector<std::string> without_effect(const std::vector<UnitProbe>& probes) {
  std::vector<Cycles> before;
  for (const UnitProbe& probe : probes) before.push_back(cycles_on(limited_machine(), probe));
  std::vector<std::string> idle;
  for (const Improvement& improvement : improvements()) {
    CAPTURE(improvement.key);
    Profile better = limited_machine();
    if (!improvement.apply(better)) continue;
    bool faster = false;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      CAPTURE(probes[i].unit);
      const Cycles after = cycles_on(better, probes[i]);
      CHECK(after.count() <= before[i].count());
      faster = faster || after < before[i];
    }
    if (!faster) idle.push_back(improvement.key);
  }
  return idle;
}

}  // namespace

TEST_CASE("a better number slows no unit's probe down, and every number speeds one up") {
  std::vector<UnitProbe> probes = arithmetic_probes();
  for (const auto& more : {shared_and_copy_probes(), global_probes()})
    probes.insert(probes.end(), more.begin(), more.end());
  // The issue port is the limit before the lanes of this one are. A pass of L1 takes whole cycles: a line of 128 bytes
  // takes two at 64 and at 80 bytes a cycle.
  CHECK(without_effect(probes) == std::vector<std::string>{"pipes.alu.lanes x 2", "l1.bytes_per_clk x 5/4"});
}

}  // namespace gpusim::monotonic_probe_test
