// naive, coalesced and simt kernels with fp16 sums: HFMA2, whose lanes have two neighbouring elements of C.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"

namespace gpusim::gemm_half_product_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

constexpr std::array layouts{GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt};

GemmProblem half_problem(std::int64_t m, std::int64_t n, std::int64_t k, GemmLayout layout = GemmLayout::nn) {
  return {.m = m, .n = n, .k = k, .accumulate = DType::fp16, .layout = layout};
}

GemmTiling threads_of(int rows, int columns) {
  GemmTiling tiling{.tile = {64, 64, 16}, .variant = GemmVariant::simt, .fragment_k = 4};
  if (rows * columns == 1) tiling.tile = {32, 32, 16};  // a CTA has 1024 threads
  tiling.thread_tile = {rows, columns};
  tiling.order_m = tiling.order_n = ElementOrder::contiguous;
  return tiling;
}

/// Instructions of a warp for which `counts` holds, in a program without guards that matter.
template <class Counts>
std::int64_t count_of(const std::vector<Statement>& body, const Counts& counts) {
  std::int64_t count = 0;
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement))
      count += loop->trips * count_of(loop->body, counts);
    else if (const auto& operation = std::get<Operation>(statement); counts(operation.action))
      count += operation.count;
  }
  return count;
}

std::int64_t products(const Schedule& schedule) {
  return count_of(schedule.roles[0].program.body, [](const Action& action) { return name(action) == "HFMA2"; });
}

/// PRMTs: what puts two elements into one register.
std::int64_t pairings(const Schedule& schedule) {
  return count_of(schedule.roles[0].program.body, [](const Action& action) {
    const auto* arithmetic = std::get_if<Arithmetic>(&action);
    return arithmetic != nullptr && arithmetic->pipe == Pipe::alu && !arithmetic->overhead && arithmetic->writes &&
           !arithmetic->reads.empty();
  });
}

}  // namespace

TEST_CASE("fp16 sums without tensor cores are right in every layout, aligned and ragged, in all three kernels") {
  for (const GemmLayout layout : layouts)
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{64, 64, 64}, std::array<std::int64_t, 3>{65, 33, 47},
                                  std::array<std::int64_t, 3>{1, 1, 1}}) {
      CAPTURE(name(layout));
      const GemmProblem problem = half_problem(m, n, k, layout);
      check_product(problem, {.tile = {32, 32, 4}, .variant = GemmVariant::naive});
      check_product(problem, {.tile = {32, 32, 4}, .variant = GemmVariant::coalesced});
      for (const auto& [rows, columns] : {std::pair{8, 8}, std::pair{8, 1}, std::pair{1, 1}})
        check_product(problem, threads_of(rows, columns));
    }
}

TEST_CASE("a lane's HFMA2 has two columns of C, or two rows where its columns are odd, or one element") {
  const GemmProblem cube = half_problem(64, 64, 64);
  constexpr std::int64_t k = 64;
  CHECK(products(gemm(cube, threads_of(8, 8))) == 8 * 8 / 2 * k);
  CHECK(products(gemm(cube, threads_of(8, 1))) == 8 / 2 * k);
  CHECK(products(gemm(cube, threads_of(1, 8))) == 8 / 2 * k);
  CHECK(products(gemm(cube, threads_of(1, 1))) == k);
  CHECK(products(gemm(cube, {.tile = {32, 32, 4}, .variant = GemmVariant::coalesced})) == k);
}

TEST_CASE("neighbours that a load brings along k, or one by one, are put together first") {
  const GemmProblem cube = half_problem(64, 64, 64);
  constexpr std::int64_t k = 64;
  // Pairs of columns: B's neighbours come in one register, A's elements are taken twice wherever they are.
  CHECK(pairings(gemm(cube, threads_of(8, 8))) == 0);
  GemmTiling strided = threads_of(8, 8);
  strided.order_n = ElementOrder::strided;
  CHECK(pairings(gemm(cube, strided)) == 8 / 2 * k);
  // Pairs of rows: A's neighbours lie in two rows of four k each, or side by side once A is transposed.
  CHECK(pairings(gemm(cube, threads_of(8, 1))) == 8 / 2 * k);
  GemmTiling transposed = threads_of(8, 1);
  transposed.transpose_a = true;
  CHECK(pairings(gemm(cube, transposed)) == 0);
  GemmProblem wide = cube;
  wide.accumulate = DType::fp32;
  CHECK(products(gemm(wide, threads_of(8, 8))) == 0);
}

TEST_CASE("sums take half the registers") {
  const GemmProblem half = half_problem(256, 256, 64);
  GemmProblem whole = half;
  whole.accumulate = DType::fp32;
  GemmTiling tiling = threads_of(8, 8);
  tiling.tile = {128, 128, 16};
  constexpr std::int64_t saved = 8 * 8 / 2;
  CHECK(estimate_registers(half, tiling) + saved <= estimate_registers(whole, tiling));
}

TEST_CASE("a GPU has HFMA2 or has not, at its own rate; bf16 has none here") {
  const Profile ampere = load_profile("rtx3090");
  const auto peak = [&](DType sums) { return peak_flops(ampere, false, DType::fp16, sums, 1000); };
  CHECK(peak(DType::fp16) == doctest::Approx(peak(DType::fp32)));
  const auto has_simt = [](const Profile& profile) {
    const auto there = variants(profile, DType::fp16, DType::fp16);
    return std::find(there.begin(), there.end(), GemmVariant::simt) != there.end();
  };
  CHECK(has_simt(ampere));
  Profile none = ampere;
  none.pipes.hfma2.reset();
  CHECK_FALSE(has_simt(none));
  const std::vector<Problem> problems = check(gemm(half_problem(64, 64, 64), threads_of(8, 8)), none);
  REQUIRE_FALSE(problems.empty());
  CHECK(problems[0].what == "the GPU has no multiply-adds of fp16 pairs (HFMA2)");
  GemmProblem brain = half_problem(64, 64, 64);
  brain.dtype = DType::bf16;
  CHECK(refusal(brain, threads_of(8, 8)) == "accumulate: simt accumulates in fp32, not fp16");
  GemmProblem integers = half_problem(64, 64, 64);
  integers.accumulate = DType::int32;
  CHECK(refusal(integers, threads_of(8, 8)) == "accumulate: simt accumulates fp16 in fp32 or fp16, not in int32");
}

TEST_CASE("products take as long as their lanes do; more lanes than FFMA has count, too") {
  Profile gpu = load_profile("rtx3090");
  gpu.sm.register_bank_operands_per_clk = Rate::unlimited();
  GemmTiling tiling = threads_of(8, 8);
  tiling.tile = {128, 128, 16};
  tiling.double_buffer = true;
  const auto cycles = [&](std::int64_t lanes) {
    gpu.pipes.hfma2->lanes = lanes;
    return static_cast<double>(gpusim::cycles(Gpu(gpu).run(gemm(half_problem(128, 128, 1024), tiling))).count());
  };
  constexpr double instructions = 128.0 * 128 * 1024 / 2 / 32;
  const double half = cycles(32);
  CHECK(half >= instructions);  // one a cycle from 32 lanes
  const double whole = cycles(64);
  CHECK(half / whole > 1.3);  // a CTA alone waits for more than products
  CHECK(cycles(256) < whole);
  CHECK(whole >= instructions / 2);
}

}  // namespace gpusim::gemm_half_product_test
