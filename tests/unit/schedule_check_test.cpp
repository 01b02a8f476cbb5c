#include <doctest/doctest.h>

#include <string>

#include "gpusim/schedules/gemm.h"

namespace gpusim::schedule_check_test {

using namespace gpusim::literals;
using schedules::GemmVariant;

namespace {

/// Has everything, without limits, for fp16 with the usual instruction.
Profile able() {
  Profile profile;
  profile.async_copy.emplace();
  profile.tma.emplace();
  profile.tensor.modes = {{.input = DType::fp16, .accumulate = DType::fp32, .m = 16, .n = 8, .k = 16}};
  return profile;
}

Schedule schedule_of(GemmVariant variant) {
  return schedules::gemm({.m = 512, .n = 512, .k = 512},
                         {.tile = {128, 128, 32}, .variant = variant, .specialize = variant == GemmVariant::tma});
}

/// The one problem there is, or "" and a failure.
std::string only_problem(const Schedule& schedule, const Profile& profile) {
  const std::vector<Problem> problems = check(schedule, profile);
  CHECK(problems.size() == 1);
  return problems.size() == 1 ? problems[0].where + ": " + problems[0].what : "";
}

/// Changes the first operation of the first role that has an action of this kind.
template <class Kind, class Change>
Schedule broken(Schedule schedule, const Change& change) {
  for (Statement& statement : schedule.roles[0].program.body) {
    auto* loop = std::get_if<Loop>(&statement);
    std::vector<Statement> alone{statement};
    for (Statement& each : loop != nullptr ? loop->body : alone)
      if (auto* operation = std::get_if<Operation>(&each))
        if (auto* action = std::get_if<Kind>(&operation->action)) {
          change(*action, *operation);
          if (loop == nullptr) statement = each;
          return schedule;
        }
  }
  FAIL("the schedule has no such operation");
  return schedule;
}

std::string first_problem(const Schedule& schedule) {
  const std::vector<Problem> problems = check(schedule);
  return problems.empty() ? "" : problems.front().what;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a GPU that has everything takes every variant") {
  for (const auto variant : {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async, GemmVariant::tma})
    CHECK(check(schedule_of(variant), able()).empty());
}

TEST_CASE("too much shared memory: says how much is needed, how much there is, and how many stages would fit") {
  Profile profile = able();
  profile.shared.per_cta = 60'000_B;
  const std::int64_t stage = (128 * 32 + 32 * 128) * 2;
  CHECK(only_problem(schedule_of(GemmVariant::async), profile) ==
        "schedule.shared: a CTA needs " + std::to_string(4 * stage) +
            " bytes of shared memory; there are 60000; 3 stages would fit");
}

TEST_CASE("shared memory that the system reserves is not there for a CTA") {
  Profile profile = able();
  profile.shared.capacity = 64_KiB;
  CHECK(check(schedule_of(GemmVariant::async), profile).empty());
  profile.shared.reserved_per_cta = 1_KiB;
  CHECK(contains(only_problem(schedule_of(GemmVariant::async), profile), "there are 64512"));
}

TEST_CASE("too many registers a thread, or for an SM") {
  Profile profile = able();
  Schedule schedule = schedule_of(GemmVariant::async);
  schedule.registers_per_thread = 300;
  CHECK(only_problem(schedule, profile) == "schedule.registers: a thread needs 300 registers; it may have 255");
  schedule.registers_per_thread = 200;
  profile.sm.registers = 32768;
  CHECK(only_problem(schedule, profile) ==
        "schedule.registers: 8 warps of 200 registers a thread need 51200 registers; an SM has 32768, 128 for each "
        "of their threads");
}

TEST_CASE("more warps than an SM holds") {
  Profile profile = able();
  profile.sm.warps = 8;
  CHECK(only_problem(schedule_of(GemmVariant::tma), profile) == "schedule.warps: a CTA has 9 warps; an SM holds 8");
}

TEST_CASE("buffers larger than device memory") {
  Profile profile = able();
  profile.dram.capacity = 1_MiB;
  CHECK(only_problem(schedule_of(GemmVariant::tensor), profile) ==
        "schedule.buffers: the buffers take 1572864 bytes; the GPU has 1048576");
}

TEST_CASE("copies the GPU does not have are named once each") {
  Profile without_tma = able();
  without_tma.tma.reset();
  CHECK(contains(only_problem(schedule_of(GemmVariant::tma), without_tma), "no tensor memory accelerator"));
  Profile older = without_tma;
  older.async_copy.reset();
  CHECK(contains(only_problem(schedule_of(GemmVariant::async), older), "no asynchronous copies (cp.async)"));
  CHECK(check(schedule_of(GemmVariant::tma), older).size() == 2);  // nor mbarriers, which came with those copies
}

TEST_CASE("types the tensor cores do not multiply: lists those they do") {
  Profile profile = able();
  profile.tensor.modes[0].input = DType::bf16;
  CHECK(only_problem(schedule_of(GemmVariant::tensor), profile) ==
        "schedule.tensor: the GPU has no tensor cores for fp16 with fp32 accumulation; it has bf16 with fp32 "
        "accumulation");
}

TEST_CASE("an instruction of another shape than the GPU's: lists those it has for the types") {
  Profile profile = able();
  profile.tensor.modes[0].k = 8;
  TensorModeSpec sparse = profile.tensor.modes[0];
  sparse.sparse = true;
  sparse.k = 32;
  profile.tensor.modes.push_back(sparse);
  CHECK(only_problem(schedule_of(GemmVariant::tensor), profile) ==
        "schedule.tensor: the schedule multiplies fp16 with fp32 accumulation with m16n8k16; this GPU has m16n8k8, "
        "m16n8k32 sparse");
}

TEST_CASE("references to what is not there, and addresses outside their tile, are found whatever the GPU") {
  const Schedule sound = schedule_of(GemmVariant::tma);
  CHECK(first_problem(sound).empty());
  CHECK(first_problem(broken<LoadShared>(sound, [](LoadShared& load, Operation&) { load.into = Token(9); })) ==
        "there is no fragment 9 among 3");
  CHECK(first_problem(broken<LoadShared>(sound, [](LoadShared& load, Operation&) { load.from.tile = TileId(2); })) ==
        "there is no tile 2 among 2");
  CHECK(contains(first_problem(broken<LoadShared>(sound, [](LoadShared& load, Operation&) { load.from.row += 1; })),
                 "runs from 1 to 128; it must stay within 0 and 127"));
  CHECK(contains(first_problem(broken<BarrierWait>(sound, [](BarrierWait& wait, Operation&) { wait.at.slot = 4; })),
                 "the slot 4 runs from 4 to 4; it must stay within 0 and 3"));
  CHECK(contains(first_problem(broken<BarrierWait>(
                     sound, [](BarrierWait& wait, Operation&) { wait.phase += along(Coordinate::loop2); })),
                 "depends on loop2 outside such a loop"));
}

TEST_CASE("a tile whose rows would overlap is refused") {
  Schedule schedule = schedule_of(GemmVariant::tensor);
  schedule.shared_tiles[0].pitch = 48_B;  // of rows that are 64 bytes long
  CHECK(contains(first_problem(schedule), "the pitch in bytes is 48; it must be 64"));
  schedule = schedule_of(GemmVariant::tensor);
  schedule.shared_tiles[0].pitch = 80_B;
  CHECK(contains(first_problem(schedule), "a swizzle of 64 bytes needs a pitch that is a multiple of it"));
}

TEST_CASE("operations that make no sense are found whatever the GPU") {
  const Schedule sound = schedule_of(GemmVariant::async);
  CHECK(contains(first_problem(broken<CopyAsync>(sound,
                                                 [](CopyAsync& copy, Operation&) {
                                                   copy.from.vector = 1;
                                                   copy.to.vector = 1;
                                                 })),
                 "4, 8 or 16 bytes a lane, not 2"));
  CHECK(contains(first_problem(broken<LoadShared>(sound, [](LoadShared& load, Operation&) { load.from.vector = 3; })),
                 "a lane accesses 1, 2, 4, 8 or 16 bytes"));
  CHECK(
      contains(first_problem(broken<LoadShared>(sound, [](LoadShared&, Operation& operation) { operation.count = 0; })),
               "an operation is 1 to"));
  CHECK(contains(first_problem(broken<LoadShared>(sound,
                                                  [](LoadShared&, Operation& operation) {
                                                    operation.guard = Bound{along(Coordinate::lane), 3};
                                                  })),
                 "a guard may not depend on lane"));
  CHECK(contains(first_problem(broken<LoadShared>(
                     sound, [](LoadShared& load, Operation&) { load.from.row = along(Coordinate::lane, 1LL << 46); })),
                 "grows beyond 2^47"));
}

TEST_CASE("loops that would run for ever are refused, so that instructions can be counted") {
  Schedule schedule = schedule_of(GemmVariant::simt);
  for (Statement& statement : schedule.roles[0].program.body)
    if (auto* tiles = std::get_if<Loop>(&statement)) {
      tiles->trips = 2'000'000'000;
      for (Statement& inner : tiles->body)
        if (auto* steps = std::get_if<Loop>(&inner)) steps->trips = 2'000'000;
    }
  const std::vector<Problem> problems = check(schedule);
  REQUIRE(!problems.empty());
  CHECK(problems.back() == Problem{"/roles/0/program/body", "a warp executes more than 2^48 instructions"});
}

TEST_CASE("sizes nobody can have meant are refused before anything is built from them") {
  Schedule schedule = schedule_of(GemmVariant::async);
  schedule.shared_tiles[0].stages = 1'000'000'000;
  schedule.grid_m = -1;
  schedule.buffers[1].pitch = schedule.buffers[1].columns - 1;
  const std::vector<Problem> problems = check(schedule);
  CHECK(problems.size() >= 4);
  CHECK(problems[0] == Problem{"/grid_m", "the grid's extent along m is -1; it must be 1 to 2147483647"});
}

}  // namespace gpusim::schedule_check_test
