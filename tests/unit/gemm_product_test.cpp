// Every variant, executed on numbers, equals Eigen's product in every element.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "gpusim/functional.h"
#include "gpusim/schedules/gemm.h"
#include "support/gemm_cases.h"

namespace gpusim::gemm_product_test {

using schedules::GemmProblem;
using schedules::GemmTile;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

struct Shape {
  std::int64_t m, n, k;
};

constexpr std::array shapes{Shape{128, 128, 128}, Shape{65, 33, 47}, Shape{1, 1, 1}, Shape{129, 200, 72},
                            Shape{64, 1, 200}};

void check_product(const GemmProblem& problem, const GemmTiling& tiling) {
  const Schedule schedule = schedules::gemm(problem, tiling);
  const auto result = functional::check_gemm(schedule, problem.alpha, problem.beta);
  INFO(schedule.name, ": first wrong element (", result.first_row, ", ", result.first_column, ") is ", result.actual,
       ", not ", result.expected);
  CHECK(result.elements == problem.m * problem.n);
  CHECK(result.wrong == 0);
}

void check_shapes(GemmProblem problem, const GemmTiling& tiling) {
  for (const Shape& shape : shapes) {
    problem.m = shape.m;
    problem.n = shape.n;
    problem.k = shape.k;
    check_product(problem, tiling);
  }
}

void check_tensor_types(GemmTiling tiling) {
  for (const auto& types : testing::tensor_types()) {
    tiling.instruction = types.instruction;
    check_shapes({.dtype = types.input, .accumulate = types.accumulate}, tiling);
  }
}

}  // namespace

TEST_CASE("simt multiplies fp32, fp16 and bf16") {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16})
    check_shapes({.dtype = dtype}, {.tile = {64, 64, 16}, .variant = GemmVariant::simt});
}

TEST_CASE("tensor multiplies every pair of types") {
  check_tensor_types({.tile = {64, 64, 32}, .variant = GemmVariant::tensor});
}

TEST_CASE("async multiplies every pair of types") {
  check_tensor_types({.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 3});
}

TEST_CASE("tma multiplies every pair of types, with and without a producer warp") {
  for (const bool specialize : {false, true})
    check_tensor_types({.tile = {64, 64, 32}, .variant = GemmVariant::tma, .stages = 3, .specialize = specialize});
}

TEST_CASE("any number of stages, also more than there are tiles") {
  for (const int stages : {2, 3, 4, 8})
    for (const auto variant : {GemmVariant::async, GemmVariant::tma})
      for (const bool specialize : {false, true}) {
        if (specialize && variant != GemmVariant::tma) continue;
        check_product({.m = 70, .n = 40, .k = 100},
                      {.tile = {64, 32, 16}, .variant = variant, .stages = stages, .specialize = specialize});
      }
}

TEST_CASE("any tile the warps can share") {
  const std::array tiles{GemmTile{128, 128, 32}, GemmTile{128, 256, 32}, GemmTile{256, 128, 64},
                         GemmTile{32, 32, 32},   GemmTile{96, 96, 32},   GemmTile{64, 160, 48},
                         GemmTile{16, 8, 16},    GemmTile{128, 128, 16}};
  for (const GemmTile& tile : tiles)
    for (const auto variant : {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async, GemmVariant::tma})
      check_product({.m = 150, .n = 170, .k = 90},
                    {.tile = tile, .variant = variant, .stages = variant == GemmVariant::tensor ? 1 : 2});
}

TEST_CASE("tiles with a shallow k, whose copies leave some warps idle") {
  check_product({.m = 150, .n = 170, .k = 90}, {.tile = {128, 128, 8}, .variant = GemmVariant::simt, .stages = 3});
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async})
    check_product({.m = 150, .n = 170, .k = 90}, {.tile = {128, 128, 8},
                                                  .variant = variant,
                                                  .stages = variant == GemmVariant::tensor ? 1 : 3,
                                                  .instruction = {16, 8, 8}});
}

TEST_CASE("fragments of any part of the tile's k") {
  for (const int fragment_k : {1, 2, 4, 8, 16, 32})
    check_product({.m = 70, .n = 130, .k = 75, .dtype = DType::fp32},
                  {.tile = {64, 64, 32}, .variant = GemmVariant::simt, .fragment_k = fragment_k});
  for (const int fragment_k : {16, 32, 64})
    check_product({.m = 70, .n = 130, .k = 75},
                  {.tile = {64, 64, 64}, .variant = GemmVariant::async, .fragment_k = fragment_k});
}

TEST_CASE("alpha and beta") {
  for (const double alpha : {1.0, 0.5, -3.0})
    for (const double beta : {0.0, 1.0, 0.25})
      for (const auto variant : {GemmVariant::simt, GemmVariant::async, GemmVariant::tma})
        check_product({.m = 65, .n = 33, .k = 47, .alpha = alpha, .beta = beta},
                      {.tile = {64, 64, 32}, .variant = variant});
}

TEST_CASE("C is not read when beta is 0: what was in it does not matter") {
  const Schedule schedule = schedules::gemm({.m = 40, .n = 40, .k = 40}, {.tile = {32, 32, 32}});
  functional::Memory memory{{"A", functional::random_matrix(40, 40, 1)},
                            {"B", functional::random_matrix(40, 40, 2)},
                            {"C", functional::Matrix::Constant(40, 40, std::nan(""))}};
  const functional::Matrix expected = memory["A"] * memory["B"];
  CHECK(functional::execute(schedule, memory).at("C") == expected);
}

}  // namespace gpusim::gemm_product_test
