// Tensor-core schedules, executed on numbers, equal Eigen's product in every element.
#include <doctest/doctest.h>

#include <array>

#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_mma_product_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

/// Bulk copies that are not everybody's.
std::int64_t guarded_copies(const std::vector<Statement>& body) {
  std::int64_t count = 0;
  for (const Statement& statement : body) {
    if (const auto* const loop = std::get_if<Loop>(&statement))
      count += guarded_copies(loop->body);
    else if (const auto& operation = std::get<Operation>(statement);
             std::holds_alternative<BulkCopy>(operation.action) && operation.guard)
      ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("mma reads operands in any layout, with and without ldmatrix, whatever their type") {
  for (const GemmLayout layout : layouts)
    for (const bool ldmatrix : {false, true})
      for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma}) {
        GemmTiling tiling{.tile = {64, 64, 32}, .variant = variant, .stages = variant == GemmVariant::tensor ? 1 : 3};
        tiling.ldmatrix = ldmatrix;
        check_product({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
        tiling.matrices_a = ldmatrix ? 2 : 4;
        tiling.matrices_b = ldmatrix ? 1 : 4;
        check_product({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
        tiling.matrices_a = tiling.matrices_b = 4;
        tiling.instruction = {16, 16, 4};
        for (const int fragment_k : {4, 16}) {
          tiling.fragment_k = fragment_k;
          check_product({.m = 100, .n = 72, .k = 80, .layout = layout}, tiling);
        }
        tiling.fragment_k = 0;
        tiling.instruction = {16, 8, 8};
        check_product({.m = 100, .n = 72, .k = 80, .dtype = DType::tf32, .layout = layout}, tiling);
        tiling.instruction = {16, 8, 32};
        check_product({.m = 100, .n = 72, .k = 80, .dtype = DType::int8, .accumulate = DType::int32, .layout = layout},
                      tiling);
      }
}

TEST_CASE("fragments in two halves of the registers, within tiles and from tile to tile") {
  for (const int fragment_k : {16, 32})
    for (const int specialize : {0, 1})
      for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma}) {
        if (specialize == 1 && variant != GemmVariant::tma) continue;
        GemmTiling tiling{.tile = {64, 64, 64}, .variant = variant, .stages = 3, .specialize = specialize == 1};
        tiling.fragment_k = fragment_k;
        tiling.double_buffer = true;
        if (variant == GemmVariant::tensor) tiling.stages = 1;
        check_product({.m = 70, .n = 70, .k = 200}, tiling);
        if (variant != GemmVariant::tensor) continue;
        tiling.prefetch = true;
        for (tiling.stages = 1; tiling.stages <= 2; ++tiling.stages)
          check_product({.m = 70, .n = 70, .k = 200}, tiling);
      }
}

TEST_CASE("reads and copies among the multiplications, in strips of either operand's layout") {
  Thinned cases;
  for (const GemmLayout layout : layouts)
    for (const bool ldmatrix : {false, true})
      for (const auto variant : {GemmVariant::tensor, GemmVariant::async}) {
        if (!cases.takes_next()) continue;
        GemmTiling tiling{.tile = {128, 64, 64}, .variant = variant, .stages = 3, .fragment_k = 16};
        tiling.warp_tile = {64, 32};
        tiling.double_buffer = tiling.interleave = true;
        tiling.ldmatrix = ldmatrix;
        if (variant == GemmVariant::tensor) tiling.stages = 1;
        check_product({.m = 130, .n = 70, .k = 200, .layout = layout}, tiling);
        tiling.carry_over = false;
        if (variant == GemmVariant::async) check_product({.m = 130, .n = 70, .k = 200, .layout = layout}, tiling);
        tiling.carry_over = true;
        tiling.prefetch = variant == GemmVariant::tensor;
        for (tiling.stages = 2; tiling.stages >= 1; --tiling.stages) {
          if (variant == GemmVariant::async && tiling.stages == 1) continue;
          check_product({.m = 130, .n = 70, .k = 200, .layout = layout}, tiling);
        }
      }
}

TEST_CASE("wgmma in any layout, with one or two consumer groups, with and without a producer") {
  for (const GemmLayout layout : layouts)
    for (const bool specialize : {false, true})
      for (const int consumers : {1, 2})
        for (const bool double_buffer : {false, true}) {
          GemmTiling tiling = wgmma(specialize, consumers);
          tiling.double_buffer = double_buffer;
          check_product({.m = 150, .n = 100, .k = 300, .dtype = DType::bf16, .layout = layout}, tiling);
        }
  GemmTiling one_stage = wgmma(false);
  one_stage.stages = 1;
  check_product({.m = 150, .n = 100, .k = 300}, one_stage);
}

TEST_CASE("wgmma with a k tile's sums added to the product's") {
  for (const bool specialize : {false, true})
    for (const int consumers : {1, 2}) {
      GemmTiling tiling = wgmma(specialize, consumers);
      tiling.promote = true;
      check_product({.m = 150, .n = 100, .k = 300, .dtype = DType::bf16}, tiling);
      tiling.epilogue = Epilogue::tma;
      tiling.ctas = specialize ? 2 : 0;
      check_product({.m = 150, .n = 96, .k = 300, .beta = 2, .bias = true}, tiling);
      tiling.tile.m *= 2;  // a group has two blocks of rows, one promoted after the other
      check_product({.m = 300, .n = 96, .k = 300, .dtype = DType::bf16}, tiling);
    }
}

TEST_CASE("C in another type than A and B, whatever way it takes") {
  for (const DType result : {DType::bf16, DType::fp16, DType::fp32})
    for (const Epilogue epilogue : {Epilogue::direct, Epilogue::staged, Epilogue::tma}) {
      GemmTiling tiling = wgmma(true, 2);
      tiling.epilogue = epilogue;
      const GemmProblem problem{.m = 130,
                                .n = 80,
                                .k = 200,
                                .dtype = DType::fp8,
                                .result = result,
                                .beta = 2,
                                .layout = GemmLayout::nt,
                                .bias = true};
      check_product(problem, tiling);
    }
  for (const DType result : {DType::int8, DType::int32, DType::bf16}) {
    GemmTiling tiling{.tile = {64, 64, 64}, .variant = GemmVariant::async, .stages = 2};
    tiling.instruction = {16, 8, 32};
    const GemmProblem problem{
        .m = 100, .n = 72, .k = 96, .dtype = DType::int8, .accumulate = DType::int32, .result = result};
    check_product(problem, tiling);
  }
  GemmTiling sliced{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 2, .split_k = 2};
  for (const SplitReduction reduction : {SplitReduction::kernel, SplitReduction::atomics}) {
    sliced.reduction = reduction;
    check_product({.m = 100, .n = 72, .k = 96, .result = DType::fp32}, sliced);
  }
  check_product({.m = 100, .n = 72, .k = 96, .result = DType::fp16},
                {.tile = {64, 64, 8}, .variant = GemmVariant::simt, .stages = 1});
}

TEST_CASE("wgmma of 8-bit and tf32 operands, and of narrower instructions than the tile") {
  check_product({.m = 130, .n = 70, .k = 200, .dtype = DType::fp8, .layout = GemmLayout::nt}, wgmma(true));
  check_product({.m = 130, .n = 70, .k = 200, .dtype = DType::tf32, .layout = GemmLayout::nt}, wgmma(true));
  GemmTiling narrow = wgmma(true);
  narrow.instruction = {64, 32, 16};
  check_product({.m = 130, .n = 70, .k = 200}, narrow);
}

TEST_CASE("clusters share operands along both sides") {
  Thinned cases;
  for (const GemmShape cluster : {GemmShape{2, 1}, GemmShape{1, 2}, GemmShape{2, 2}})
    for (const bool multicast : {false, true})
      for (const auto variant : {GemmVariant::tma, GemmVariant::wgmma})
        for (const std::int64_t ctas : {0, 4}) {
          if (!cases.takes_next()) continue;
          GemmTiling tiling = wgmma(true, 1);
          tiling.variant = variant;
          tiling.cluster = cluster;
          tiling.multicast = multicast;
          tiling.ctas = ctas;
          check_product({.m = 500, .n = 240, .k = 150}, tiling);
          tiling.multicast_by = multicast ? MulticastBy::first : MulticastBy::each;
          tiling.consumers_arrive = true;
          check_product({.m = 500, .n = 240, .k = 150}, tiling);
        }
}

TEST_CASE("who arrives at a full stage, and who brings what is shared") {
  GemmTiling tiling = wgmma(true, 2);
  tiling.cluster = {2, 1};
  const GemmProblem problem{.m = 512, .n = 256, .k = 150, .layout = GemmLayout::nt};
  CHECK(gemm(problem, tiling).barriers.front().arrivals == 1);
  tiling.consumers_arrive = true;
  CHECK(gemm(problem, tiling).barriers.front().arrivals == 1 + 8);  // two groups of four warps
  const auto guarded = [&] { return guarded_copies(gemm(problem, tiling).roles.back().program.body); };
  CHECK(guarded() == 0);
  tiling.multicast_by = MulticastBy::first;
  CHECK(guarded() == 1);  // of B: A is each CTA's own
}

TEST_CASE("the first of a cluster brings a tile whose rows cannot be shared out") {
  GemmTiling tiling = wgmma(true, 1);
  tiling.tile.n = 24;
  tiling.instruction = {64, 24, 16};
  tiling.cluster = {2, 1};
  const GemmProblem problem{.m = 250, .n = 200, .k = 150, .layout = GemmLayout::nt};
  CHECK_THROWS_WITH_AS((void)gemm(problem, tiling), doctest::Contains("multicast_by first shares out none"),
                       ScheduleError);
  tiling.multicast_by = MulticastBy::first;
  check_product(problem, tiling);
}

TEST_CASE("async with one buffer is filled, waited for and multiplied tile by tile") {
  for (const std::int64_t ctas : {0, 5})
    for (const bool double_buffer : {false, true})
      for (const auto epilogue : {Epilogue::direct, Epilogue::staged}) {
        GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 1, .fragment_k = 16};
        tiling.double_buffer = double_buffer;
        tiling.ctas = ctas;
        tiling.epilogue = epilogue;
        check_product({.m = 150, .n = 200, .k = 100}, tiling);
      }
}

TEST_CASE("loads that come a few at a time bring the same tile") {
  for (const int batch : {1, 3, 4})  // of loads that are 1 or 8 of A and 3 of B
    for (const int vector : {0, 1})
      for (const std::int64_t ctas : {0, 5}) {
        GemmTiling tiling{.tile = {64, 96, 32}, .variant = GemmVariant::tensor, .stages = 1, .vector_a = vector};
        tiling.load_batch = batch == 4 && vector == 0 ? 1 : batch;
        tiling.ctas = ctas;
        check_product({.m = 150, .n = 200, .k = 100}, tiling);
      }
}

TEST_CASE("A may be transposed on its way to shared memory, whole or a few loads at a time, ahead or not") {
  for (const int batch : {0, 2})
    for (const bool prefetch : {false, true})
      for (const int vector : {0, 1}) {
        GemmTiling tiling{.tile = {64, 96, 32}, .variant = GemmVariant::tensor, .stages = 1, .vector_a = vector};
        tiling.transpose_a = true;
        tiling.prefetch = prefetch;
        tiling.load_batch = prefetch || batch == 0 ? 0 : vector == 1 ? 2 : 3;
        check_product({.m = 150, .n = 200, .k = 100}, tiling);
      }
}

TEST_CASE("B along k may be turned too, and ldmatrix turns it back") {
  for (const bool ldmatrix : {false, true}) {
    GemmTiling tiling{.tile = {64, 96, 32}, .variant = GemmVariant::tensor, .stages = 1};
    tiling.transpose_a = tiling.transpose_b = true;
    tiling.ldmatrix = ldmatrix;
    check_product({.m = 150, .n = 200, .k = 100, .layout = GemmLayout::nt}, tiling);
  }
}

TEST_CASE("fragments that do not carry over begin anew in each tile") {
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async}) {
    GemmTiling tiling{.tile = {64, 64, 32}, .variant = variant, .stages = 2, .fragment_k = 16};
    tiling.prefetch = variant == GemmVariant::tensor;
    tiling.double_buffer = true;
    tiling.carry_over = false;
    check_product({.m = 150, .n = 200, .k = 100}, tiling);
  }
}

TEST_CASE("a large C comes back in pieces, and every element of it once") {
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::wgmma})
    for (const auto epilogue : {Epilogue::direct, Epilogue::staged}) {
      GemmTiling tiling{.tile = {128, 128, 16}, .variant = variant, .stages = variant == GemmVariant::tensor ? 1 : 2};
      if (variant != GemmVariant::wgmma) tiling.warp_tile = {64, 64};
      tiling.epilogue = epilogue;
      check_product({.m = 200, .n = 150, .k = 40, .beta = 0.5}, tiling);
      check_product(
          {.m = 200, .n = 150, .k = 40, .alpha = 2, .beta = 0.5, .bias = true, .activation = Activation::silu}, tiling);
    }
  check_product({.m = 200, .n = 150, .k = 40, .dtype = DType::fp32, .alpha = 2, .beta = 0.5},
                {.tile = {128, 128, 8}, .variant = GemmVariant::simt, .fragment_k = 1, .thread_tile = {8, 16}});
}

}  // namespace gpusim::gemm_mma_product_test
