// wgmma of C's transpose, and of a matrix that passes through registers.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"
#include "support/sanitized.h"
#include "tune/gemm_piece.h"
#include "validate/gemm_wave.h"

namespace gpusim::gemm_swap_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

/// A k tile of a swizzle's width.
GemmTiling groups_of(DType dtype, bool specialize, int consumers) {
  GemmTiling tiling = wgmma(specialize, consumers);
  tiling.tile.k = 128 / size_of(dtype);
  return tiling;
}

GemmTiling swapped(GemmTiling tiling) {
  tiling.swap_ab = true;
  return tiling;
}

constexpr GemmProblem of_words{.m = 256, .n = 192, .k = 96, .dtype = DType::tf32};

}  // namespace

TEST_CASE("a product's transpose is tiled as it lies, and is its own inverse") {
  const GemmTiling swap = swapped(wgmma(true));
  for (const auto& [layout, other] :
       {std::pair{GemmLayout::nn, GemmLayout::tt}, std::pair{GemmLayout::nt, GemmLayout::nt},
        std::pair{GemmLayout::tn, GemmLayout::tn}, std::pair{GemmLayout::tt, GemmLayout::nn}}) {
    const GemmProblem problem{.m = 3, .n = 5, .k = 7, .layout = layout};
    const GemmProblem tiled = tiled_problem(problem, swap);
    CHECK(tiled.m == 5);
    CHECK(tiled.n == 3);
    CHECK(tiled.k == 7);
    CHECK(tiled.layout == other);
    CHECK(tiled_problem(tiled, swap).layout == layout);
    CHECK(tiled_problem(problem, wgmma(true)).m == 3);
  }
}

TEST_CASE("C's transpose in any layout, with and without a producer, equals Eigen's product") {
  Thinned cases;
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt})
    for (const bool specialize : {false, true})
      for (const int consumers : {1, 2})
        for (const bool double_buffer : {false, true}) {
          if (!cases.takes_next()) continue;
          GemmTiling tiling = swapped(wgmma(specialize, consumers));
          tiling.double_buffer = double_buffer;
          check_product({.m = 150, .n = 100, .k = 300, .dtype = DType::bf16, .layout = layout}, tiling);
        }
  check_product({.m = 130, .n = 70, .k = 200, .dtype = DType::fp8, .layout = GemmLayout::nt},
                swapped(groups_of(DType::fp8, true, 1)));
  check_product(
      {.m = 130, .n = 70, .k = 200, .dtype = DType::int8, .accumulate = DType::int32, .layout = GemmLayout::nt},
      swapped(groups_of(DType::int8, true, 1)));
  GemmTiling promoting = swapped(wgmma(true, 2));
  promoting.promote = true;
  check_product({.m = 130, .n = 70, .k = 200, .bias = true}, promoting);
}

TEST_CASE("4-byte elements across k pass through registers: A of tt, or with A and B swapped B of nn") {
  Thinned cases;
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::tt})
    for (const bool specialize : {false, true})
      for (const int consumers : {1, 2})
        for (const bool double_buffer : {false, true})
          for (const int columns : {64, 320}) {
            if (!cases.takes_next()) continue;
            GemmTiling tiling = groups_of(DType::tf32, specialize, consumers);
            tiling.swap_ab = layout == GemmLayout::nn;
            tiling.double_buffer = double_buffer;
            tiling.tile.n = columns;  // one instruction along n, or two
            check_product({.m = 150, .n = 100, .k = 200, .dtype = DType::tf32, .layout = layout}, tiling);
          }
}

TEST_CASE("walks, clusters, slices of k and what is done to C") {
  GemmProblem problem{.m = 300, .n = 200, .k = 200, .dtype = DType::tf32, .result = DType::fp32, .beta = 0.5};
  GemmTiling tiling = swapped(groups_of(DType::tf32, true, 2));
  tiling.ctas = 2;
  check_product(problem, tiling);
  tiling.double_buffer = true;
  tiling.consecutive = true;
  check_product(problem, tiling);
  tiling.consecutive = false;
  tiling.ctas = 0;
  problem.batch = 2;
  problem.alpha = 2;
  problem.activation = Activation::relu;
  problem.result = DType::fp16;
  check_product(problem, tiling);
  problem.bias = true;
  check_product(problem, tiling);
  tiling.split_k = 2;
  check_product(problem, tiling);
  problem.bias = false;
  problem.activation = Activation::none;
  problem.beta = 0;
  problem.result = DType::fp32;
  tiling.reduction = SplitReduction::atomics;
  check_product(problem, tiling);
  tiling.split_k = 1;
  tiling.reduction = SplitReduction::kernel;
  problem.m = 512;  // tiles of C's transpose: 2 along n, 8 along m
  for (const GemmShape cluster : {GemmShape{2, 1}, GemmShape{1, 2}, GemmShape{2, 2}})
    for (const MulticastBy who : {MulticastBy::each, MulticastBy::first}) {
      tiling.cluster = cluster;
      tiling.multicast_by = who;
      tiling.consumers_arrive = !tiling.consumers_arrive;
      check_product(problem, tiling);
    }
}

