// One SM alone: what register banks take when operands of a multiply meet in one of them.
#include <doctest/doctest.h>

#include <algorithm>

#include "machine/machine.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_register_bank_test {

using namespace gpusim::testing;

namespace {

constexpr std::int64_t operands = 11, instructions = 4;

Multiply multiply(Probe& probe, const std::string& into, std::optional<RegisterReads> reads) {
  Multiply multiply{Pipe::fma, probe.token("a"), probe.token("b"), probe.token(into)};
  multiply.input = multiply.accumulate = DType::fp32;
  multiply.reads = reads;
  return multiply;
}

/// Two groups of multiplies that do not depend on each other, the second ever the same.
Probe two_groups(std::optional<RegisterReads> reads) {
  Probe probe;
  probe.add(multiply(probe, "c", reads), instructions).add(multiply(probe, "d", reads), instructions);
  return probe;
}

Cycle second_group(const Profile& profile, std::optional<RegisterReads> reads) {
  ScriptedFabric fabric(profile, two_groups(reads).schedule(), always(Cycles(1)));
  fabric.run();
  return fabric.log.issue("FFMA", 1);
}

Profile with_banks(Rate rate = Rate::per_cycle(1)) {
  Profile profile = probe_machine();
  profile.sm.register_bank_operands_per_clk = rate;
  return profile;
}

bool has_row(const Result& result) {
  return std::any_of(result.servers.begin(), result.servers.end(),
                     [](const ServerRow& row) { return row.name == "sm.register_banks"; });
}

}  // namespace

TEST_CASE("a group takes as long as its busiest bank has operands to deliver") {
  CHECK(second_group(with_banks(), RegisterReads{operands, instructions}) == Cycle(operands));
  CHECK(second_group(with_banks(Rate::ratio(11, 5)), RegisterReads{operands, instructions}) == Cycle(5));
}

TEST_CASE("banks that keep up leave the pace to issue and pipe") {
  CHECK(second_group(with_banks(), RegisterReads{3, instructions}) == Cycle(instructions));
  CHECK(second_group(with_banks(Rate::unlimited()), RegisterReads{operands, instructions}) == Cycle(instructions));
  CHECK(second_group(with_banks(), std::nullopt) == Cycle(instructions));
}

TEST_CASE("a group is complete when its last instruction, held up by the banks, is") {
  const Profile profile = with_banks();
  Probe probe;
  const Multiply group = multiply(probe, "c", RegisterReads{operands, instructions});
  probe.add(group, instructions).add(needs(group.c));
  ScriptedFabric fabric(profile, probe.schedule(), always(Cycles(1)));
  fabric.run();
  const Cycles last_starts((operands * (instructions - 1) + instructions - 1) / instructions);
  CHECK(fabric.log.issue("ALU") == Cycle() + last_starts + profile.pipes.fma.latency);
}

TEST_CASE("warps of a sub-partition share its banks, those of another do not") {
  for (const int sub_partitions : {1, 2}) {
    CAPTURE(sub_partitions);
    Profile profile = with_banks();
    profile.sm.sub_partitions = sub_partitions;
    ScriptedFabric fabric(profile, two_groups(RegisterReads{operands, instructions}).schedule(2), always(Cycles(1)));
    fabric.run();
    CHECK(fabric.log.issue("FFMA", 1, 1) == Cycle((sub_partitions == 1 ? 3 : 1) * operands));
  }
}

TEST_CASE("what says nothing of its operands passes while banks are busy") {
  const Profile profile = with_banks();
  Probe held;
  held.add(multiply(held, "c", RegisterReads{operands, instructions}), instructions);
  Probe free("free");
  free.add(multiply(free, "c", std::nullopt));
  ScriptedFabric fabric(profile, probe_schedule({held.role(), free.role()}), always(Cycles(1)));
  fabric.run();
  CHECK(fabric.log.issue("FFMA", 0, 1) == Cycle(instructions));
}

TEST_CASE("the result has a row for the banks when they could hold something up") {
  const auto row_of = [](Rate rate, std::optional<RegisterReads> reads) {
    const Profile profile = with_banks(rate);
    const Schedule schedule = two_groups(reads).schedule();
    return has_row(machine::Machine(profile, {}, {}).run(std::span(&schedule, 1)));
  };
  CHECK(row_of(Rate::per_cycle(1), RegisterReads{operands, instructions}));
  CHECK_FALSE(row_of(Rate::per_cycle(1), std::nullopt));
  CHECK_FALSE(row_of(Rate::unlimited(), RegisterReads{operands, instructions}));
}

}  // namespace gpusim::sm_register_bank_test
