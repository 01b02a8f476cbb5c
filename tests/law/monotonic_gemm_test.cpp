// Law: better hardware never makes a product noticeably slower. Whole products have many warps whose order a faster
// unit can change for the worse, as on silicon; hence a tolerance.
#include <doctest/doctest.h>

#include "support/improvements.h"
#include "support/mixed_runs.h"

namespace gpusim::monotonic_gemm_test {

using namespace gpusim::testing;

namespace {

constexpr double tolerance = 1.05;

std::vector<MixedRun> ten_products() {
  constexpr DType fp32 = DType::fp32;
  constexpr L2State cold = L2State::cold, warm = L2State::warm;
  return {
      run_of("textbook simt", {"textbook-2023",
                               {.m = 64, .n = 64, .k = 96, .dtype = fp32},
                               {.tile = {32, 32, 32}, .variant = GemmVariant::simt},
                               warm}),
      run_of("volta tensor", {"volta", {.m = 256, .n = 256, .k = 128}, {.variant = GemmVariant::tensor}}),
      run_of("turing tensor ragged", {"turing", {.m = 150, .n = 200, .k = 100}, {.variant = GemmVariant::tensor}}),
      run_of("turing simt", {"turing", {.m = 128, .n = 128, .k = 64, .dtype = fp32}, {.variant = GemmVariant::simt}}),
      run_of("ampere async", {"ampere", {.m = 256, .n = 256, .k = 256}, {.variant = GemmVariant::async, .stages = 3}}),
      run_of("ampere async 512", {"ampere", {.m = 512, .n = 512, .k = 512}}),
      run_of("rtx3090 async beta",
             {"rtx3090", {.m = 128, .n = 192, .k = 256, .alpha = 2, .beta = 1}, {.tile = {64, 64, 32}}}),
      run_of("ada small L2", {"ada",
                              {.m = 256, .n = 256, .k = 256, .beta = 1},
                              {.tile = {64, 64, 32}},
                              cold,
                              {"l2.slices=8", "dram.channels=4", "l2.capacity=32KiB"}}),
      run_of("hopper tma", {"hopper", {.m = 512, .n = 512, .k = 256}, {.variant = GemmVariant::tma}}),
      run_of("hopper tma specialised",
             {"hopper", {.m = 384, .n = 128, .k = 320}, {.variant = GemmVariant::tma, .specialize = true}, warm}),
  };
}

}  // namespace

TEST_CASE("a better number slows none of ten products down by more than 5 % [long]") {
  for (const MixedRun& product : ten_products()) {
    CAPTURE(product.name);
    const auto before = static_cast<double>(cycles(product.run()).count());
    for (const Improvement& improvement : improvements()) {
      MixedRun better = product;
      if (!improvement.apply(better.profile)) continue;
      CAPTURE(improvement.key);
      CHECK(static_cast<double>(cycles(better.run()).count()) <= before * tolerance);
    }
  }
}

}  // namespace gpusim::monotonic_gemm_test
