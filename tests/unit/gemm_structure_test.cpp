// How a GEMM is shared out over warps, lanes and shared memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gpusim/schedules/gemm.h"
#include "schedules/gemm_access.h"
#include "support/worst_bank.h"

namespace gpusim::gemm_structure_test {

using schedules::Access;
using schedules::Extent;
using schedules::GemmPlan;
using schedules::GemmTile;
using schedules::GemmVariant;

namespace {

GemmPlan plan_of(const GemmTile& tile, GemmVariant variant, const MmaShape& instruction = {16, 8, 16}) {
  return schedules::plan_gemm(
      {.m = 512, .n = 512, .k = 512, .dtype = variant == GemmVariant::simt ? DType::fp32 : DType::fp16},
      {.tile = tile, .variant = variant, .instruction = instruction});
}

/// How often each element of `matrix` is accessed by `warps` warps: {least, most}.
std::pair<int, int> coverage(const Access& access, const Extent& matrix, int warps) {
  std::vector<int> times(static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.columns));
  Coordinates at{};
  for (int warp = 0; warp < warps; ++warp)
    for (std::int64_t repeat = 0; repeat < access.count; ++repeat)
      for (int lane = 0; lane < 32; ++lane) {
        at[static_cast<std::size_t>(Coordinate::warp)] = warp;
        at[static_cast<std::size_t>(Coordinate::repeat)] = repeat;
        at[static_cast<std::size_t>(Coordinate::lane)] = lane;
        if (access.lanes && access.lanes->value(at) >= access.lanes->limit) continue;
        for (int element = 0; element < access.vector; ++element)
          ++times.at(static_cast<std::size_t>(access.row(at) * matrix.columns + access.column(at) + element));
      }
  return {*std::min_element(times.begin(), times.end()), *std::max_element(times.begin(), times.end())};
}

}  // namespace

TEST_CASE("eight warps share tiles of up to 128x128 as nearly square as they can") {
  CHECK(plan_of({128, 128, 32}, GemmVariant::async).warps == Extent{2, 4});
  CHECK(plan_of({128, 128, 32}, GemmVariant::async).warp_tile == Extent{64, 32});
  CHECK(plan_of({128, 128, 8}, GemmVariant::simt).thread_tile == Extent{8, 8});
  CHECK(plan_of({32, 32, 32}, GemmVariant::simt).warps == Extent{2, 4});
  CHECK(plan_of({32, 32, 32}, GemmVariant::simt).thread_tile == Extent{2, 2});
  CHECK(plan_of({32, 32, 32}, GemmVariant::tensor, {4, 4, 4}).warp_tile == Extent{16, 8});
}

TEST_CASE("larger tiles have larger warp tiles, then more warps; small ones fewer warps") {
  CHECK(plan_of({128, 256, 32}, GemmVariant::async).warp_tile == Extent{64, 64});
  CHECK(plan_of({256, 256, 32}, GemmVariant::async).compute_warps() == 16);
  CHECK(plan_of({128, 256, 8}, GemmVariant::simt).compute_warps() == 16);
  CHECK(plan_of({32, 32, 32}, GemmVariant::tensor, {16, 16, 4}).compute_warps() == 4);
  CHECK(plan_of({16, 8, 16}, GemmVariant::tensor).compute_warps() == 1);
}

TEST_CASE("copies cover their matrix exactly once, whatever its shape") {
  for (const int rows : {8, 32, 100, 128})
    for (const int columns : {8, 24, 32, 96, 128, 256})
      for (const int element : {2, 4})
        for (const int warps : {1, 2, 8, 16}) {
          const Extent matrix{rows, columns};
          CHECK(coverage(schedules::copy_access(matrix, element, warps), matrix, warps) == std::pair(1, 1));
        }
}

TEST_CASE("matrix fragments are covered exactly once") {
  for (const int rows : {4, 8, 16, 24, 48, 64})
    for (const int columns : {4, 8, 16, 48, 64})
      for (const int element : {2, 4}) {
        const Extent fragment{rows, columns};
        CHECK(coverage(schedules::matrix_access(fragment, element), fragment, 1) == std::pair(1, 1));
        CHECK(coverage(schedules::mma_store_access(fragment), fragment, 1) == std::pair(1, 1));
      }
}

