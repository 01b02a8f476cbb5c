// Warp instructions of naive, coalesced and simt kernels, counted by hand, and what the register file gives them.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/gemm_facts.h"

namespace gpusim::gemm_simt_count_test {

using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

const GemmProblem cube{.m = 512, .n = 512, .k = 512, .dtype = DType::fp32};

/// Loads, stores, barriers and runs of FFMAs of the loop over k, in order.
std::string order_of(const Schedule& schedule) {
  std::string order;
  for (const Statement& statement : testing::tile_loop(schedule.roles.front()).body) {
    const auto& operation = std::get<Operation>(statement);
    const std::string_view is = name(operation.action);
    const auto count = static_cast<std::size_t>(operation.count);
    if (is == "FFMA") order += std::to_string(operation.count) + " ";
    if (is == "LDG") order += std::string(count, 'L');
    if (is == "STS") order += std::string(count, 'S');
    if (is == "BAR") order += '|';
  }
  return order;
}

/// The first Multiply of a loop over k, directly in it or in a loop over fragments.
const Multiply& first_multiply(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (const auto* operation = std::get_if<Operation>(&statement)) {
      if (const auto* multiply = std::get_if<Multiply>(&operation->action)) return *multiply;
    } else if (const auto& loop = std::get<Loop>(statement); !loop.body.empty()) {
      return first_multiply(loop.body);
    }
  }
  throw std::logic_error("nothing multiplies");
}

}  // namespace

TEST_CASE("naive and coalesced: the warp instructions of a CTA are those counted by hand") {
  // 32x32 threads of one element, the loop over k unrolled four times.
  for (const auto variant : {GemmVariant::naive, GemmVariant::coalesced}) {
    const std::int64_t prologue = 24 + 2      // index arithmetic, a pointer into A and one into B
                                  + 1;        // the accumulator's zero
    const std::int64_t round = 4 + 4          // LDG of A and B
                               + 4            // FFMA
                               + 1 + 4        // pointers: A's row goes on, each k is another row of B
                               + 3;           // counter, comparison, branch
    const std::int64_t epilogue = 8 + 1 + 1;  // index arithmetic, an address, STG
    const Schedule schedule = schedules::gemm(cube, {.tile = {32, 32, 4}, .variant = variant});
    CHECK(warp_instructions(schedule) == 32 * (prologue + 512 / 4 * round + epilogue));
  }
}

TEST_CASE("simt with A transposed, prefetch and two stages: the warp instructions are those counted by hand") {
  // 128x128x8, threads of 8x8 contiguous elements, fragments of one k.
  GemmTiling tiling{.tile = {128, 128, 8}, .variant = GemmVariant::simt, .stages = 2, .fragment_k = 1};
  tiling.warp_tile = {16, 128};
  tiling.thread_tile = {8, 8};
  tiling.order_m = tiling.order_n = schedules::ElementOrder::contiguous;
  tiling.transpose_a = true;
  tiling.prefetch = true;
  const std::int64_t load = 2;                   // LDG.128 of A and of B
  const std::int64_t store = 4 + 1;              // STS of A, an element at a time, and of B
  const std::int64_t prologue = 24 + load + 32   // index arithmetic, addresses, zeros
                                + load + store   // the first tile
                                + 1;             // barrier
  const std::int64_t fragment = 2 + 2 + 64;      // LDS.128 of eight elements each, FFMA
  const std::int64_t tile = load + 3 + 2         // pointers, loop, stage
                            + 8 * fragment + 1;  // barrier
  const std::int64_t ahead = load + store;       // of every tile but the last
  const std::int64_t epilogue = 8 + 16 + 16;     // index arithmetic, addresses, STG.128
  CHECK(warp_instructions(schedules::gemm(cube, tiling)) == 8 * (prologue + 64 * tile + 63 * ahead + epilogue));

  // B that lies along k goes the way of A: three more STS of each tile.
  GemmProblem along_k = cube;
  along_k.layout = schedules::GemmLayout::nt;
  tiling.transpose_b = true;
  CHECK(warp_instructions(schedules::gemm(along_k, tiling)) ==
        8 * (prologue + 3 + 64 * tile + 63 * (ahead + 3) + epilogue));
}