TEST_CASE("a consumer's instructions are those counted by hand") {
  // 256x64x32, two groups of two blocks of 64 rows; four steps of eight along k; 96 is three tiles.
  GemmTiling tiling = groups_of(DType::tf32, true, 2);
  tiling.tile.m = 256;
  const auto instructions = [&](bool through_registers, bool double_buffer) {
    GemmProblem problem{.m = 64, .n = 256, .k = 96, .dtype = DType::tf32, .result = DType::fp32};
    problem.layout = through_registers ? GemmLayout::nn : GemmLayout::nt;
    tiling.double_buffer = double_buffer;
    return warp_instructions(gemm(problem, swapped(tiling)));
  };
  const std::int64_t steps = 32 / 8;
  const std::int64_t loads = 2 * 16 * 8 / 32;    // LDS of an element a lane: two blocks of 16 x 8
  const std::int64_t commits = steps - 1;        // of a step each, not of the tile
  const std::int64_t waits = steps - 1;          // with double buffering before each step's loads, not once a tile
  const std::int64_t more_boxes = 256 / 32 - 1;  // B, which takes A's place: 32 rows of 32 columns, not 256 rows of k
  const std::int64_t more = 8 * 3 * (steps * loads + commits) + 3 * more_boxes;
  CHECK(instructions(true, false) - instructions(false, false) == more);
  CHECK(instructions(true, true) - instructions(false, true) == more + 8 * 3 * waits);
}

TEST_CASE("choose() swaps where wgmma can multiply in no other way, and says so in choices and digest") {
  const Profile hopper = load_profile("hopper");
  GemmProblem problem = of_words;
  GemmRequest request{.tile = {128, 64, 32}, .variant = GemmVariant::wgmma};
  CHECK(choose(hopper, problem, request).swap_ab);
  for (const GemmLayout layout : {GemmLayout::nt, GemmLayout::tt}) {
    problem.layout = layout;
    CHECK_FALSE(choose(hopper, problem, request).swap_ab);
  }
  problem.layout = GemmLayout::nt;
  const GemmTiling straight = choose(hopper, problem, request);
  request.swap_ab = true;
  const GemmTiling swap = choose(hopper, problem, request);
  CHECK(swap.swap_ab);
  CHECK(digest(gemm(problem, straight)) != digest(gemm(problem, swap)));
  const auto choices = gemm(problem, swap).choices;
  CHECK(std::find(choices.begin(), choices.end(), std::pair<std::string, std::string>{"swap_ab", "true"}) !=
        choices.end());
}

TEST_CASE("a short tile is not multiplied while the next is read into the same registers, unless that is asked for") {
  const Profile hopper = load_profile("hopper");
  GemmRequest request{.tile = {64, 64, 8}, .variant = GemmVariant::wgmma};
  CHECK_FALSE(choose(hopper, of_words, request).double_buffer);
  request.tile.k = 16;
  CHECK(choose(hopper, of_words, request).double_buffer);
  const auto found = gemm_candidates(hopper, of_words, {}, GemmTile{64, 128, 8});
  REQUIRE_FALSE(found.empty());
  for (const GemmTiling& each : found) CHECK(each.variant == GemmVariant::wgmma);
}

TEST_CASE("candidates that swap walk the tiles of C's transpose") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem problem{.m = 8192, .n = 128, .k = 512, .dtype = DType::fp16, .layout = GemmLayout::nt};
  const auto found = gemm_candidates(hopper, problem, {.swap_ab = true}, GemmTile{128, 256, 64});
  const bool walks = std::any_of(found.begin(), found.end(), [](const GemmTiling& each) { return each.ctas == 32; });
  CHECK(walks);  // 1 x 32 tiles; of C as it lies there would be 64
  for (const GemmTiling& each : found) CHECK(each.swap_ab);
  CHECK_THROWS_WITH_AS((void)gemm_candidates(hopper, problem, {.swap_ab = true, .epilogue = Epilogue::staged}),
                       doctest::Contains("epilogue: C's transpose (swap_ab) leaves the registers directly"),
                       ScheduleError);
}

