// Warp instructions of tensor-core schedules, counted by hand.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "gpusim/schedules/gemm.h"
#include "support/gemm_facts.h"

namespace gpusim::gemm_mma_count_test {

using schedules::GemmLayout;
using schedules::GemmVariant;

namespace {

/// Instructions of one warp by name, where every guard of `at` holds.
void count(const std::vector<Statement>& body, std::int64_t times, std::map<std::string, std::int64_t>& counts) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      count(loop->body, times * loop->trips, counts);
    } else {
      const auto& operation = std::get<Operation>(statement);
      counts[std::string(name(operation.action))] += times * operation.count;
    }
  }
}

std::map<std::string, std::int64_t> counts_of(const Schedule& schedule, const std::string& role) {
  std::map<std::string, std::int64_t> counts;
  for (const Role& each : schedule.roles)
    if (each.name == role) count(each.program.body, 1, counts);
  return counts;
}

/// Multiplications, matrix reads (r), copies (c), loads (l), stores (s) and barriers of an iteration over k, in order.
std::string order_of_a_tile(const Schedule& schedule) {
  std::string order;
  for (const Statement& statement : testing::tile_loop(schedule.roles.front()).body) {
    const auto& operation = std::get<Operation>(statement);
    const std::string_view is = name(operation.action);
    const auto append = [&](char letter) { order += std::string(static_cast<std::size_t>(operation.count), letter); };
    if (is == "HMMA") order += std::to_string(operation.count);
    if (is == "LDSM") append('r');
    if (is == "LDGSTS") append('c');
    if (is == "LDG") append('l');
    if (is == "STS") append('s');
    if (is == "BAR") order += '|';
  }
  return order;
}

/// A product, interleaved, which has the same instructions as without.
Schedule interleaved(schedules::GemmTiling tiling) {
  const schedules::GemmProblem problem{.m = 512, .n = 512, .k = 512, .layout = GemmLayout::nt};
  const Schedule blocks = schedules::gemm(problem, tiling);
  tiling.interleave = true;
  Schedule among = schedules::gemm(problem, tiling);
  CHECK(counts_of(among, "worker") == counts_of(blocks, "worker"));
  CHECK(warp_instructions(among) == warp_instructions(blocks));
  return among;
}

}  // namespace

TEST_CASE("async with double buffering: a warp's instructions by kind are those counted by hand") {
  // 128x128x32 in fp16, n x k in memory: 8 warps of 64x32, m16n8k16, 4 stages, 16 tiles, two steps of 16 a tile.
  const Schedule schedule = schedules::gemm({.m = 512, .n = 512, .k = 512, .layout = GemmLayout::nt},
                                            {.tile = {128, 128, 32}, .fragment_k = 16, .double_buffer = true});
  auto counts = counts_of(schedule, "worker");
  const std::int64_t copy = 2 * (128 * 32 / (8 * 32 * 8));      // 16 bytes a lane, A and B
  const std::int64_t fragment = 64 * 16 / 256 + 32 * 16 / 256;  // four 8x8 matrices of a 16-bit type an instruction
  CHECK(counts["LDGSTS"] == (3 + 16) * copy);                   // guarded off: the last three tiles' copies ahead
  CHECK(counts["LDGDEPBAR"] == 3 + 16);                         // commits
  CHECK(counts["DEPBAR"] == 1 + 16);                            // one before the loop
  CHECK(counts["BAR"] == 1 + 16);
  CHECK(counts["LDSM"] == (1 + 16 * 2) * fragment);  // the first fragments before the loop
  CHECK(counts["HMMA"] == 16 * 2 * (64 / 16) * (32 / 8));
  CHECK(counts["STG"] == 64 * 32 / (32 * 2));
  CHECK(warp_instructions(schedule) ==
        8 * (24 + copy + 64 / 2                                     // index arithmetic, zeros
             + 3 * (copy + 1)                                       // tiles ahead
             + 2 + fragment                                         // the first tile's first fragments
             + 16 * (1 + copy + 3 + 2 + 2 + 2 * fragment + 2 * 16)  // commit, pointers and loop, wait, barrier
             + 13 * copy - fragment                                 // the last tile has no next
             + 8 + 32 + 64 / 2 + 32));                              // index arithmetic, conversion, STG
}