TEST_CASE("simt: an iteration of unrolled steps issues what they issued, and waits for its first fragments") {
  GemmTiling tiling{
      .tile = {64, 64, 16}, .variant = GemmVariant::simt, .stages = 1, .fragment_k = 1, .thread_tile = {8, 8}};
  tiling.double_buffer = true;
  const GemmProblem cta{.m = 64, .n = 64, .k = 512, .dtype = DType::fp32};  // no other warps fill the waits
  const Gpu gpu(load_profile("rtx2080ti"));
  const auto cycles = [&] { return gpu.run(schedules::gemm(cta, tiling), {.exact = true}).kernels.front().cycles; };
  const std::int64_t instructions = warp_instructions(schedules::gemm(cta, tiling));
  const Cycles whole_tile = cycles();
  tiling.unroll = 2;
  CHECK(warp_instructions(schedules::gemm(cta, tiling)) == instructions);
  const Cycles two_steps = cycles();
  tiling.unroll = 0;
  tiling.double_buffer = false;
  CHECK(warp_instructions(schedules::gemm(cta, tiling)) == instructions);
  CHECK(whole_tile < two_steps);
  CHECK(two_steps < cycles());
}

TEST_CASE("simt: what is turned is padded, and storing it meets fewer conflicts than in plain rows") {
  const GemmProblem cta{.m = 64, .n = 64, .k = 64, .dtype = DType::fp32, .layout = schedules::GemmLayout::nt};
  const Gpu gpu(load_profile("ampere"));
  for (const auto order : {schedules::ElementOrder::vectors, schedules::ElementOrder::strided}) {
    GemmTiling tiling{.tile = {64, 64, 8}, .variant = GemmVariant::simt, .stages = 1, .fragment_k = 1};
    tiling.thread_tile = {8, 8};
    tiling.order_m = tiling.order_n = order;  // reads of 16 bytes, and of 4
    tiling.transpose_a = tiling.transpose_b = true;
    const auto wavefronts = [&] {
      return gpu.run(schedules::gemm(cta, tiling)).kernels.front().traffic.shared_wavefronts;
    };
    const std::int64_t padded = wavefronts();
    tiling.shared_a = tiling.shared_b = schedules::SharedLayout::plain;
    CHECK(padded < wavefronts());
  }
}

TEST_CASE("what is turned is stored without bank conflicts where a slice steps through eight k") {
  const Gpu gpu(load_profile("ampere"));
  const auto conflicts_a_tile = [&](GemmTiling tiling, int vector) {
    tiling.vector_a = tiling.vector_b = vector;
    tiling.transpose_b = true;
    const auto beyond_ideal = [&](std::int64_t k) {
      const GemmProblem cta{.m = 128, .n = 32, .k = k, .dtype = DType::fp32, .layout = schedules::GemmLayout::nt};
      const auto traffic = gpu.run(schedules::gemm(cta, tiling), {.exact = true}).kernels.front().traffic;
      return traffic.shared_wavefronts - traffic.shared_ideal_wavefronts;
    };
    return (beyond_ideal(1024) - beyond_ideal(512)) / 16;
  };
  GemmTiling sliced{.tile = {128, 32, 32}, .variant = GemmVariant::simt, .stages = 2, .fragment_k = 1};
  sliced.thread_tile = {8, 8};
  sliced.cta_slices = 4;
  sliced.transpose_a = sliced.prefetch = true;
  for (const int vector : {1, 2, 4}) {
    CAPTURE(vector);
    CHECK(conflicts_a_tile(sliced, vector) == 0);
    GemmTiling whole = sliced;
    whole.cta_slices = 1;  // lanes go along all 32 k of a row
    CHECK(conflicts_a_tile(whole, vector) > 0);
  }
}

