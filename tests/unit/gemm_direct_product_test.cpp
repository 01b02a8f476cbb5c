// Tensor-core operands straight from global memory, and by way of local memory: products equal Eigen's in every
// element.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "gpusim/error.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"

namespace gpusim::gemm_direct_product_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

}  // namespace

TEST_CASE("fragments straight from global memory, of one operand or of both, in any layout and type") {
  const auto check = [](const GemmProblem& problem, GemmTiling tiling) {
    for (const bool stage_a : {false, true})
      for (const bool stage_b : {false, true}) {
        if (stage_a && stage_b) continue;
        tiling.stage_a = stage_a;
        tiling.stage_b = stage_b;
        tiling.prefetch = false;
        tiling.stages = 1;
        check_product(problem, tiling);
        tiling.prefetch = stage_a || stage_b;
        tiling.stages = tiling.prefetch ? 2 : 1;
        check_product(problem, tiling);
      }
  };
  for (const GemmLayout layout : layouts)
    for (const bool double_buffer : {false, true}) {
      GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::tensor, .stages = 1, .fragment_k = 16};
      tiling.double_buffer = double_buffer;
      check({.m = 100, .n = 72, .k = 80, .beta = 1, .layout = layout}, tiling);
      check({.m = 70, .n = 72, .k = 42, .layout = layout}, tiling);
      if (!double_buffer) {
        tiling.cta_slices = 2;
        check({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
        tiling.cta_slices = 1;
      }
      tiling.instruction = {16, 16, 4};
      check({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
      check({.m = 70, .n = 72, .k = 44, .layout = layout}, tiling);
      tiling.instruction = {16, 8, 8};
      tiling.fragment_k = 8;
      check({.m = 100, .n = 72, .k = 80, .dtype = DType::tf32, .layout = layout}, tiling);
      tiling.instruction = {16, 8, 32};
      tiling.fragment_k = 32;
      tiling.tile.k = 64;
      check({.m = 100, .n = 72, .k = 80, .dtype = DType::int8, .accumulate = DType::int32, .layout = layout}, tiling);
    }
}

TEST_CASE("neighbours along k that reach beyond k are refused where both operands' would meet") {
  GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::tensor, .stages = 1};
  tiling.stage_a = tiling.stage_b = false;
  const auto refusal = [&](const GemmProblem& problem) -> std::string {
    try {
      (void)gemm(problem, tiling);
    } catch (const ScheduleError& error) {
      return error.problems().front().where;
    }
    return "";
  };
  const GemmProblem odd{.m = 64, .n = 64, .k = 43, .layout = GemmLayout::nt};
  CHECK(refusal(odd) == "stage_a");
  tiling.instruction = {16, 16, 4};  // four at a time
  const GemmProblem half{.m = 64, .n = 64, .k = 42, .layout = GemmLayout::nt};
  CHECK(refusal(half) == "stage_a");
  tiling.instruction = {16, 8, 16};
  CHECK(refusal(half) == "");
  check_product(half, tiling);
}

TEST_CASE("tiles that go through local memory on their way to shared memory") {
  for (const GemmLayout layout : layouts)
    for (const int load_batch : {0, 1}) {
      GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::tensor, .stages = 1, .load_batch = load_batch};
      tiling.through_local = true;
      check_product({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
      tiling.prefetch = load_batch == 0;
      check_product({.m = 100, .n = 72, .k = 80, .layout = layout, .bias = true}, tiling);
    }
}

}  // namespace gpusim::gemm_direct_product_test