TEST_CASE("fragments from global memory: loads of a register, and matrices turned, counted by hand") {
  // One warp of 16x16, as WMMA's tile: each step of 16 loads four registers of A and of B, and turns B's.
  const Schedule schedule = schedules::gemm({.m = 64, .n = 64, .k = 128}, {.tile = {16, 16, 64},
                                                                           .variant = GemmVariant::tensor,
                                                                           .stages = 1,
                                                                           .fragment_k = 16,
                                                                           .warp_tile = {16, 16},
                                                                           .stage_a = false,
                                                                           .stage_b = false});
  auto counts = counts_of(schedule, "worker");
  const std::int64_t steps = 128 / 16;
  CHECK(schedule.shared_tiles.empty());
  CHECK(counts["BAR"] == 0);
  CHECK(counts["STS"] == 0);
  CHECK(counts["LDG"] == steps * (4 + 4));
  CHECK(counts["HMMA"] == steps * 2);
  const std::int64_t begin = 24 + 2 + 1 + 8 / 2;  // index arithmetic, pointers of A's rows and of B, zeros
  const std::int64_t tile = 2 + 4 * 2 + 3;        // pointers of A's rows, of B's in each step; the loop
  const std::int64_t step = 4 + 4 + 4 + 2;        // loads, MOVM, HMMA
  const std::int64_t end = 8 + 4 + 8 / 2 + 4;     // index arithmetic, conversion, STG
  CHECK(warp_instructions(schedule) == begin + 2 * tile + steps * step + end);
}

TEST_CASE("interleaved, copies come in all steps of a tile but the last") {
  schedules::GemmTiling tiling{.tile = {128, 128, 64}, .stages = 3, .fragment_k = 16, .double_buffer = true};
  const Schedule among = interleaved(tiling);

  // Warps of 64x32: four strips of 16x32, of four multiplications each. Eight copies over three steps, or 12 strips;
  // each step but the last reads B's two, then A's four.
  CHECK(order_of_a_tile(among) ==
        "rrr4rr4rc4cc4"
        "rrr4rr4rc4cc4"
        "rr4rr4rr4cc4"
        "|rr4r4rr4r4");
}

TEST_CASE("interleaved, loads into registers come in the first half of a tile's steps, each waited for alone") {
  schedules::GemmTiling tiling{.tile = {128, 128, 64}, .variant = GemmVariant::tensor, .stages = 1, .fragment_k = 16};
  tiling.warp_tile = {64, 32};
  tiling.prefetch = tiling.double_buffer = true;
  tiling.carry_over = false;
  const Schedule among = interleaved(tiling);

  // Eight loads over the first two of four steps, after the reads of the steps that follow; the tile's first reads come
  // before all. What was loaded goes to the one buffer between two barriers.
  CHECK(order_of_a_tile(among) ==
        "rrrrrr"
        "rrr4rr4rll4ll4"
        "rrr4rr4rll4ll4"
        "rr4r4rr4r4"
        "4444"
        "|ssssssss|");
  std::set<Token> loaded;
  for (const Statement& statement : testing::tile_loop(among.roles.front()).body)
    if (const auto* const load = std::get_if<LoadGlobal>(&std::get<Operation>(statement).action))
      loaded.insert(load->into);
  CHECK(loaded.size() == 8);

  // What goes through local memory is waited for on the way: all of an operand, before any product.
  tiling.through_local = true;
  CHECK(order_of_a_tile(interleaved(tiling)).starts_with("llll"));
}

TEST_CASE("index arithmetic is shared out over a tile's steps, what is left over coming first") {
  const schedules::GemmProblem problem{.m = 256, .n = 256, .k = 512};
  for (const auto variant : {schedules::GemmVariant::tensor, schedules::GemmVariant::async})
    for (const bool ahead : {false, true}) {
      schedules::GemmTiling tiling{.tile = {128, 128, 32}, .variant = variant, .fragment_k = 16};
      tiling.stages = variant == schedules::GemmVariant::tensor ? 2 : 3;
      tiling.prefetch = variant == schedules::GemmVariant::tensor;
      tiling.double_buffer = ahead;
      const std::int64_t without = warp_instructions(schedules::gemm(problem, tiling));
      tiling.index_overhead = 9;  // two steps of four, and one
      const std::int64_t with = warp_instructions(schedules::gemm(problem, tiling));
      const std::int64_t before_the_loop = ahead ? 9 / 2 : 0;  // the first tile's first fragments
      CHECK(with - without == 8 * (512 / 32 * 9 + before_the_loop));
    }
}

