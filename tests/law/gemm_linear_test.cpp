// Law: beyond its prologue, a product takes as long for each k tile as for any other.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_linear_test {

using namespace gpusim::schedules;

namespace {

std::int64_t cycles(const Gpu& gpu, std::int64_t k, GemmTiling tiling) {
  const GemmProblem problem{.m = 256, .n = 512, .k = k};
  return gpu.run(gemm(problem, tiling), {.exact = true, .l2 = L2State::warm}).kernels.at(0).cycles.count();
}

void check_linear(const char* profile, const GemmTiling& tiling) {
  constexpr std::int64_t k = 3072;  // how warps' turns fall makes 48 k tiles some 1 % longer or shorter than others
  const Gpu gpu(load_profile(profile));
  const std::int64_t first = cycles(gpu, 2 * k, tiling) - cycles(gpu, k, tiling);
  const std::int64_t second = cycles(gpu, 3 * k, tiling) - cycles(gpu, 2 * k, tiling);
  CAPTURE(profile);
  CHECK(first > 0);
  CHECK(static_cast<double>(second) == doctest::Approx(static_cast<double>(first)).epsilon(0.02));
}

}  // namespace

TEST_CASE("time grows linearly in k: tensor, async, tma and wgmma") {
  check_linear("turing", {.tile = {128, 128, 32},
                          .variant = GemmVariant::tensor,
                          .stages = 2,
                          .fragment_k = 8,
                          .instruction = {16, 8, 8},
                          .prefetch = true,
                          .double_buffer = true});
  check_linear("ampere", {.tile = {128, 128, 32}, .fragment_k = 16, .double_buffer = true});
  check_linear("hopper", {.tile = {128, 128, 64}, .variant = GemmVariant::tma, .stages = 4, .specialize = true});
  check_linear(
      "hopper",
      {.tile = {128, 128, 64}, .variant = GemmVariant::wgmma, .stages = 4, .specialize = true, .consumers = 2});
}

}  // namespace gpusim::gemm_linear_test
