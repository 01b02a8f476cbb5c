// Thread tiles with more accumulators than a thread has registers.
#include <doctest/doctest.h>

#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_spill_test {

using schedules::GemmProblem;
using schedules::GemmTiling;

namespace {

GemmTiling tiling(int side) {
  GemmTiling tiling;
  tiling.variant = schedules::GemmVariant::simt;
  tiling.tile = {8 * side, 4 * side, 8};
  tiling.thread_tile = {side, side};
  tiling.fragment_k = 2;
  return tiling;
}

}  // namespace

TEST_CASE("16 x 16 accumulators do not fit beside two steps' fragments: 81 come and go once for both") {
  constexpr int accumulators = 16 * 16;
  constexpr int fragments = 2 * (16 + 16);
  constexpr int addresses = 16;
  constexpr int spilled = accumulators + fragments + addresses - 255;
  const GemmProblem problem{.m = 128, .n = 64, .k = 32, .dtype = DType::fp32};
  const Schedule schedule = schedules::gemm(problem, tiling(16));
  CHECK(schedule.registers_per_thread == 255);
  CHECK(schedule.buffers.back().name == "local");
  // Those that go out take the places of those that came in: there are places for what a single k leaves no room for.
  constexpr int places = spilled - (16 + 16);
  CHECK(schedule.buffers.back().columns == places * 32);
  // From k = 32 to 64 there are 16 fragments of two k more.
  GemmProblem longer = problem;
  longer.k = 64;
  GemmTiling fitting = tiling(16);
  fitting.registers = 512;
  const auto growth = [&](const GemmTiling& with) {
    return warp_instructions(schedules::gemm(longer, with)) - warp_instructions(schedules::gemm(problem, with));
  };
  CHECK(growth(tiling(16)) - growth(fitting) == 2 * spilled * 16);
}

TEST_CASE("A from global memory is begun a step ahead: its fragments take the places of two steps") {
  GemmTiling direct = tiling(16);
  direct.stage_a = false;
  const GemmProblem problem{.m = 128, .n = 64, .k = 32, .dtype = DType::fp32, .layout = schedules::GemmLayout::tn};
  const Schedule schedule = schedules::gemm(problem, direct);
  CHECK(schedule.buffers.back().columns == (16 * 16 + 2 * (16 + 16) + 16 - 255) * 32);
  CHECK(functional::check_gemm(schedules::gemm_kernels(problem, direct), problem).wrong == 0);
}

TEST_CASE("spilled registers pass L1 by: loaded for the last time, stored through it") {
  const GemmProblem problem{.m = 128, .n = 64, .k = 32, .dtype = DType::fp32};
  const auto result = Gpu(load_profile("rtx2080ti")).run(schedules::gemm(problem, tiling(16)));
  const auto& traffic = result.kernels.at(0).traffic;
  constexpr std::int64_t spilled = 16 * 16 + 2 * (16 + 16) + 16 - 255;
  constexpr std::int64_t steps = 32 / 2;
  constexpr std::int64_t warps = 128 * 64 / (16 * 16) / 32;
  constexpr std::int64_t sectors_a_warp = 4;
  CHECK(traffic.l2_read_sectors >= spilled * steps * warps * sectors_a_warp);
}

TEST_CASE("what is chosen for a GPU spills as well") {
  const GemmProblem problem{.m = 128, .n = 64, .k = 32, .dtype = DType::fp32};
  schedules::GemmRequest request;
  request.variant = schedules::GemmVariant::simt;
  request.tile = {128, 64, 8};
  request.thread_tile = schedules::GemmShape{16, 16};
  request.fragment_k = 2;
  const Profile profile = load_profile("rtx2080ti");
  CHECK(schedules::gemm(problem, schedules::choose(profile, problem, request)).buffers.back().name == "local");
}

TEST_CASE("two buffers of single steps spill as one of two steps does") {
  const GemmProblem problem{.m = 128, .n = 64, .k = 32, .dtype = DType::fp32};
  GemmTiling buffered = tiling(16);
  buffered.fragment_k = 1;
  buffered.double_buffer = true;
  CHECK(schedules::gemm(problem, buffered).buffers.back().columns ==
        schedules::gemm(problem, tiling(16)).buffers.back().columns);
  CHECK(functional::check_gemm(schedules::gemm_kernels(problem, buffered), problem).wrong == 0);
}

TEST_CASE("fewer registers than a thread needs spill what is missing; fewer than its fragments need are refused") {
  const GemmProblem problem{.m = 64, .n = 32, .k = 32, .dtype = DType::fp32};
  const auto columns = [&](int registers) {
    GemmTiling with = tiling(8);
    with.registers = registers;
    const Schedule schedule = schedules::gemm(problem, with);
    return schedule.buffers.size() == 4 ? schedule.buffers.back().columns : 0;
  };
  constexpr int needed = 8 * 8 + (8 + 8) + 16;
  CHECK(columns(needed) == 0);
  CHECK(columns(needed - 1) == 32);
  CHECK_THROWS_WITH(columns(31), "registers: 31 do not hold a step's fragments, 16, and 16 addresses; 32 do");
}

TEST_CASE("tensor cores' accumulators are not spilled: too few registers are refused") {
  GemmTiling few{.tile = {128, 128, 32}, .registers = 32};
  CHECK_THROWS_WITH(static_cast<void>(schedules::gemm({.m = 128, .n = 128, .k = 64}, few)),
                    "registers: 32 registers and 64 of accumulators: 32 are missing; 128 would do");
  few.registers = 72;
  CHECK_THROWS_WITH(
      static_cast<void>(schedules::gemm({.m = 128, .n = 128, .k = 64}, few)),
      "registers: 72 registers and 64 of accumulators: 8 are left for operands and addresses; 128 would do");
  few.registers = 76;
  CHECK_NOTHROW(static_cast<void>(schedules::gemm({.m = 128, .n = 128, .k = 64}, few)));
}

TEST_CASE("what fits is not spilled") {
  const Schedule schedule = schedules::gemm({.m = 64, .n = 32, .k = 32, .dtype = DType::fp32}, tiling(8));
  CHECK(schedule.buffers.size() == 3);
  CHECK(schedule.registers_per_thread < 255);
}

TEST_CASE("a product whose accumulators are spilled is right, with a bias and in a batch too") {
  GemmProblem problem{.m = 150, .n = 70, .k = 20, .dtype = DType::fp32};
  for (const bool bias : {false, true})
    for (const std::int64_t batch : {1, 2}) {
      problem.bias = bias;
      problem.batch = batch;
      const std::vector<Schedule> kernels = schedules::gemm_kernels(problem, tiling(16));
      CHECK(functional::check_gemm(kernels, problem).wrong == 0);
    }
}

}  // namespace gpusim::gemm_spill_test
