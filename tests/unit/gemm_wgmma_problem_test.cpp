// What wgmma and persistent CTAs may be asked for.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "gpusim/error.h"
#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_wgmma_problem_test {

using namespace gpusim::schedules;

namespace {

GemmProblem product(DType dtype) {
  GemmProblem problem{512, 512, 256};
  problem.dtype = dtype;
  return problem;
}

GemmRequest warp_groups(MmaShape instruction) {
  GemmRequest request;
  request.tile = {128, 128, 64};
  request.variant = GemmVariant::wgmma;
  request.instruction = instruction;
  return request;
}

std::string refusal(MmaShape instruction) {
  try {
    (void)choose(load_profile("h100-sxm"), product(DType::bf16), warp_groups(instruction));
  } catch (const ScheduleError& error) {
    CHECK(error.problems().size() == 1);
    return error.problems().front().where + ": " + error.problems().front().what;
  }
  return "";
}

/// Two consumer groups, 128 accumulators a lane.
std::string registers_refused(std::optional<int> begin, std::optional<int> of_consumers,
                              std::optional<int> of_producer) {
  GemmRequest request{.tile = {128, 256, 64}, .variant = GemmVariant::wgmma, .registers = begin};
  request.consumer_registers = of_consumers;
  request.producer_registers = of_producer;
  try {
    (void)choose(load_profile("h100-sxm"), product(DType::bf16), request);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("setmaxnreg leaves consumers their accumulators: what is named instead is taken") {
  const std::string too_few = "consumer_registers: 24 registers and 128 of accumulators: 104 are missing; 144 would do";
  CHECK(registers_refused(168, 24, 24) == too_few);
  CHECK(registers_refused({}, 24, 24) == too_few);
  CHECK(registers_refused(168, 144, 24) == "");
  CHECK(registers_refused({}, 144, 24) == "");
  CHECK(registers_refused({}, 32, 24) ==
        "consumer_registers: 32 registers and 128 of accumulators: 96 are missing; 144 would do");
  CHECK(registers_refused(64, {}, {}) ==
        "registers: 64 registers and 128 of accumulators: 64 are missing; 144 would do");
  CHECK(registers_refused(144, {}, {}) == "");
}

TEST_CASE("and gives no more than others have given back") {
  const std::string refused = "consumer_registers: after setmaxnreg the CTA's warps have ";
  CHECK(registers_refused({}, 240, {}) ==
        refused + "2064 registers a lane, 768 more than the 1296 they begin with; 144 would do");
  CHECK(registers_refused({}, 144, {}) == "");
  CHECK(registers_refused(64, 240, 24) ==
        refused +
            "2016 registers a lane, 1248 more than the 768 they begin with; 144 and 104 to begin with (registers) "
            "would do");
  CHECK(registers_refused(104, 144, 24) == "");
}

TEST_CASE("a wgmma instruction whose n does not divide the tile is refused") {
  CHECK(refusal({64, 96, 16}) == "instruction: its n 96 does not divide the tile's 128 columns");
  CHECK(refusal({64, 256, 16}) == "instruction: its n 256 does not divide the tile's 128 columns");
}

TEST_CASE("a wgmma instruction of another shape than the hardware's is refused by name") {
  CHECK(refusal({32, 128, 16}) == "instruction: wgmma of bf16 has m 64 and k 16, not m 32 and k 16");
  CHECK(refusal({64, 128, 32}) == "instruction: wgmma of bf16 has m 64 and k 16, not m 64 and k 32");
  CHECK(refusal({64, 100, 16}) == "instruction: wgmma has n 8 to 256 in steps of 8, not 100");
}

TEST_CASE("a wgmma instruction narrower than the tile multiplies all of it") {
  const GemmTiling tiling = choose(load_profile("h100-sxm"), product(DType::bf16), warp_groups({64, 32, 16}));
  CHECK(functional::check_gemm(gemm_kernels(product(DType::bf16), tiling), product(DType::bf16)).wrong == 0);
}

TEST_CASE("as many persistent CTAs as the GPU holds can walk neighbouring tiles, or equal shares of k") {
  GemmProblem problem = product(DType::fp32);
  GemmRequest request;
  request.tile = {64, 64, 16};
  request.variant = GemmVariant::simt;
  request.persistent = true;
  request.consecutive = true;
  CHECK(choose(load_profile("v100-sxm2"), problem, request).ctas > 1);
  request.consecutive.reset();
  request.stream_k = true;
  CHECK(choose(load_profile("v100-sxm2"), problem, request).ctas > 1);
}

TEST_CASE("groups that take tiles in turns are two of one persistent CTA, and what clashes is named") {
  const Profile hopper = load_profile("h100-sxm");
  const GemmProblem problem{.m = 2048, .n = 2048, .k = 256, .dtype = DType::bf16};
  GemmRequest request{.tile = {128, 128, 64}, .variant = GemmVariant::wgmma};
  request.pingpong = true;
  const auto refused = [&] {
    try {
      static_cast<void>(choose(hopper, problem, request));
      return std::string();
    } catch (const ScheduleError& error) {
      return std::string(error.what());
    }
  };
  CHECK(refused().find("give the number of CTAs (ctas), or have as many as fit (persistent)") != std::string::npos);
  request.persistent = true;
  const GemmTiling tiling = choose(hopper, problem, request);
  CHECK(tiling.consumers == 1);
  CHECK(tiling.ctas == 132);
  CHECK(tiling.double_buffer);
  const Schedule schedule = gemm(problem, tiling);
  REQUIRE(schedule.roles.size() == 3);
  CHECK(schedule.roles[0].warps == 4);
  CHECK(schedule.roles[1].warps == 4);
  request.consumers = 2;
  CHECK(refused().find("a tile is one group's: 2 that share it (consumers) clash; 1 would do") != std::string::npos);
  request.consumers.reset();
  request.stream_k = true;
  CHECK(refused().find("stream_k cuts tiles, which its groups take whole") != std::string::npos);
  request.stream_k.reset();
  request.consumers_arrive = true;
  CHECK(refused().find("would arrive for the other's stages (consumers_arrive)") != std::string::npos);
  request.consumers_arrive.reset();
  request.epilogue = schedules::Epilogue::staged;
  CHECK(refused().find("a staged epilogue has one tile of C") != std::string::npos);
}

TEST_CASE("while one group stores C the other multiplies: products of a short k take less than with one group") {
  const Gpu gpu(load_profile("h100-sxm"));
  const GemmProblem problem{.m = 1024, .n = 1024, .k = 512, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt};
  GemmTiling tiling{.tile = {128, 128, 64}, .variant = GemmVariant::wgmma, .stages = 5, .specialize = true};
  tiling.double_buffer = true;
  tiling.ctas = 8;  // of 8 tiles each; L2 has time for them
  const auto cycles_of = [&] {
    return static_cast<double>(gpu.run(gemm(problem, tiling), {.l2 = L2State::warm}).kernels.front().cycles.count());
  };
  const double one_group = cycles_of();
  tiling.pingpong = true;
  const double two_groups = cycles_of();
  constexpr double products = 8 * 8 * 512;  // cycles of the tensor cores
  CHECK(two_groups < 0.7 * one_group);
  CHECK(two_groups < 1.2 * products);
  CHECK(two_groups > products);
}

TEST_CASE("promoted sums need fp32, and registers for both") {
  const Profile hopper = load_profile("h100-sxm");
  GemmRequest request{.tile = {128, 128, 64}, .variant = GemmVariant::wgmma};
  const int usual = choose(hopper, product(DType::bf16), request).registers;
  request.promote = true;
  const GemmTiling promoted = choose(hopper, product(DType::bf16), request);
  CHECK_FALSE(promoted.double_buffer);
  CHECK(promoted.registers >= usual + 128 * 128 / 256);
  GemmRequest tall{.tile = {256, 128, 64}, .variant = GemmVariant::wgmma};
  tall.promote = true;  // of 128 rows a group the sums of 64 are there twice
  const int of_tall = choose(hopper, product(DType::bf16), tall).registers;
  CHECK(of_tall >= 256 * 128 / 256 + 64 * 128 / 128);
  CHECK(of_tall < 2 * 256 * 128 / 256);
  request.double_buffer = true;
  CHECK_THROWS_WITH_AS((void)choose(hopper, product(DType::bf16), request), doctest::Contains("promote: double_buffer"),
                       ScheduleError);
  GemmTiling mma{.tile = {64, 64, 32}, .variant = GemmVariant::async};
  mma.promote = true;
  CHECK_THROWS_WITH_AS((void)gemm(product(DType::bf16), mma), doctest::Contains("wgmma has it"), ScheduleError);
}

TEST_CASE("floating-point sums do not become whole numbers") {
  GemmProblem problem = product(DType::fp16);
  problem.result = DType::int8;
  CHECK_THROWS_WITH_AS((void)gemm(problem, {.tile = {64, 64, 32}, .variant = GemmVariant::async}),
                       doctest::Contains("result: sums are fp32"), ScheduleError);
}

}  // namespace gpusim::gemm_wgmma_problem_test