TEST_CASE("pieces and waves of a product are of C's transpose, too") {
  const Profile hopper = load_profile("hopper");
  // 16 x 2 tiles of C, 8 x 4 of its transpose.
  const GemmProblem problem{.m = 1024, .n = 8192, .k = 8192, .dtype = DType::tf32, .result = DType::fp32};
  const GemmTiling swap = choose(hopper, problem, {.tile = {64, 256, 32}, .variant = GemmVariant::wgmma});
  REQUIRE(swap.swap_ab);
  const auto piece = tune::piece_of(problem, swap, hopper);
  REQUIRE(piece);
  const GemmProblem part = tune::problem_of(*piece, piece->k_short, problem);
  CHECK(tile_count(gemm(part, swap)) <= 132 * 2);
  CHECK(part.m % 256 == 0);
  CHECK(part.n % 64 == 0);

  GemmProblem large = problem;
  large.m = 4096;
  const auto wave = validate::wave_of(large, swap, hopper);
  REQUIRE(wave);
  CHECK(wave->waves * wave->ctas + wave->rest == 4096 / 256 * 8192 / 64);
}

TEST_CASE("Hopper's library has four tiles for matrices that pass through registers, and no slices of k") {
  const Profile hopper = load_profile("hopper");
  GemmProblem problem{.m = 1024, .n = 1024, .k = 8192, .dtype = DType::tf32, .result = DType::fp32};
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::tt}) {
    problem.layout = layout;
    const std::vector<GemmTiling> found = gemm_candidates(hopper, problem);
    std::set<std::array<int, 3>> tiles;
    for (const GemmTiling& each : found) {
      CHECK(each.variant == GemmVariant::wgmma);
      CHECK(each.swap_ab == (layout == GemmLayout::nn));
      CHECK(each.split_k == 1);
      tiles.insert({each.tile.m, each.tile.n, each.consumers});
    }
    CHECK(tiles == std::set<std::array<int, 3>>{{64, 128, 1}, {64, 256, 1}, {128, 128, 1}, {128, 256, 2}});
  }
}

TEST_CASE("what cannot be is refused with what would do") {
  const GemmTiling through_registers = swapped(groups_of(DType::tf32, true, 1));
  CHECK(refusal(of_words, through_registers).empty());
  GemmProblem problem = of_words;
  const std::string needs =
      "layout: wgmma needs k along the rows of one of two matrices of tf32: nt, tt, or nn with "
      "swap_ab, not ";
  CHECK(refusal(problem, groups_of(DType::tf32, true, 1)) == needs + "nn");
  problem.layout = GemmLayout::tn;
  CHECK(refusal(problem, groups_of(DType::tf32, true, 1)) == needs + "tn");
  CHECK(refusal(problem, through_registers) == needs + "tn with swap_ab");
  problem.layout = GemmLayout::tt;
  CHECK(refusal(problem, through_registers) == needs + "tt with swap_ab");

  const auto changed = [&](const auto& change) {
    GemmProblem other = of_words;
    GemmTiling tiling = through_registers;
    change(other, tiling);
    return refusal(other, tiling);
  };
  CHECK(changed([](GemmProblem&, GemmTiling& tiling) { tiling.epilogue = Epilogue::staged; }) ==
        "epilogue: C's transpose (swap_ab) leaves the registers directly or by bulk stores (tma), not staged; tma and "
        "async can, or wgmma of layout nt");
  const GemmProblem half{.m = 256, .n = 256, .k = 256};
  GemmTiling staged = swapped(wgmma(true));
  staged.epilogue = Epilogue::staged;
  CHECK(refusal(half, staged).ends_with("; without swap_ab it can"));
  CHECK(refusal({.m = 256, .n = 256, .k = 256, .dtype = DType::fp8}, swapped(groups_of(DType::fp8, true, 1))) ==
        "layout: wgmma reads fp8 with k along the rows only: nt, not nn");
  GemmTiling cluster = through_registers;
  cluster.cluster = {2, 1};
  CHECK(refusal({.m = 300, .n = 64, .k = 64, .dtype = DType::tf32}, cluster) ==
        "cluster.m: 1 tiles cannot be cut into clusters of 2; the nearest number that they can is 1 (m lies along n of "
        "C: "
        "swap_ab)");
  CHECK(changed([](GemmProblem&, GemmTiling& tiling) { tiling.promote = true; }).starts_with("promote: "));
  CHECK(changed([](GemmProblem& other, GemmTiling&) { other.batch_interleave = 2; }).starts_with("batch_interleave: "));
  CHECK(changed([](GemmProblem&, GemmTiling& tiling) {
          tiling.double_buffer = true;
          tiling.tile.k = 8;
        }).starts_with("tile.k: a fragment of the tile still being multiplied"));
  CHECK(changed([](GemmProblem&, GemmTiling& tiling) {
          tiling.ctas = 2;
          tiling.stream_k = true;
        }).starts_with("stream_k: "));
  CHECK(refusal({.m = 256, .n = 256, .k = 256, .sparse = true}, swapped(wgmma(true))).starts_with("sparse: "));
  GemmTiling warps{.tile = {64, 64, 32}, .variant = GemmVariant::async, .stages = 3};
  CHECK(refusal({.m = 64, .n = 64, .k = 64}, swapped(warps)) == "swap_ab: it means nothing to async; wgmma has it");
}

}  // namespace gpusim::gemm_swap_test
