// Law: the engine issues the instructions the schedule says.
#include <doctest/doctest.h>

#include "support/mixed_runs.h"
#include "support/run_log.h"

namespace gpusim::instruction_count_test {

using namespace gpusim::testing;

namespace {

std::int64_t issued(const KernelResult& kernel) {
  std::int64_t sum = 0;
  for (const RoleRow& role : kernel.roles) sum += role.instructions;
  return sum;
}

std::int64_t work_of(const Result& result, std::string_view server) {
  for (const ServerRow& row : result.servers)
    if (row.name == server) return row.work;
  return -1;
}

}  // namespace

TEST_CASE("warp instructions of every variant are those of its schedule, CTA for CTA") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    const Result result = run.run();
    for (std::size_t i = 0; i < run.schedules.size(); ++i)
      CHECK(issued(result.kernels[i]) == warp_instructions(run.schedules[i]) * cta_count(run.schedules[i]));
  }
}

TEST_CASE("each role's warps issue their program's instructions") {
  const MixedRun run = run_of("hopper", {"hopper", {.m = 128, .n = 128, .k = 320}, {.specialize = true}});
  const KernelResult kernel = run.run().kernels.at(0);
  int warp = 0;
  for (std::size_t i = 0; i < kernel.roles.size(); ++i) {
    const Role& role = run.schedules[0].roles[i];
    CAPTURE(role.name);
    std::int64_t expected = 0;
    for (int end = warp + role.warps; warp < end; ++warp) {
      Coordinates at{};
      at[static_cast<std::size_t>(Coordinate::warp)] = warp;
      expected += instruction_count(role.program, at);
    }
    CHECK(kernel.roles[i].instructions == expected);
    CHECK(kernel.roles[i].warps == role.warps);
  }
}

TEST_CASE("issue ports serve every instruction once") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    const Result result = run.run();
    std::int64_t sum = 0;
    for (const KernelResult& kernel : result.kernels) sum += issued(kernel);
    CHECK(work_of(result, "sm.issue") == sum);
  }
}

TEST_CASE("a product's multiply-adds all pass the pipe") {
  const schedules::GemmProblem problem{.m = 96, .n = 64, .k = 64, .dtype = DType::fp32};
  const MixedRun run = run_of("fma", {"ada", problem, {.tile = {32, 32, 32}, .variant = GemmVariant::simt}});
  CHECK(work_of(run.run(), "sm.fma") == problem.m * problem.n * problem.k / 32);
}

}  // namespace gpusim::instruction_count_test
