// Products whose CTAs walk tiles, or share k out, executed on numbers, equal Eigen's in every element.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <vector>

#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_walk_product_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

TEST_CASE("persistent CTAs in any order of tiles") {
  for (const TileOrder order : {TileOrder::row, TileOrder::column, TileOrder::grouped, TileOrder::hilbert})
    for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma, GemmVariant::wgmma}) {
      GemmTiling tiling = wgmma(true, 1);
      tiling.variant = variant;
      tiling.specialize = variant >= GemmVariant::tma;
      if (variant == GemmVariant::tensor) tiling.stages = 1;
      tiling.ctas = 5;
      tiling.order = order;
      check_product({.m = 300, .n = 300, .k = 100}, tiling);
      tiling.double_buffer = variant == GemmVariant::wgmma;
      tiling.consecutive = true;
      check_product({.m = 300, .n = 300, .k = 100}, tiling);
    }
}

TEST_CASE("two warp groups that take tiles in turns") {
  for (const auto epilogue : {Epilogue::direct, Epilogue::tma})
    for (const std::int64_t ctas : {1, 2, 5, 8}) {
      GemmTiling tiling = wgmma(true, 1);
      tiling.pingpong = true;
      tiling.epilogue = epilogue;
      tiling.ctas = ctas;
      check_product({.m = 300, .n = 300, .k = 330}, tiling);
      tiling.double_buffer = true;
      check_product({.m = 300, .n = 300, .k = 330}, tiling);
      check_product({.m = 300, .n = 300, .k = 60}, tiling);
      tiling.double_buffer = false;
      tiling.tile = {64, 64, 64};
      if (epilogue == Epilogue::tma) tiling.epilogue_columns = 32;
      tiling.order = TileOrder::grouped;
      check_product({.m = 150, .n = 200, .k = 100, .alpha = 2, .beta = 0.5, .batch = 2, .bias = true}, tiling);
      tiling.consecutive = true;
      tiling.promote = true;
      check_product(
          {.m = 100, .n = 200, .k = 330, .dtype = DType::fp8, .result = DType::bf16, .layout = GemmLayout::nt}, tiling);
    }
  GemmTiling shared = wgmma(true, 1);
  shared.pingpong = true;
  shared.cluster = {2, 1};
  shared.ctas = 4;
  shared.epilogue = Epilogue::tma;
  check_product({.m = 512, .n = 192, .k = 200}, shared);
  shared.multicast_by = MulticastBy::first;
  check_product({.m = 512, .n = 192, .k = 200}, shared);
  shared.cluster = {1, 1};
  shared.multicast_by = MulticastBy::each;
  shared.producer_registers = 40;
  shared.consumer_registers = 120;
  check_product({.m = 300, .n = 192, .k = 200, .sparse = true}, shared);
}

TEST_CASE("persistent CTAs whose copies run ahead walk slices of k") {
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::simt})
    for (const std::int64_t k : {400, 330}) {
      GemmTiling tiling{.tile = {64, 64, 32}, .variant = variant, .stages = 3};
      if (variant == GemmVariant::tensor) tiling.stages = 2, tiling.prefetch = true;
      tiling.ctas = 3;
      tiling.split_k = 2;
      check_product({.m = 150, .n = 100, .k = k, .beta = 0.5}, tiling);
    }
}

TEST_CASE("stream-K: each item's copies run ahead within it, wherever in k it begins and ends, if it is long enough") {
  GemmProblem problem{.m = 150, .n = 100, .k = 200, .dtype = DType::tf32};
  for (const std::int64_t ctas : {1, 2, 5, 7, 40})
    for (const int stages : {2, 3, 4})
      for (const bool double_buffer : {false, true}) {
        GemmTiling tiling{.tile = {64, 64, 16}, .variant = GemmVariant::async, .stages = stages, .fragment_k = 8};
        tiling.instruction = {16, 8, 8};
        tiling.ctas = ctas;
        tiling.stream_k = true;
        tiling.double_buffer = double_buffer;
        check_product(problem, tiling);
        if (stages > 2) continue;
        tiling.variant = GemmVariant::tensor;
        tiling.prefetch = true;
        check_product(problem, tiling);
        tiling.stages = 1;
        check_product(problem, tiling);
      }
}

