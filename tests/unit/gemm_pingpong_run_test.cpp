// Kernels whose groups take tiles in turns, in time: whatever else they do, they end, store all of C and keep to the
// tensor cores' rate.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::gemm_pingpong_run_test {

using namespace gpusim::schedules;

namespace {

constexpr GemmProblem square{.m = 1024, .n = 1024, .k = 512, .dtype = DType::bf16, .layout = GemmLayout::nt};

GemmTiling in_turns() {
  GemmTiling tiling{.tile = {128, 128, 64}, .variant = GemmVariant::wgmma, .stages = 4, .specialize = true};
  tiling.double_buffer = true;
  tiling.pingpong = true;
  tiling.ctas = 8;  // of 8 tiles each; L2 has time for them
  return tiling;
}

struct Variant {
  std::string name;
  GemmTiling tiling = in_turns();
};

/// With one change each.
std::vector<Variant> variants() {
  std::vector<Variant> all{{"direct"}};
  const auto add = [&](const char* name, auto change) {
    all.push_back({name});
    change(all.back().tiling);
  };
  add("single buffer", [](GemmTiling& t) { t.double_buffer = false; });
  add("bulk stores", [](GemmTiling& t) { t.epilogue = Epilogue::tma; });
  add("bulk stores in pieces", [](GemmTiling& t) { t.epilogue = Epilogue::tma, t.epilogue_columns = 32; });
  add("clusters", [](GemmTiling& t) { t.cluster = {2, 1}; });
  add("the first of a cluster copies", [](GemmTiling& t) {
    t.cluster = {1, 2};
    t.multicast_by = MulticastBy::first;
  });
  add("setmaxnreg", [](GemmTiling& t) { t.registers = 168, t.producer_registers = 40, t.consumer_registers = 232; });
  add("A and B swapped", [](GemmTiling& t) { t.swap_ab = true; });
  add("C turned on its way", [](GemmTiling& t) { t.swap_ab = true, t.epilogue = Epilogue::tma, t.stmatrix = true; });
  add("an odd number of tiles", [](GemmTiling& t) { t.ctas = 3; });
  return all;
}

}  // namespace

TEST_CASE("kernels whose groups take tiles in turns end, whatever else they do") {
  const Gpu gpu(load_profile("h100-sxm"));
  constexpr std::int64_t cycles_a_tile = 8 * 512;  // of the tensor cores: 8 k tiles
  constexpr std::int64_t tiles = 64;
  for (const Variant& each : variants()) {
    CAPTURE(each.name);
    const std::int64_t ctas = each.tiling.ctas;
    const Result result = gpu.run(gemm(square, each.tiling), {.l2 = L2State::warm});
    const KernelResult& kernel = result.kernels.front();
    CHECK(result.termination == Termination::completed);
    CHECK(kernel.traffic.global_store_bytes == square.m * square.n * 2);
    CHECK(kernel.cycles.count() > tiles / ctas * cycles_a_tile);
    CHECK(kernel.cycles.count() * 4 < (tiles / ctas + 1) * cycles_a_tile * 5);  // a quarter more than its tiles and one
  }
}

TEST_CASE("of a sparse A they end, too") {
  GemmProblem problem = square;
  problem.sparse = true;
  GemmTiling tiling = in_turns();
  tiling.double_buffer = false;
  const Result result = Gpu(load_profile("h100-sxm")).run(gemm(problem, tiling), {.l2 = L2State::warm});
  CHECK(result.termination == Termination::completed);
  CHECK(result.kernels.front().traffic.global_store_bytes == problem.m * problem.n * 2);
}

}  // namespace gpusim::gemm_pingpong_run_test
