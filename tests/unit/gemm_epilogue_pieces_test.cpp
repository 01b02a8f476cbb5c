// C that leaves by bulk stores a piece of its columns at a time.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/error.h"
#include "gpusim/functional.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/product_check.h"

namespace gpusim::gemm_epilogue_pieces_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

/// A producer, two consumer groups, a tile of 128 x 192.
GemmTiling in_pieces(int columns) {
  GemmTiling tiling = wgmma(true, 2);
  tiling.tile = {128, 192, 64};
  tiling.instruction = {};
  tiling.stages = 3;
  tiling.epilogue = Epilogue::tma;
  tiling.epilogue_columns = columns;
  return tiling;
}

std::string refusal(const GemmTiling& tiling) {
  try {
    (void)gemm({.m = 256, .n = 384, .k = 128, .dtype = DType::bf16}, tiling);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

std::int64_t bulk_stores(const Schedule& schedule) {
  std::int64_t stores = 0;
  for (const Statement& statement : schedule.roles.front().program.body)
    if (const auto* const operation = std::get_if<Operation>(&statement))
      stores += std::holds_alternative<BulkStore>(operation->action) ? operation->count : 0;
  return stores;
}

}  // namespace

TEST_CASE("products whose C leaves in an even or odd number of pieces, of one item or of several") {
  for (const int columns : {32, 64, 96})
    for (const std::int64_t ctas : {0, 2}) {
      GemmTiling tiling = in_pieces(columns);
      tiling.ctas = ctas;
      check_product({.m = 300, .n = 500, .k = 130, .dtype = DType::bf16}, tiling);
      check_product({.m = 200, .n = 400, .k = 100, .dtype = DType::fp16, .beta = 2, .bias = true}, tiling);
    }
}

TEST_CASE("pieces of slices of k, stored to the workspace or added, and of stream-K") {
  GemmTiling tiling = in_pieces(32);
  tiling.split_k = 2;
  check_product({.m = 200, .n = 400, .k = 300, .dtype = DType::bf16}, tiling);
  tiling.reduction = SplitReduction::atomics;
  check_product({.m = 200, .n = 400, .k = 300, .dtype = DType::bf16, .result = DType::fp32}, tiling);
  tiling = in_pieces(32);
  tiling.ctas = 3;
  tiling.stream_k = true;
  check_product({.m = 200, .n = 400, .k = 300, .dtype = DType::bf16}, tiling);
}

TEST_CASE("two buffers of a piece leave the stages more of shared memory than the whole tile does") {
  const GemmProblem problem{.m = 512, .n = 768, .k = 256, .dtype = DType::bf16};
  const auto shared = [&](int columns) {
    GemmTiling tiling = in_pieces(columns);
    tiling.ctas = 2;
    return shared_bytes(gemm(problem, tiling)).count();
  };
  CHECK(shared(0) - shared(32) == 128 * (192 - 2 * 32) * 2);
  CHECK(shared(64) - shared(32) == 128 * 2 * 32 * 2);
}

TEST_CASE("each consumer group stores each piece of its rows at once, in boxes as wide as the swizzle") {
  const GemmProblem problem{.m = 128, .n = 192, .k = 64, .dtype = DType::bf16};
  CHECK(bulk_stores(gemm(problem, in_pieces(0))) == 192 / 64);
  CHECK(bulk_stores(gemm(problem, in_pieces(32))) == 192 / 32);
  CHECK(bulk_stores(gemm(problem, in_pieces(96))) == 2 * (96 / 32));  // a row of 192 bytes has swizzles of 64 at most
}

TEST_CASE("pieces are another schedule") {
  const GemmProblem problem{.m = 128, .n = 192, .k = 64, .dtype = DType::bf16};
  CHECK(digest(gemm(problem, in_pieces(0))) != digest(gemm(problem, in_pieces(64))));
  CHECK(digest(gemm(problem, in_pieces(32))) != digest(gemm(problem, in_pieces(64))));
}

TEST_CASE("pieces that do not make up the tile are refused, and the nearest named") {
  CHECK(refusal(in_pieces(96)) == "");
  CHECK(refusal(in_pieces(80)) ==
        "epilogue_columns: a tile's 192 columns are not cut into pieces of 80, equal and multiples of 8; 96 would do");
  CHECK(refusal(in_pieces(12)).find("16 would do") != std::string::npos);
  CHECK(refusal(in_pieces(192)).find("96 would do") != std::string::npos);
  CHECK(refusal(in_pieces(-8)).find("0, all at once, would do") != std::string::npos);
  GemmTiling one_piece = in_pieces(8);
  one_piece.tile.n = 8;
  CHECK(refusal(one_piece).find("0, all at once, would do") != std::string::npos);
}

TEST_CASE("pieces without bulk stores, or without wgmma, are refused") {
  GemmTiling tiling = in_pieces(32);
  tiling.epilogue = Epilogue::direct;
  CHECK(refusal(tiling).find("epilogue_columns: ") != std::string::npos);
  tiling = in_pieces(32);
  tiling.variant = GemmVariant::tma;
  tiling.instruction = {16, 8, 16};
  tiling.consumers = 1;
  CHECK(refusal(tiling).find("epilogue_columns: ") != std::string::npos);
}

}  // namespace gpusim::gemm_epilogue_pieces_test