TEST_CASE("simt, interleaved: the same instructions, copies in all steps of a tile") {
  GemmTiling tiling{.tile = {64, 64, 4}, .variant = GemmVariant::simt, .stages = 3, .fragment_k = 1};
  tiling.thread_tile = {8, 8};
  tiling.double_buffer = true;
  const std::int64_t instructions = warp_instructions(schedules::gemm(cube, tiling));
  tiling.interleave = true;
  const Schedule among = schedules::gemm(cube, tiling);
  CHECK(warp_instructions(among) == instructions);

  std::string order;
  for (const Statement& statement : testing::tile_loop(among.roles.front()).body) {
    const auto& operation = std::get<Operation>(statement);
    const std::string_view is = name(operation.action);
    if (is == "FFMA") order += std::to_string(operation.count) + " ";
    if (is == "LDS") order += 'r';
    if (is.starts_with("LDGSTS")) order += std::string(static_cast<std::size_t>(operation.count), 'c');
    if (is == "BAR") order += '|';
  }
  // Four of A, an element at a time, whose rows in shared memory are padded; one of B.
  CHECK(order == "|rrrrcc64 rrc64 rrc64 c64 ");
}

TEST_CASE("simt, interleaved: loads in the first half of a tile's steps, stores in the others but the last") {
  GemmTiling tiling{.tile = {64, 64, 8}, .variant = GemmVariant::simt, .stages = 2, .fragment_k = 1};
  tiling.thread_tile = {8, 8};
  tiling.double_buffer = tiling.prefetch = true;
  tiling.vector_a = tiling.vector_b = 1;
  const std::int64_t instructions = warp_instructions(schedules::gemm(cube, tiling));
  tiling.interleave = true;
  const Schedule among = schedules::gemm(cube, tiling);
  CHECK(warp_instructions(among) == instructions);
  // Two warps: eight loads of A and eight of B each, an element a lane at a time, and as many stores.
  CHECK(order_of(among) == "LLLL64 LLLL64 LLLL64 LLLL64 SSSSSS64 SSSSS64 SSSSS64 |64 ");
}

TEST_CASE("simt: the first fragments of a tile cross the barrier, and wait no longer") {
  GemmTiling tiling{.tile = {64, 64, 16},
                    .variant = GemmVariant::simt,
                    .stages = 2,
                    .fragment_k = 1,
                    .thread_tile = {8, 8},
                    .prefetch = true,
                    .double_buffer = true};
  const GemmProblem cta{.m = 64, .n = 64, .k = 512, .dtype = DType::fp32};
  const Gpu gpu(load_profile("rtx2080ti"));
  const auto cycles = [&] { return gpu.run(schedules::gemm(cta, tiling), {.exact = true}).kernels.front().cycles; };
  const Cycles across = cycles();
  tiling.carry_over = false;
  CHECK(across < cycles());
}

TEST_CASE("simt: paired lanes read 16 bytes of both operands in half the wavefronts") {
  GemmTiling tiling{.tile = {128, 128, 8}, .variant = GemmVariant::simt, .stages = 1, .thread_tile = {8, 8}};
  tiling.warp_tile = {32, 64};
  const GemmProblem cta{.m = 128, .n = 128, .k = 8, .dtype = DType::fp32, .layout = schedules::GemmLayout::tn};
  const Gpu gpu(load_profile("t4"));
  const auto wavefronts = [&] {
    return gpu.run(schedules::gemm(cta, tiling), {.exact = true}).kernels.front().traffic.shared_wavefronts;
  };
  const std::int64_t along_rows = wavefronts();
  tiling.pair_lanes = true;
  // 8 warps, 8 steps, two LDS.128 of A and two of B. Along the row A's quarters merge already, 2 wavefronts each; B's
  // take 4, and 2 with pairs.
  CHECK(along_rows - wavefronts() == 8 * 8 * 2 * (4 - 2));
}

