// 2:4 sparse A on warp groups: what is multiplied, moved, counted and refused.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_sparse_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

GemmTiling sparse_groups(bool specialize, int consumers, int tile_k = 128) {
  GemmTiling tiling = wgmma(specialize, consumers);
  tiling.tile.k = tile_k;
  return tiling;
}

GemmProblem sparse_problem(GemmProblem problem) {
  problem.sparse = true;
  return problem;
}

}  // namespace

TEST_CASE("sparse wgmma multiplies what its metadata say, in any layout") {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt})
    for (const bool specialize : {false, true})
      check_product(sparse_problem({.m = 150, .n = 100, .k = 300, .dtype = DType::bf16, .layout = layout}),
                    sparse_groups(specialize, specialize ? 2 : 1));
  for (const int tile_k : {32, 64, 96, 256}) {
    GemmTiling tiling = sparse_groups(true, 2, tile_k);
    check_product(sparse_problem({.m = 200, .n = 64, .k = 400}), tiling);
  }
}

TEST_CASE("300 random draws of sparse wgmma: what is not refused is right") {
  std::mt19937 generator(7);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
  };
  int legal = 0;
  for (int i = 0; i < draws(300); ++i) {
    GemmProblem problem{.m = from(1, 400), .n = from(1, 200), .k = from(1, 500)};
    problem.sparse = true;
    problem.batch = from(1, 2);
    problem.beta = static_cast<double>(from(0, 1));
    problem.bias = from(0, 3) == 0;
    if (from(0, 1) == 0) problem.layout = GemmLayout::nt;
    if (from(0, 1) == 0) problem.result = DType::fp32;
    GemmTiling tiling = sparse_groups(from(0, 2) > 0, static_cast<int>(from(1, 2)), static_cast<int>(32 * from(1, 5)));
    tiling.stages = static_cast<int>(from(2, 3));
    tiling.tile.m = 64 * static_cast<int>(from(1, 4));
    tiling.epilogue = static_cast<Epilogue>(from(0, 2));
    tiling.promote = from(0, 3) == 0;
    if (from(0, 1) == 0) tiling.cluster = {static_cast<int>(from(1, 2)), static_cast<int>(from(1, 2))};
    if (from(0, 2) == 0) tiling.multicast = false;
    if (from(0, 1) == 0) tiling.ctas = from(1, 8);
    tiling.stream_k = tiling.ctas > 0 && from(0, 1) == 0;
    if (tiling.ctas == 0 && from(0, 2) == 0) tiling.split_k = 2;
    try {
      (void)gemm(problem, tiling);
    } catch (const ScheduleError&) {
      continue;
    }
    ++legal;
    check_product(problem, tiling);
  }
  CHECK(legal > draws(300) * 2 / 15);
}

TEST_CASE("a metadata word that is not there, or is read from elsewhere, shows") {
  const GemmProblem problem = sparse_problem({.m = 128, .n = 64, .k = 128});
  const Schedule sound = gemm(problem, sparse_groups(true, 2));
  const auto wrong_with = [&](const std::function<void(LoadShared&)>& change) {
    Schedule schedule = sound;
    for (Statement& statement : schedule.roles.at(0).program.body)
      if (auto* loop = std::get_if<Loop>(&statement))
        for (Statement& inner : loop->body)
          if (auto* load = std::get_if<LoadShared>(&std::get<Operation>(inner).action)) change(*load);
    return functional::check_gemm({schedule}, problem).wrong > 0;
  };
  CHECK_FALSE(wrong_with([](LoadShared&) {}));
  CHECK(wrong_with([](LoadShared& load) { load.from.lanes = Bound{along(Coordinate::lane), 15}; }));
  CHECK(wrong_with([](LoadShared& load) { load.from.vector = 2; }));
}

