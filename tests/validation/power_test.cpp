// Clocks that boards settle at in long matrix products, as published rates tell them.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/estimate/power.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/under_power.h"

namespace gpusim::power_validation_test {

using namespace gpusim::schedules;

namespace {

constexpr GemmProblem product{.m = 4096, .n = 4096, .k = 4096, .dtype = DType::bf16};

std::int64_t settles_at(const std::string& name, const GemmProblem& problem, const GemmTiling& tiling) {
  return run_under_power(Gpu(load_profile(name)), {gemm(problem, tiling)}).clock_mhz;
}

}  // namespace

TEST_CASE("A100s settle below their boost clock in bf16 products of random values") {
  const GemmTiling tiling{.tile = {128, 128, 32}};
  GemmProblem two_waves = product;  // full ones, of a long k
  two_waves.m = 2304;
  two_waves.n = 3072;
  const auto settles = [&](const char* name) { return static_cast<double>(settles_at(name, two_waves, tiling)); };
  // The SXM card has 257 TFLOPS, and 295 with zeros, at 1410 MHz (H. He, thonking.ai, 2024); the PCIe card 252.9 at
  // best (stas00/ml-engineering).
  const double sxm = settles("a100-sxm-80gb");
  const double pcie = settles("a100-pcie-80gb");
  CHECK(sxm == doctest::Approx(1410. * 257 / 295).epsilon(0.04));
  CHECK(pcie == doctest::Approx(1410. * 252.9 / 295).epsilon(0.1));
  CHECK(pcie < sxm);
}

TEST_CASE("the H100 SXM settles near 1500 MHz in long bf16 products") {
  // 0.70 to 0.72 of 989 TFLOPS for products above 10 ms (ai-dynamo/aiconfigurator), some 0.87 of the rate at the clock.
  GemmProblem transposed = product;
  transposed.layout = GemmLayout::nt;
  const GemmTiling tiling{.tile = {128, 256, 64},
                          .variant = GemmVariant::wgmma,
                          .stages = 4,
                          .specialize = true,
                          .consumers = 2,
                          .cluster = {2, 1},
                          .ctas = 132};
  CHECK(static_cast<double>(settles_at("h100-sxm", transposed, tiling)) == doctest::Approx(1500).epsilon(0.1));
}

TEST_CASE("the T4 settles near 1050 MHz in fp16 products, and the V100 PCIe holds its boost clock in fp32") {
  // 0.58 to 0.63 of 65 TFLOPS (baidu-research/DeepBench), some 0.9 of the rate at the clock.
  GemmProblem half = product;
  half.dtype = DType::fp16;
  const GemmTiling tensor{.tile = {128, 128, 32}, .variant = GemmVariant::tensor, .instruction = {16, 8, 8}};
  CHECK(static_cast<double>(settles_at("t4", half, tensor)) == doctest::Approx(1050).epsilon(0.1));
  // 14.0 of 14.1 TFLOPS (sitar-lab/NeuSight).
  GemmProblem single = product;
  single.dtype = DType::fp32;
  const GemmTiling simt{.tile = {128, 128, 8}, .variant = GemmVariant::simt};
  CHECK(static_cast<double>(settles_at("v100-pcie", single, simt)) == doctest::Approx(1380).epsilon(0.05));
}

}  // namespace gpusim::power_validation_test