TEST_CASE("what a compiler adds to a k tile's indices is issued by every warp for every tile, whatever brings it") {
  const auto added = [](GemmTiling tiling) {
    const std::int64_t without = warp_instructions(schedules::gemm(cube, tiling));
    tiling.index_overhead = 12;
    return warp_instructions(schedules::gemm(cube, tiling)) - without;
  };
  GemmTiling tiling{.tile = {128, 128, 8}, .variant = GemmVariant::simt, .stages = 1, .fragment_k = 1};
  const std::int64_t warps = 8;
  const std::int64_t tiles = 512 / 8;
  CHECK(added(tiling) == warps * tiles * 12);
  tiling.prefetch = true;
  CHECK(added(tiling) == warps * tiles * 12);
  tiling.prefetch = false;
  tiling.stages = 3;
  CHECK(added(tiling) == warps * tiles * 12);
  CHECK(added({.tile = {32, 32, 8}, .variant = GemmVariant::coalesced}) == 32 * tiles * 12);
}

TEST_CASE("simt: an operand that is not staged costs loads in the loop and no stores") {
  GemmTiling tiling{.tile = {128, 128, 8}, .variant = GemmVariant::simt, .fragment_k = 2};
  tiling.thread_tile = {8, 8};
  const std::int64_t staged = warp_instructions(schedules::gemm(cube, tiling));
  tiling.stage_a = false;
  const std::int64_t direct = warp_instructions(schedules::gemm(cube, tiling));
  const std::int64_t per_tile = -1 - 1    // LDG and STS of A's tile
                                - 1 + 8;  // its pointer; one for each of the thread's rows
  const std::int64_t prologue = -1 + 8;   // their first addresses; fragments take as many loads as they took LDS
  CHECK(direct - staged == 8 * (prologue + 64 * per_tile));
}

TEST_CASE("FFMAs read c and one operand each, the longer side's once a run and after every 64th, 51 % from one bank") {
  const auto reads = [](int m, int n) {
    GemmTiling tiling{.tile = {32 * m, 32 * n, 8}, .variant = GemmVariant::simt};
    tiling.thread_tile = {m, n};
    return first_multiply(schedules::gemm(cube, tiling).roles[0].program.body).reads.value();
  };
  const auto busier = [](std::int64_t operands) { return (51 * operands + 99) / 100; };
  CHECK(reads(8, 8) == RegisterReads{busier(64 + 64 + 8), 64});
  CHECK(reads(4, 8) == RegisterReads{busier(32 + 32 + 8), 32});
  CHECK(reads(8, 4) == RegisterReads{busier(32 + 32 + 8), 32});
  CHECK(reads(8, 16) == RegisterReads{busier(128 + 128 + 16 + 1), 128});
  CHECK(reads(1, 1) == RegisterReads{busier(1 + 1 + 1), 1});
}

TEST_CASE("FFMAs that reuse nothing read three operands each, half of them from either bank") {
  GemmTiling tiling{.tile = {256, 256, 8}, .variant = GemmVariant::simt, .thread_tile = {8, 8}};
  tiling.reuse_operands = false;
  CHECK(first_multiply(schedules::gemm(cube, tiling).roles[0].program.body).reads.value() ==
        RegisterReads{3 * 64, 2 * 64});
  // Where an FFMA takes its lanes two cycles the banks keep up; where one a cycle could be issued they do not.
  const auto slower = [&](const char* gpu) {
    GemmTiling with = tiling;
    with.tile = {128, 128, 8};
    GemmTiling without = with;
    with.reuse_operands = true;
    const Gpu on(load_profile(gpu));
    const auto cycles = [&](const GemmTiling& each) {
      return static_cast<double>(on.run(schedules::gemm(cube, each), {.exact = true}).kernels.front().cycles.count());
    };
    return cycles(without) / cycles(with);
  };
  CHECK(slower("t4") == doctest::Approx(1).epsilon(0.01));
  CHECK(slower("rtx3060") > 1.05);  // of 1.35 for FFMAs alone: one CTA waits for much else
}

}  // namespace gpusim::gemm_simt_count_test
