// Products whose CTAs walk tiles, or share k out, executed on numbers, equal Eigen's in every element.
#include <doctest/doctest.h>

#include <array>

#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"

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
