// simt of int8: DP4A, whose operands are words of four elements along k.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"

namespace gpusim::gemm_dot_product_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

GemmProblem int8_problem(std::int64_t m, std::int64_t n, std::int64_t k, GemmLayout layout = GemmLayout::nn) {
  return {.m = m,
          .n = n,
          .k = k,
          .dtype = DType::int8,
          .accumulate = DType::int32,
          .result = DType::int32,
          .layout = layout};
}

constexpr GemmTiling igemm{.tile = {64, 64, 32},
                           .variant = GemmVariant::simt,
                           .stages = 2,
                           .fragment_k = 4,
                           .thread_tile = {4, 4},
                           .prefetch = true,
                           .double_buffer = true};

}  // namespace

TEST_CASE("int8 products by DP4A are right in every layout, aligned and ragged") {
  for (const GemmLayout layout : layouts)
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{64, 64, 64}, std::array<std::int64_t, 3>{65, 33, 47},
                                  std::array<std::int64_t, 3>{1, 1, 1}, std::array<std::int64_t, 3>{100, 70, 90}}) {
      CAPTURE(name(layout));
      check_product(int8_problem(m, n, layout == GemmLayout::nt ? (k + 3) / 4 * 4 : k, layout), igemm);
    }
}

TEST_CASE("and with one buffer, deeper fragments, vectors of any width, slices of k, persistent CTAs") {
  for (const GemmLayout layout : layouts) {
    GemmTiling plain = igemm;
    plain.prefetch = plain.double_buffer = false;
    plain.stages = 1;
    plain.fragment_k = 16;
    check_product(int8_problem(70, 90, 76, layout), plain);
    for (const int vector : {4, 8, 16}) {
      GemmTiling vectors = igemm;
      vectors.vector_a = vectors.vector_b = vector;
      check_product(int8_problem(70, 90, layout == GemmLayout::nt ? 80 : 76, layout), vectors);
    }
    GemmTiling narrow = igemm;  // fewer words than threads
    narrow.tile = {8, 64, 32};
    narrow.thread_tile = {2, 2};
    check_product(int8_problem(5, 90, 76, layout), narrow);
    narrow.tile = {64, 8, 32};
    check_product(int8_problem(90, 5, 76, layout), narrow);
    GemmTiling sliced = igemm;
    sliced.split_k = 2;
    check_product(int8_problem(70, 90, 200, layout), sliced);
    GemmTiling walking = igemm;
    walking.ctas = 3;
    check_product(int8_problem(130, 200, 100, layout), walking);
  }
}

TEST_CASE("a lane's DP4A makes four products, and lanes permute bytes where k lies along the columns") {
  const GemmProblem cube = int8_problem(64, 64, 64);
  const Schedule schedule = gemm(cube, igemm);
  REQUIRE(schedule.roles.size() == 1);
  const std::vector<Statement>& body = schedule.roles[0].program.body;
  constexpr int accumulators = 16;
  CHECK(count_of(body, "IDP") == accumulators * 64 / products_of_a_dot);
  CHECK(count_of(body, "FFMA") == 0);
  // B's tile is 8 x 16 blocks of four k by four columns: four of the eight warps have one a lane. The first tile is
  // stored before the loop.
  const Schedule straight = gemm(int8_problem(64, 64, 64, GemmLayout::nt), igemm);
  const std::vector<Statement>& other = straight.roles[0].program.body;
  constexpr int words_of_a_block = 4;
  const auto permutations = [](const std::vector<Statement>& statements) {
    std::int64_t count = 0;
    for (const Statement& statement : statements)
      if (const auto* operation = std::get_if<Operation>(&statement))
        if (const auto* arithmetic = std::get_if<Arithmetic>(&operation->action))
          if (arithmetic->pipe == Pipe::alu && !arithmetic->overhead && arithmetic->writes &&
              !arithmetic->reads.empty())
            count += operation->count;
    return count;
  };
  CHECK(permutations(body) == 2 * words_of_a_block);
  CHECK(permutations(other) == 0);
}

TEST_CASE("DP4A takes whole words from shared memory, and int32 sums: anything else is refused, saying why") {
  const GemmProblem cube = int8_problem(64, 64, 64);
  const auto with = [&](auto change) {
    GemmTiling tiling = igemm;
    change(tiling);
    return refusal(cube, tiling);
  };
  CHECK(
      with([](GemmTiling& t) { t.fragment_k = 2; }) ==
      "fragment_k: 2 elements: it must divide the tile's k of 32 and be a multiple of the 4 that DP4A multiplies at a "
      "time; 4 would do");
  CHECK(with([](GemmTiling& t) { t.tile.k = 18, t.fragment_k = 0; }) ==
        "tile.k: DP4A multiplies four int8 along k at a time; 18 is not a multiple of 4");
  CHECK(with([](GemmTiling& t) { t.stage_a = false; }) ==
        "stage_a: int8 goes through shared memory, in words of four along k");
  CHECK(with([](GemmTiling& t) { t.transpose_a = true; }) ==
        "transpose_a: words of four int8 along k lie side by side along m already");
  GemmTiling turned = igemm;
  turned.transpose_b = true;
  CHECK(refusal(int8_problem(64, 64, 64, GemmLayout::nt), turned) ==
        "transpose_b: words of four int8 along k lie side by side along n already");
  CHECK(with([](GemmTiling& t) { t.copy_lanes_b = 8; }) ==
        "copy_lanes_b: lanes copy blocks of int8 that become words of four along k");
  CHECK(with([](GemmTiling& t) { t.prefetch = t.double_buffer = false; }).find("vector_b: ") == 0);  // cp.async
  CHECK(with([](GemmTiling& t) { t.prefetch = t.double_buffer = false, t.vector_a = 1; }).find("transpose") ==
        std::string::npos);
  CHECK(refusal(int8_problem(64, 64, 66, GemmLayout::nt), igemm) ==
        "k: both matrices have k along their rows, and DP4A takes words of four: 66 is not a multiple of 4");
  CHECK(with([](GemmTiling& t) { t.vector_a = 2; }) ==
        "vector_a: int8 whose k lies along the rows is moved in words of four, not 2 elements at a time");
  GemmProblem floats = cube;
  floats.accumulate = DType::fp32;
  floats.result = {};
  CHECK(refusal(floats, igemm) == "accumulate: simt accumulates int8 in int32, not in fp32");
  GemmTiling coalesced{.tile = {32, 32, 32}, .variant = GemmVariant::coalesced};
  CHECK(refusal(cube, coalesced).find("dtype: coalesced multiplies fp32, fp16 and bf16, not int8") == 0);
}