TEST_CASE("stream-K of a C that is not fp32, or with more to do than to add: cut tiles are fixed up, others stored") {
  std::vector<GemmTiling> tilings;
  for (const auto variant : {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async})
    for (const bool prefetch : {false, true}) {
      if (variant == GemmVariant::async && prefetch) continue;
      GemmTiling tiling{.tile = {64, 64, 16}, .variant = variant, .stages = 1, .prefetch = prefetch};
      if (variant == GemmVariant::async) tiling.stages = 3;
      tilings.push_back(tiling);
    }
  for (const auto variant : {GemmVariant::tma, GemmVariant::wgmma}) {
    GemmTiling tiling = wgmma(true, variant == GemmVariant::wgmma ? 2 : 1);
    tiling.variant = variant;
    tilings.push_back(tiling);
  }
  for (GemmTiling tiling : tilings)
    for (const auto epilogue : {Epilogue::direct, Epilogue::staged, Epilogue::tma}) {
      Thinned cases(static_cast<int>(tiling.variant) + static_cast<int>(epilogue) + (tiling.prefetch ? 1 : 0));
      for (const std::int64_t ctas : {1, 4, 7}) {
        if (epilogue == Epilogue::tma && tiling.variant < GemmVariant::tma) continue;
        if (!cases.takes_next()) continue;
        tiling.epilogue = epilogue;
        tiling.ctas = ctas;
        tiling.stream_k = true;
        check_product({.m = 150, .n = 100, .k = 400}, tiling);
        check_product({.m = 150, .n = 100, .k = 330, .alpha = 2, .beta = 0.5, .batch = 2, .bias = true}, tiling);
        check_product({.m = 150, .n = 100, .k = 330, .result = DType::fp32, .activation = Activation::relu}, tiling);
      }
    }
  GemmTiling tiling{.tile = {64, 64, 64}, .variant = GemmVariant::async, .instruction = {16, 8, 32}};
  tiling.ctas = 3;
  tiling.stream_k = true;
  check_product(
      {.m = 100, .n = 72, .k = 400, .dtype = DType::int8, .accumulate = DType::int32, .layout = GemmLayout::nt},
      tiling);
  tiling.instruction = {16, 8, 16};
  check_product({.m = 100, .n = 72, .k = 400, .accumulate = DType::fp16}, tiling);
}

TEST_CASE("stream-K fixes up only where it cuts tiles, and adds to C itself where C is fp32 and nothing else is done") {
  const auto kernels = [](std::int64_t ctas, std::optional<DType> result) {
    GemmTiling tiling{.tile = {64, 64, 16}};
    tiling.ctas = ctas;
    tiling.stream_k = true;
    return gemm_kernels({.m = 128, .n = 128, .k = 64, .result = result}, tiling).size();
  };
  CHECK(kernels(2, std::nullopt) == 1);  // two whole tiles each
  CHECK(kernels(3, std::nullopt) == 2);
  CHECK(kernels(8, std::nullopt) == 2);  // halves of tiles
  CHECK(kernels(3, DType::fp32) == 1);
}

TEST_CASE("stream-K's parts, and what is fixed up, are counted by hand") {
  // Two tiles of four k tiles for three CTAs: 3 of tile 0, 1 of tile 0 and 2 of tile 1, 2 of tile 1. All are cut.
  GemmTiling tiling{.tile = {64, 64, 16}, .variant = GemmVariant::async, .stages = 2};
  tiling.ctas = 3;
  tiling.stream_k = true;
  const GemmProblem problem{.m = 128, .n = 64, .k = 64};
  const Gpu gpu(load_profile("a100-sxm-40gb"));
  const Result result = gpu.run(gemm_kernels(problem, tiling));
  const std::int64_t sums = std::int64_t{64} * 64 * 4;
  CHECK(result.kernels[0].traffic.global_store_bytes == 4 * sums);  // 2 parts of each tile, fp32
  CHECK(result.kernels[1].traffic.global_load_bytes == 2 * sums);
  CHECK(result.kernels[1].traffic.global_store_bytes == problem.m * problem.n * 2);
  const Schedule fix_up = gemm_kernels(problem, tiling)[1];
  const std::int64_t loads = 64 * 64 / (8 * 32 * 4);            // 16 bytes a lane, 8 warps
  const std::int64_t tile = loads + 4 + 4 * loads / 2 + loads;  // LDG, addresses, conversion of pairs, STG
  const std::vector<std::int64_t> begun{1, 1, 0};               // tiles
  const std::vector<std::int64_t> items{1, 2, 1};
  std::int64_t all = 0;
  for (std::size_t cta = 0; cta < begun.size(); ++cta) {
    const auto id = CtaId(static_cast<std::int64_t>(cta));
    const std::int64_t warp = 16 + 4 * items[cta] + begun[cta] * tile;
    CHECK(instruction_count(fix_up, fix_up.roles.at(0).program, id, 0) == warp);
    all += 8 * warp;
  }
  CHECK(result.kernels[1].roles.at(0).instructions == all);
}

TEST_CASE("stream-K copies each k tile once, however far its copies run ahead") {
  const GemmProblem problem{.m = 150, .n = 100, .k = 200, .dtype = DType::tf32};
  const Gpu gpu(load_profile("a100-sxm-40gb"));
  const auto copied = [&](int stages, std::int64_t ctas, bool stream_k) {
    GemmTiling tiling{.tile = {64, 64, 16}, .variant = GemmVariant::async, .stages = stages, .fragment_k = 8};
    tiling.instruction = {16, 8, 8};
    tiling.ctas = ctas;
    tiling.stream_k = stream_k;
    return gpu.run(gemm(problem, tiling)).kernels.at(0).traffic.global_load_bytes;
  };
  const std::int64_t whole = copied(2, 0, false);
  for (const int stages : {2, 4})
    for (const std::int64_t ctas : {1, 5, 7}) CHECK(copied(stages, ctas, true) == whole);
}

TEST_CASE("slices of k, by a second kernel or atomics, and k dealt out evenly") {
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma, GemmVariant::wgmma}) {
    GemmTiling tiling = wgmma(variant >= GemmVariant::tma, 1);
    tiling.variant = variant;
    if (variant == GemmVariant::tensor) tiling.stages = 1;
    tiling.split_k = 2;
    check_product({.m = 150, .n = 100, .k = 400, .beta = 0.5, .batch = 2, .bias = true}, tiling);
  }
}

}  // namespace gpusim::gemm_walk_product_test
