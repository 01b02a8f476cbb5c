// registers: FFMAs whose operands meet in the register banks.
#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"

namespace gpusim::probe {

namespace {

constexpr std::size_t warm_groups = 8;

Quantities measure_registers(const Bench& bench, Values& values) {
  schedules::RegisterLoop loop;
  loop.x = static_cast<int>(values.number("x"));
  loop.y = static_cast<int>(values.number("y"));
  loop.reuse_x = values.is("reuse", "x") || values.is("reuse", "both");
  loop.reuse_y = values.is("reuse", "y") || values.is("reuse", "both");
  loop.warps = static_cast<int>(bench.profile().sm.sub_partitions);
  Stopwatch watch("FFMA");
  (void)bench.run({schedules::register_loop(loop)}, L2State::cold, &watch);
  return {{"cycles", watch.per_lap(warm_groups), "cycles"}};
}

Curve registers_curve(const Profile&, const Curve&) {
  return {{"x", {"8", "9"}}, {"y", {"9", "10"}}, {"reuse", {"none", "x", "both"}}};
}

}  // namespace

Kind registers_kind() {
  return {"registers",
          "groups of four FFMAs of one warp a sub-partition, operands in chosen registers: cycles of a group",
          "YKTian-x2b/AmpereArchViaMicroBenchMark regBank",
          {number("x", "register of the first operand", "8", 0, 254),
           number("y", "register of the second operand", "9", 0, 254),
           word("reuse", "operands that come from the reuse cache", {"none", "x", "y", "both"})},
          {{"cycles", "cycles"}},
          nullptr,
          measure_registers,
          registers_curve};
}

}  // namespace gpusim::probe