TEST_CASE("a sparse kernel's instructions, copies and shared memory are those counted by hand") {
  // 128x256x128 in bf16, two consumer groups: 8 k tiles of 4 wgmma of k 32.
  GemmTiling tiling{
      .tile = {128, 256, 128}, .variant = GemmVariant::wgmma, .stages = 2, .specialize = true, .consumers = 2};
  const GemmProblem problem =
      sparse_problem({.m = 256, .n = 512, .k = 1024, .dtype = DType::bf16, .layout = GemmLayout::nt});
  const Schedule schedule = gemm(problem, tiling);
  const Program& consumer = schedule.roles.at(0).program;
  const Program& producer = schedule.roles.at(1).program;
  CHECK(count_of(consumer.body, "WGMMA.SP") == 8 * 4);
  CHECK(count_of(consumer.body, "WGMMA") == 0);
  CHECK(count_of(consumer.body, "LDS") == 8);  // 64 rows of 128 k: 16 lanes of each warp, 16 bytes each
  // A: 128 rows of 128 bytes; B: 256 rows, twice 128 bytes; metadata: 128 rows of four words, 256 words a box
  CHECK(count_of(producer.body, "UTMALDG") == 8 * (1 + 2 + 2));
  const std::int64_t stage = std::int64_t{128} * 64 * 2 + 256 * 128 * 2 + 128 * 128 / 8;
  CHECK(shared_bytes(schedule) >= Bytes(2 * stage));
  CHECK(shared_bytes(schedule) < Bytes(2 * stage + 1024));

  GemmProblem dense = problem;
  dense.sparse = false;
  CHECK(schedule.registers_per_thread - gemm(dense, tiling).registers_per_thread == 0 + 8);  // four words, in eights

  const Result result = Gpu(load_profile("h100-sxm")).run(schedule);
  const std::int64_t ctas = 2 * 2;
  CHECK(result.kernels.at(0).traffic.global_load_bytes == ctas * 8 * stage);
}

TEST_CASE("sparse wgmma takes no longer than a dense one of half the depth, unless B's rows do") {
  // A from shared memory: m64n128k32 reads 2 KB of A and 8 KB of B, 80 cycles, and multiplies for 64; dense m64n128k16
  // 2 + 4 KB, 48 cycles.
  const Gpu gpu(load_profile("h100-sxm"));
  const auto cycles = [&](bool sparse, std::int64_t k) {
    GemmProblem problem{.m = 64, .n = 128, .k = k, .dtype = DType::bf16, .layout = GemmLayout::nt};
    problem.sparse = sparse;
    GemmTiling tiling{.tile = {64, 128, 128}, .variant = GemmVariant::wgmma, .stages = 3, .specialize = true};
    RunOptions options;
    options.exact = true;
    options.l2 = L2State::warm;
    return gpu.run(gemm(problem, tiling), options).kernels.at(0).cycles.count();
  };
  const std::int64_t more = cycles(true, 128 * 64) - cycles(true, 128 * 32);
  const std::int64_t least = std::int64_t{32} * 4 * 80;
  CHECK(more >= least);
  CHECK(cycles(true, 128 * 64) < cycles(false, 128 * 64));
}

TEST_CASE("sparse wgmma changes the digest; what it cannot do is refused with what would do") {
  const GemmProblem dense{.m = 256, .n = 256, .k = 256};
  const GemmProblem sparse = sparse_problem(dense);
  CHECK(digest(gemm(sparse, sparse_groups(true, 2))) != digest(gemm(dense, sparse_groups(true, 2))));
  CHECK(refusal(sparse, sparse_groups(true, 2, 48)) == "tile.k: 48 is not a multiple of sparse wgmma's 32; 32 is");
  for (const DType dtype : {DType::fp8, DType::tf32}) {
    GemmProblem other = sparse;
    other.dtype = dtype;
    other.layout = GemmLayout::nt;
    CHECK(refusal(other, sparse_groups(true, 2)) ==
          "sparse: wgmma multiplies sparse matrices of fp16 and bf16 here, not of " + std::string(name(dtype)) +
              "; tensor, async and tma do");
  }
  GemmTiling buffered = sparse_groups(true, 1);
  buffered.double_buffer = true;
  CHECK(refusal(sparse, buffered).starts_with("double_buffer: a sparse A's metadata"));
  GemmTiling shaped = sparse_groups(true, 2);
  shaped.instruction = {64, 64, 16};
  CHECK(refusal(sparse, shaped) == "instruction: sparse wgmma of fp16 has m 64 and k 32, not m 64 and k 16");

  Profile without = load_profile("h100-sxm");
  std::erase_if(without.tensor.modes, [](const TensorModeSpec& mode) { return mode.sparse; });
  const std::vector<Problem> problems = check(gemm(sparse, sparse_groups(true, 2)), without);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].what == "the GPU multiplies no 2:4 sparse matrices of fp16 with fp32 accumulation");
}

TEST_CASE("what is chosen for a sparse A on warp groups leaves its metadata time") {
  GemmRequest request;
  request.variant = GemmVariant::wgmma;
  request.tile = {64, 128, 128};
  const GemmTiling tiling = choose(load_profile("h100-sxm"), sparse_problem({.m = 512, .n = 512, .k = 512}), request);
  CHECK(tiling.consumers == 1);
  CHECK_FALSE(tiling.double_buffer);
}

}  // namespace gpusim::gemm_sparse_test