TEST_CASE("lanes of simt share A along columns and B along rows, and own their elements of C") {
  const GemmPlan plan = plan_of({128, 128, 8}, GemmVariant::simt);
  CHECK(coverage(schedules::thread_rows_access(plan, true, 4), {64, 4}, 1) == std::pair(4, 4));
  CHECK(coverage(schedules::thread_columns_access(plan, false, 4), {4, 32}, 1) == std::pair(8, 8));
  CHECK(coverage(schedules::thread_tile_access(plan, 4), {64, 32}, 1) == std::pair(1, 1));
}

TEST_CASE("fragments are read from shared memory without bank conflicts") {
  for (const int depth : {16, 32, 64}) {
    const GemmPlan plan = plan_of({128, 128, depth}, GemmVariant::async);
    const Schedule schedule = schedules::gemm(plan.problem, plan.tiling);
    const Access a = schedules::matrix_access({64, depth}, 2);
    const Access b = schedules::matrix_access({depth, 32}, 2);
    for (std::int64_t repeat = 0; repeat < a.count; ++repeat)
      CHECK(testing::worst_bank(a, schedule.shared_tiles[0], repeat) == 32 * 16 / 128);
    for (std::int64_t repeat = 0; repeat < b.count; ++repeat)
      CHECK(testing::worst_bank(b, schedule.shared_tiles[1], repeat) == 32 * 16 / 128);
  }
  const GemmPlan plan = plan_of({128, 128, 8}, GemmVariant::simt);
  const Schedule schedule = schedules::gemm(plan.problem, plan.tiling);
  CHECK(testing::worst_bank(schedules::thread_rows_access(plan, true, 4), schedule.shared_tiles[0], 0) == 1);
  CHECK(testing::worst_bank(schedules::thread_columns_access(plan, false, 4), schedule.shared_tiles[1], 0) == 1);
}

TEST_CASE("only the loops of warps that compute step the tiles") {
  const Schedule schedule = schedules::gemm({.m = 64, .n = 64, .k = 64},
                                            {.tile = {64, 64, 32}, .variant = GemmVariant::tma, .specialize = true});
  for (const Role& role : schedule.roles) {
    std::int64_t steps = 0;
    for (const Statement& statement : role.program.body)
      if (const auto* loop = std::get_if<Loop>(&statement)) steps += loop->steps_tiles ? loop->trips : 0;
    CHECK(steps == (role.name == "consumer" ? 64 / 32 : 0));
  }
}

TEST_CASE("registers a thread: accumulators, the most of fragments and vectors on their way, 16 for addresses") {
  using schedules::estimate_registers;
  const schedules::GemmProblem fp32{.m = 1, .n = 1, .k = 1, .dtype = DType::fp32};
  const schedules::GemmProblem fp16{.m = 1, .n = 1, .k = 1};
  const int accumulators = 64 * 32 / 32;
  CHECK(estimate_registers(fp32, {.tile = {128, 128, 8}, .variant = GemmVariant::simt}) ==
        accumulators + (8 + 8) * 4 + 16);
  CHECK(estimate_registers(fp16, {.tile = {128, 128, 32}}) == accumulators + (64 + 32) * 32 / 32 / 2 + 16);
  CHECK(estimate_registers(fp16, {.tile = {128, 128, 32}, .fragment_k = 16}) ==
        accumulators + (64 + 32) * 16 / 32 / 2 + 16);
  // Fragments of 4 k are few; two vectors of A and two of B, 16 bytes each, are more.
  CHECK(estimate_registers(
            fp16,
            {.tile = {128, 128, 32}, .variant = GemmVariant::tensor, .fragment_k = 4, .instruction = {16, 16, 4}}) ==
        accumulators + (2 + 2) * 4 + 16);
}

TEST_CASE("registers are rounded up to eight") {
  CHECK(schedules::estimate_registers({.m = 1, .n = 1, .k = 1}, {.tile = {32, 32, 16}}) ==
        (16 * 8 / 32 + (16 + 8) * 16 / 32 / 2 + 16 + 7) / 8 * 8);
}

TEST_CASE("the choices are stated, resolved") {
  const Schedule schedule = schedules::gemm({.m = 5, .n = 6, .k = 7}, {.tile = {64, 64, 32}, .stages = 3});
  const auto choice = [&](const std::string& key) {
    for (const auto& [name, value] : schedule.choices)
      if (name == key) return value;
    return std::string("not stated");
  };
  CHECK(choice("tile") == "64x64x32");
  CHECK(choice("schedule") == "async");
  CHECK(choice("stages") == "3");
  CHECK(choice("fragment_k") == "32");
  CHECK(choice("registers") == std::to_string(schedule.registers_per_thread));
  CHECK(choice("instruction") == "16x8x16");
}

}  // namespace gpusim::gemm_structure_test
