// C leaves in every way, and by bulk stores a piece of its columns at a time.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/error.h"
#include "gpusim/functional.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_epilogue_test {

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

TEST_CASE("every way out: direct, staged, bulk stores; with bias, activation, alpha and beta") {
  for (const auto variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma, GemmVariant::wgmma})
    for (const auto epilogue : {Epilogue::direct, Epilogue::staged, Epilogue::tma}) {
      Thinned cases(static_cast<int>(variant) + static_cast<int>(epilogue));
      for (const std::int64_t ctas : {0, 3}) {
        if (epilogue == Epilogue::tma && variant < GemmVariant::tma) continue;
        for (const bool specialize : {false, true}) {
          if (specialize ? variant < GemmVariant::tma : ctas > 0 && variant >= GemmVariant::tma) continue;
          if (!cases.takes_next()) continue;
          GemmTiling tiling = wgmma(specialize, 1);
          tiling.variant = variant;
          if (variant == GemmVariant::wgmma) tiling.consumers = 2;
          if (variant == GemmVariant::tensor) tiling.stages = 1;
          tiling.epilogue = epilogue;
          tiling.ctas = ctas;
          check_product({.m = 300, .n = 150, .k = 100}, tiling);
          check_product(
              {.m = 300, .n = 150, .k = 100, .alpha = 2, .beta = 0.5, .bias = true, .activation = Activation::relu},
              tiling);
        }
      }
    }
}

TEST_CASE("a staged epilogue reads C as it stores it: by whole rows, 16 bytes a lane") {
  for (const auto epilogue : {Epilogue::direct, Epilogue::staged}) {
    const GemmTiling tiling{.tile = {128, 64, 32}, .variant = GemmVariant::async, .stages = 2, .epilogue = epilogue};
    const Schedule schedule = gemm({.m = 256, .n = 256, .k = 64, .dtype = DType::fp16, .beta = 1}, tiling);
    std::int64_t read = 0, stored = 0;
    for (const Statement& statement : schedule.roles.front().program.body) {
      const auto* const operation = std::get_if<Operation>(&statement);
      if (operation == nullptr) continue;
      const auto* const load = std::get_if<LoadGlobal>(&operation->action);
      const auto* const store = std::get_if<StoreGlobal>(&operation->action);
      if (load == nullptr && store == nullptr) continue;
      (load != nullptr ? read : stored) += operation->count;
      const int bytes = 2 * (load != nullptr ? load->from.vector : store->to.vector);
      CHECK(bytes == (epilogue == Epilogue::staged ? 16 : 4));
    }
    CHECK(read > 0);
    CHECK(read == stored);
  }
}

TEST_CASE("C comes through the staged tile in persistent kernels, of two warp groups, and where tiles are cut") {
  const GemmProblem problem{.m = 300, .n = 200, .k = 200, .dtype = DType::fp16, .alpha = 2, .beta = 0.5, .bias = true};
  GemmTiling groups = wgmma(true, 1);
  groups.consumers = 2;
  groups.epilogue = Epilogue::staged;
  for (const std::int64_t ctas : {0, 2}) {
    groups.ctas = ctas;
    check_product(problem, groups);
  }
  GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 2, .epilogue = Epilogue::staged};
  for (const std::int64_t ctas : {0, 4}) {
    tiling.ctas = ctas;
    check_product(problem, tiling);
  }
  tiling.stream_k = true;
  check_product(problem, tiling);
  // One warp has all rows of so small a tile.
  check_product(problem, {.tile = {16, 16, 32},
                          .variant = GemmVariant::async,
                          .stages = 2,
                          .warp_tile = {16, 8},
                          .epilogue = Epilogue::staged});
}

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
  for (const int columns : {32, 64}) {
    tiling = in_pieces(columns);
    tiling.ctas = 4;  // six tiles of five k tiles: seven and a half each
    tiling.stream_k = true;
    const GemmProblem problem{.m = 200, .n = 400, .k = 300, .dtype = DType::bf16};
    REQUIRE(gemm_kernels(problem, tiling).size() == 2);  // tiles are cut, and fixed up
    check_product(problem, tiling);
    check_product({.m = 200, .n = 400, .k = 300, .dtype = DType::bf16, .beta = 2, .bias = true}, tiling);
    check_product({.m = 200, .n = 400, .k = 300, .dtype = DType::bf16, .result = DType::fp32}, tiling);
  }
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

TEST_CASE("every tile of cuBLAS's groups has candidates with bulk stores, and 16 KiB for C, whatever C's type") {
  const Profile hopper = load_profile("hopper");
  for (const DType result : {DType::fp8, DType::bf16, DType::fp32})
    for (const int columns : {64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 320}) {
      CAPTURE(columns);
      const GemmProblem problem{
          .m = 4096, .n = 4096, .k = 1024, .dtype = DType::fp8, .result = result, .layout = GemmLayout::nt};
      GemmRequest request;
      request.variant = GemmVariant::wgmma;
      int stored_in_bulk = 0;
      for (const GemmTiling& found :
           gemm_candidates(hopper, problem, request, GemmTile{128, columns, 128}, GemmLibrary::recent)) {
        if (found.epilogue != Epilogue::tma || found.split_k > 1) continue;
        ++stored_in_bulk;
        const int pieces = found.epilogue_columns > 0 ? 2 * found.epilogue_columns : columns;
        CHECK(found.tile.m * pieces * size_of(result) <= 16 * 1024);
      }
      CHECK(stored_in_bulk > 0);
    }
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
  CHECK(refusal(in_pieces(192)) == "epilogue_columns: 192 columns are the whole tile's; 0 says that");
  CHECK(refusal(in_pieces(-8)).find("it must be 0 to 1024, not -8") != std::string::npos);
  GemmTiling one_piece = in_pieces(8);
  one_piece.tile.n = 8;
  CHECK(refusal(one_piece).find("0 says that") != std::string::npos);
  one_piece.epilogue_columns = 4;
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

TEST_CASE("a schedule says in which pieces its C leaves") {
  const auto said = [](int columns) {
    const Schedule schedule = gemm({.m = 256, .n = 384, .k = 128, .dtype = DType::bf16}, in_pieces(columns));
    for (const auto& [choice, value] : schedule.choices)
      if (choice == "epilogue_columns") return value;
    return std::string();
  };
  CHECK(said(48) == "48");
  CHECK(said(0).empty());
}

}  // namespace gpusim::gemm_epilogue_test
