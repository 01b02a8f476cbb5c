// C reaches shared memory as 8x8 matrices, and its transpose turned, on the way to bulk stores.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_stmatrix_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

constexpr GemmProblem square{.m = 256, .n = 384, .k = 128, .dtype = DType::bf16};

/// A producer and bulk stores.
GemmTiling bulk(int consumers, bool stmatrix) {
  GemmTiling tiling = wgmma(true, consumers);
  tiling.tile = {64 * consumers, 96, 64};
  tiling.instruction = {};
  tiling.stages = 3;
  tiling.epilogue = Epilogue::tma;
  tiling.stmatrix = stmatrix;
  return tiling;
}

GemmTiling turned(GemmTiling tiling) {
  tiling.swap_ab = true;
  return tiling;
}

std::string refusal(const GemmProblem& problem, const GemmTiling& tiling) {
  try {
    (void)gemm(problem, tiling);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

/// Of one CTA with one tile.
struct Stores {
  std::int64_t instructions = 0, wavefronts = 0, conflicts = 0;
};
Stores stores_of(GemmTiling tiling) {
  tiling.tile.n = 64;  // rows of a swizzle's width
  const Gpu gpu(load_profile("h100-sxm"));
  const GemmProblem one_tile{.m = tiling.swap_ab ? tiling.tile.n : tiling.tile.m,
                             .n = tiling.swap_ab ? tiling.tile.m : tiling.tile.n,
                             .k = 64,
                             .dtype = DType::bf16,
                             .layout = GemmLayout::nt};
  const Schedule schedule = gemm(one_tile, tiling);
  Stores found;
  for (const Statement& statement : schedule.roles.front().program.body)
    if (const auto* const operation = std::get_if<Operation>(&statement))
      found.instructions += std::holds_alternative<StoreShared>(operation->action) ? operation->count : 0;
  const Traffic traffic = gpu.run(schedule).kernels.front().traffic;
  found.wavefronts = traffic.shared_wavefronts;
  found.conflicts = traffic.shared_wavefronts - traffic.shared_ideal_wavefronts;
  return found;
}

}  // namespace

TEST_CASE("products whose C reaches shared memory as matrices, as it lies or turned, whole or in pieces") {
  for (const bool swap : {false, true})
    for (const bool stmatrix : {false, true}) {
      Thinned cases(swap ? 1 : 0);
      for (const int consumers : {1, 2, 3})
        for (const int columns : {0, 8, 24, 48})
          for (const std::int64_t ctas : {0, 3}) {
            if (!cases.takes_next()) continue;
            GemmTiling tiling = bulk(consumers, stmatrix);
            tiling.swap_ab = swap;
            tiling.epilogue_columns = columns;
            tiling.ctas = ctas;
            check_product({.m = 300, .n = 250, .k = 130, .dtype = DType::bf16}, tiling);
            check_product({.m = 130, .n = 264, .k = 100, .dtype = DType::fp16, .beta = 2, .bias = true}, tiling);
          }
    }
}

TEST_CASE("groups that share C's transpose where the producer's stages were, and groups that take turns") {
  for (const bool stmatrix : {false, true}) {
    GemmTiling alike = turned(bulk(2, stmatrix));
    alike.specialize = false;
    alike.tile.m = 256;
    check_product({.m = 200, .n = 520, .k = 130, .dtype = DType::bf16}, alike);
    GemmTiling in_turns = turned(bulk(1, stmatrix));
    in_turns.tile.m = 128;
    in_turns.pingpong = true;
    in_turns.ctas = 2;
    in_turns.epilogue_columns = 48;
    check_product({.m = 300, .n = 500, .k = 130, .dtype = DType::bf16}, in_turns);
  }
}

TEST_CASE("C's transpose of other types, of batches and of slices of k") {
  for (const DType result : {DType::fp32, DType::bf16, DType::fp8})
    check_product({.m = 200, .n = 260, .k = 200, .dtype = DType::fp8, .result = result, .layout = GemmLayout::nt}, [] {
      GemmTiling tiling = turned(bulk(2, false));
      tiling.tile.k = 128;
      return tiling;
    }());
  check_product({.m = 100, .n = 200, .k = 100, .dtype = DType::bf16, .batch = 2}, turned(bulk(1, true)));
  GemmTiling slices = turned(bulk(1, false));
  slices.split_k = 2;
  check_product({.m = 100, .n = 200, .k = 300, .dtype = DType::bf16}, slices);
  slices.reduction = SplitReduction::atomics;
  check_product({.m = 100, .n = 200, .k = 300, .dtype = DType::bf16, .result = DType::fp32}, slices);
}

TEST_CASE(
    "four matrices an instruction: a quarter of the stores of pairs, an eighth of single elements, as many bytes") {
  const std::int64_t elements = 128 * 64;
  const Stores pairs = stores_of(bulk(2, false));
  const Stores matrices = stores_of(bulk(2, true));
  CHECK(pairs.instructions * 2 * 32 * 8 == elements);  // each warp of eight runs the program
  CHECK(matrices.instructions * 8 * 32 * 8 == elements);
  const Stores singles = stores_of(turned(bulk(2, false)));
  const Stores turned_matrices = stores_of(turned(bulk(2, true)));
  CHECK(singles.instructions * 32 * 8 == elements);
  CHECK(turned_matrices.instructions == matrices.instructions);
  // 128 bytes a wavefront, and nothing else differs: single elements of 16 bits fill half of one.
  CHECK(matrices.wavefronts == turned_matrices.wavefronts);
  CHECK(singles.wavefronts - turned_matrices.wavefronts == elements * 2 / 64 - elements * 2 / 128);
  CHECK(matrices.conflicts == 0);
  CHECK(turned_matrices.conflicts == 0);
}

TEST_CASE("pieces of C's transpose are rows, of which eight will do whatever their type") {
  GemmTiling tiling = turned(bulk(1, false));
  tiling.tile = {128, 32, 128};
  tiling.epilogue_columns = 8;
  GemmProblem bytes{.m = 100, .n = 300, .k = 128, .dtype = DType::fp8, .layout = GemmLayout::nt};
  CHECK(refusal(bytes, tiling).empty());
  check_product(bytes, tiling);
  tiling.swap_ab = false;
  CHECK(refusal(bytes, tiling).find("equal and multiples of 16") != std::string::npos);
}

TEST_CASE("the way to shared memory changes the schedule, and is said") {
  for (const bool swap : {false, true}) {
    GemmTiling matrices = bulk(2, true);
    matrices.swap_ab = swap;
    GemmTiling elements = matrices;
    elements.stmatrix = false;
    CHECK(digest(gemm(square, matrices)) != digest(gemm(square, elements)));
    const auto choices = gemm(square, matrices).choices;
    CHECK(std::find(choices.begin(), choices.end(), std::pair<std::string, std::string>{"stmatrix", "true"}) !=
          choices.end());
  }
}

TEST_CASE("matrices of other than 16 bits, without bulk stores or without wgmma are refused") {
  GemmProblem wide = square;
  wide.result = DType::fp32;
  CHECK(refusal(wide, bulk(2, true)) ==
        "stmatrix: it stores elements of 16 bits, and fp32 is what C has; without stmatrix it can");
  GemmTiling slices = bulk(2, true);
  slices.split_k = 2;
  CHECK(refusal(square, slices) ==
        "stmatrix: it stores elements of 16 bits, and fp32 leaves a slice of k; without stmatrix it can");
  GemmTiling direct = bulk(2, true);
  direct.epilogue = Epilogue::direct;
  CHECK(refusal(square, direct) ==
        "stmatrix: C goes through shared memory on its way to bulk stores (epilogue tma) alone");
  GemmTiling warps{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 3};
  warps.stmatrix = true;
  CHECK(refusal(square, warps).starts_with("stmatrix: it means nothing to async; wgmma has it"));
}

TEST_CASE("the recent libraries have tiles of rows in steps of 16 by way of C's transpose, all in bulk") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem problem{.m = 2817, .n = 2560, .k = 2560, .dtype = DType::bf16, .layout = GemmLayout::nt};
  const auto swapped = [&](GemmLibrary library, const GemmRequest& request = {}) {
    std::vector<GemmTiling> found = gemm_candidates(hopper, problem, request, {}, library);
    found.erase(std::remove_if(found.begin(), found.end(), [](const GemmTiling& each) { return !each.swap_ab; }),
                found.end());
    return found;
  };
  for (const GemmLibrary library : {GemmLibrary::recent, GemmLibrary::cublas_12}) {
    const std::vector<GemmTiling> found = swapped(library);
    REQUIRE_FALSE(found.empty());
    for (const GemmTiling& each : found) {
      CHECK(each.tile.n % 16 == 0);
      CHECK(each.tile.n % 64 != 0);
      CHECK(each.epilogue == Epilogue::tma);
      CHECK(each.stmatrix == (each.split_k == 1));
    }
  }
  const auto has_160_rows = [](const std::vector<GemmTiling>& found) {
    return std::any_of(found.begin(), found.end(),
                       [](const GemmTiling& each) { return each.tile.m == 256 && each.tile.n == 160; });
  };
  CHECK(has_160_rows(swapped(GemmLibrary::recent)));
  CHECK(has_160_rows(swapped(GemmLibrary::recent, {.swap_ab = true})));
  CHECK(swapped(GemmLibrary::cublas_12_1).empty());
  const auto of_tile = [&](const GemmTile& tile) {
    const auto found = gemm_candidates(hopper, problem, {}, tile, GemmLibrary::recent);
    return std::any_of(found.begin(), found.end(), [](const GemmTiling& each) { return each.swap_ab; });
  };
  CHECK(of_tile({128, 224, 64}));  // as it is listed, or turned
  CHECK_FALSE(of_tile({128, 256, 64}));
  CHECK(swapped(GemmLibrary::recent, {.swap_ab = false}).empty());
}

}  // namespace gpusim::gemm_stmatrix_test