TEST_CASE("tensor with prefetch on m16n8k8: a warp's instructions by kind are those counted by hand") {
  // 128x128x32 in fp16: 8 warps of 64x32, two buffers, 8 tiles.
  const Schedule schedule = schedules::gemm({.m = 256, .n = 256, .k = 256}, {.tile = {128, 128, 32},
                                                                             .variant = GemmVariant::tensor,
                                                                             .stages = 2,
                                                                             .instruction = {16, 8, 8},
                                                                             .prefetch = true});
  auto counts = counts_of(schedule, "worker");
  const std::int64_t copy = 128 * 32 / (8 * 32 * 8) + 32 * 128 / (8 * 32 * 8);
  CHECK(counts["LDG"] == (1 + 8) * copy);
  CHECK(counts["STS"] == (1 + 8) * copy);
  CHECK(counts["BAR"] == 1 + 8);                   // one a tile, with two buffers
  CHECK(counts["LDSM"] == 8 * (64 * 32 / 256));    // A, k along its rows
  CHECK(counts["LDSM.T"] == 8 * (32 * 32 / 256));  // B, n along its rows
  CHECK(counts["HMMA"] == 8 * (64 / 16) * (32 / 8) * (32 / 8));
}

TEST_CASE("wgmma, persistent, in clusters of two: the warp instructions of a CTA are those counted by hand") {
  // 128x256x64 in bf16: two consumer groups and a producer group; 4 x 2 tiles on one cluster; 8 k tiles.
  const Schedule schedule =
      schedules::gemm({.m = 512, .n = 512, .k = 512, .dtype = DType::bf16}, {.tile = {128, 256, 64},
                                                                             .variant = GemmVariant::wgmma,
                                                                             .stages = 4,
                                                                             .specialize = true,
                                                                             .double_buffer = true,
                                                                             .consumers = 2,
                                                                             .producer_registers = 24,
                                                                             .consumer_registers = 240,
                                                                             .cluster = {2, 1},
                                                                             .ctas = 2});
  const std::int64_t items = 4 * 2 / 2;
  const std::int64_t k_tile = 1 + 3 + 2  // full, loop, stage
                              + 64 / 16  // wgmma
                              + 1 + 1    // commit, wait
                              + 2;       // empty, here and in the other CTA
  const std::int64_t stores = 16 * 256 / (32 * 2);
  const std::int64_t consumer = 24 + 1 + 1                         // index arithmetic, registers, cluster barrier
                                + items * (1 + 8 * k_tile + 1      // no zeros but a predicate; the last tile's wait
                                           + 8 + stores + 128 / 2  // index arithmetic, conversion
                                           + stores + 4)           // STG; the next item
                                - 2                                // the first k tile has none before it to release
                                + 1;                               // cluster barrier
  const std::int64_t producer = 16 + 1 + 1                         //
                                + items * (8 * (1                  // empty
                                                + 1                // expected bytes
                                                + 1                // A: 128 rows of 128 bytes
                                                + 4                // half of B: 32 rows, four times 128 bytes
                                                + 3 + 2 + 2)       // loop, stage, coordinates
                                           + 4)                    //
                                + 1;
  const std::int64_t idle = 1 + 1 + 1;
  CHECK(warp_instructions(schedule) == 8 * consumer + producer + 3 * idle);
}

TEST_CASE("tf32 with n along the rows of B takes a 32-bit load for each element a lane multiplies") {
  const auto loads = [](GemmLayout layout) {
    const Schedule schedule = schedules::gemm({.m = 128, .n = 128, .k = 32, .dtype = DType::tf32, .layout = layout},
                                              {.tile = {128, 128, 32}, .stages = 2, .instruction = {16, 8, 8}});
    return counts_of(schedule, "worker");
  };
  CHECK(loads(GemmLayout::nt)["LDSM"] == (64 + 32) * 32 * 4 / 512);
  CHECK(loads(GemmLayout::nn)["LDSM"] == 64 * 32 * 4 / 512);
  CHECK(loads(GemmLayout::nn)["LDS"] == 32 * 32 / 32);
}

}  // namespace gpusim::gemm_mma_count_test