TEST_CASE("a GPU has DP4A or has not, at its own rate") {
  const Profile volta = load_profile("volta");
  CHECK(variants(volta, DType::int8, DType::int32) == std::vector{GemmVariant::simt});
  CHECK(peak_flops(volta, false, DType::int8, DType::int32, 1000) ==
        doctest::Approx(4 * peak_flops(volta, false, DType::fp32, DType::fp32, 1000)));
  Profile none = volta;
  none.pipes.dp4a.reset();
  CHECK(variants(none, DType::int8, DType::int32).empty());
  const std::vector<Problem> problems = check(gemm(int8_problem(64, 64, 64), igemm), none);
  REQUIRE_FALSE(problems.empty());
  CHECK(problems[0].what == "the GPU has no dot products of int8 (DP4A)");
}

TEST_CASE("half of the fma pipe's lanes: dot products take twice an FFMA's time, on an idle SM and a full one") {
  // fp32 with tiles of k 8 and int8 with tiles of k 32 are the same loops, loads and instructions but for LDS.
  Profile gpu = load_profile("volta");
  gpu.sm.register_bank_operands_per_clk = Rate::unlimited();
  GemmTiling large = igemm;
  large.tile = {128, 128, 32};
  large.thread_tile = {8, 8};
  const auto cycles = [&](std::int64_t lanes) {
    gpu.pipes.dp4a->lanes = lanes;
    return gpusim::cycles(Gpu(gpu).run(gemm(int8_problem(128, 128, 2048), large))).count();
  };
  const auto whole = static_cast<double>(cycles(64));
  const auto half = static_cast<double>(cycles(32));
  CHECK(half / whole > 1.7);
  CHECK(half / whole < 2.05);
  constexpr double instructions = 128.0 * 128 * 2048 / 4 / 32;
  CHECK(half >= instructions);  // one a cycle from 32 lanes
}

TEST_CASE("cuBLAS 10 multiplies int8 by DP4A, in one tile where both sides are long, and never slices k") {
  for (const char* gpu : {"turing", "volta"}) {
    const auto found =
        gemm_candidates(load_profile(gpu), int8_problem(512, 1500, 2048), {}, {}, GemmLibrary::cublas_10);
    REQUIRE(found.size() == 1);
    CHECK(found[0].variant == GemmVariant::simt);
    CHECK(found[0].tile == GemmTile{128, 128, 32});
    CHECK(found[0].split_k == 1);
  }
  for (const auto& [m, n] : {std::pair{4, 3072}, std::pair{3072, 4}})
    for (const GemmTiling& each :
         gemm_candidates(load_profile("turing"), int8_problem(m, n, 1024), {}, {}, GemmLibrary::cublas_10))
      CHECK(std::min(each.tile.m, each.tile.n) <= 32);
}

TEST_CASE("recent libraries multiply int8 on tensor cores, where there are any") {
  const auto turing = gemm_candidates(load_profile("turing"), int8_problem(512, 1500, 2048));
  CHECK(std::all_of(turing.begin(), turing.end(), [](const auto& each) { return each.variant != GemmVariant::simt; }));
  const auto volta = gemm_candidates(load_profile("volta"), int8_problem(512, 1500, 2048));
  REQUIRE_FALSE(volta.empty());
  CHECK(volta[0].variant == GemmVariant::simt);
}

TEST_CASE("other types have the kernels of cuBLAS 12.1 in cuBLAS 10, but for wgmma") {
  const GemmProblem half{.m = 1024, .n = 1024, .k = 1024};
  const Profile turing = load_profile("turing");
  const auto older = gemm_candidates(turing, half, {}, {}, GemmLibrary::cublas_10);
  CHECK(older.size() == gemm_candidates(turing, half, {}, {}, GemmLibrary::cublas_12_1).size());
  for (const GemmTiling& each : older) {
    CHECK(std::has_single_bit(static_cast<unsigned>(each.tile.m)));
    CHECK(std::has_single_bit(static_cast<unsigned>(each.tile.n)));
  }
  for (const GemmTiling& each : gemm_candidates(load_profile("hopper"), half, {}, {}, GemmLibrary::cublas_10))
    CHECK(each.variant == GemmVariant::async);
}

}  // namespace gpusim::gemm_dot_product_test
