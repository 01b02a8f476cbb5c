// What tensor-core kernels ask of shared memory: every element of a fragment, and no bank twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gpusim/schedules/gemm.h"
#include "schedules/gemm_mma.h"
#include "support/worst_bank.h"

namespace gpusim::gemm_mma_access_test {

using namespace gpusim::schedules;

namespace {

constexpr int element_bytes = 2;

/// How often each element of a fragment is read: {least, most}.
std::pair<int, int> coverage(const Access& access, int rows, int columns) {
  std::vector<int> times(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  Coordinates at{};
  for (std::int64_t& repeat = at[static_cast<std::size_t>(Coordinate::repeat)]; repeat < access.count; ++repeat)
    for (int lane = 0; lane < 32; ++lane) {
      at[static_cast<std::size_t>(Coordinate::lane)] = lane;
      if (access.lanes && access.lanes->value(at) >= access.lanes->limit) continue;
      for (int element = 0; element < access.vector; ++element)
        ++times.at(static_cast<std::size_t>(access.row(at) * columns + access.column(at) + element));
    }
  return {*std::min_element(times.begin(), times.end()), *std::max_element(times.begin(), times.end())};
}

GemmPlan plan_of(GemmLayout layout, int depth, SharedLayout shared, bool ldmatrix = true) {
  GemmTiling tiling{.tile = {128, 128, depth}, .shared_a = shared, .shared_b = shared};
  tiling.ldmatrix = ldmatrix;
  return plan_gemm({.m = 512, .n = 512, .k = 512, .layout = layout}, tiling);
}

/// Wavefronts of the worst instruction that reads A, and the one that reads B.
std::pair<std::int64_t, std::int64_t> wavefronts(const GemmPlan& plan) {
  const Schedule schedule = gemm(plan.problem, plan.asked);
  const int k = plan.tiling.fragment_k;
  std::pair<std::int64_t, std::int64_t> worst;
  const FragmentRead a = fragment_read(plan, plan.warp_tile.rows, k, !plan.a.shared_transposed);
  const FragmentRead b = fragment_read(plan, plan.warp_tile.columns, k, plan.b.shared_transposed);
  for (std::int64_t repeat = 0; repeat < a.access.count; ++repeat)
    worst.first = std::max(worst.first, testing::worst_bank(a.access, schedule.shared_tiles[0], repeat));
  for (std::int64_t repeat = 0; repeat < b.access.count; ++repeat)
    worst.second = std::max(worst.second, testing::worst_bank(b.access, schedule.shared_tiles[1], repeat));
  return worst;
}

}  // namespace

TEST_CASE("ldmatrix of a swizzled or padded tile takes four wavefronts, as many as its bytes need, in any layout") {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn, GemmLayout::tt})
    for (const int depth : {32, 64})
      for (const SharedLayout shared : {SharedLayout::automatic, SharedLayout::padded}) {
        CAPTURE(name(layout));
        CAPTURE(depth);
        CHECK(wavefronts(plan_of(layout, depth, shared)) == std::pair<std::int64_t, std::int64_t>(4, 4));
      }
}

TEST_CASE("ldmatrix of a plain tile whose rows are 128 bytes takes a wavefront for each of its sixteen rows") {
  CHECK(wavefronts(plan_of(GemmLayout::nt, 64, SharedLayout::plain)) == std::pair<std::int64_t, std::int64_t>(16, 16));
}

TEST_CASE("a narrower swizzle leaves conflicts that a wider one does not") {
  const auto of = [](SharedLayout shared) { return wavefronts(plan_of(GemmLayout::nt, 64, shared)).first; };
  CHECK(of(SharedLayout::swizzle32) > of(SharedLayout::swizzle64));
  CHECK(of(SharedLayout::swizzle64) > of(SharedLayout::swizzle128));
}

TEST_CASE("fragments are read whole, however they are read") {
  for (const int outer : {8, 16, 32, 64})
    for (const int k : {16, 32, 64})
      for (const bool along_k : {false, true})
        for (const bool ldmatrix : {false, true}) {
          const GemmPlan plan = plan_of(GemmLayout::nn, 64, SharedLayout::automatic, ldmatrix);
          const FragmentRead read = fragment_read(plan, outer, k, along_k);
          CHECK(coverage(read.access, along_k ? outer : k, along_k ? k : outer) == std::pair(1, 1));
          CHECK((read.how == SharedRead::lds) == !ldmatrix);
        }
}

TEST_CASE("ldmatrix of fewer matrices takes as many more instructions, each of as many fewer wavefronts") {
  for (const bool along_k : {false, true}) {
    const GemmPlan plan = plan_of(GemmLayout::nn, 64, SharedLayout::automatic);
    const std::int64_t of_four = fragment_read(plan, 64, 32, along_k).access.count;
    CHECK(of_four == 64 * 32 / (4 * 8 * 8));
    for (const int matrices : {1, 2}) {
      const FragmentRead read = fragment_read(plan, 64, 32, along_k, matrices);
      CHECK(read.access.count == of_four * 4 / matrices);
      CHECK(coverage(read.access, along_k ? 64 : 32, along_k ? 32 : 64) == std::pair(1, 1));
      const Schedule schedule = gemm(plan.problem, plan.asked);
      CHECK(testing::worst_bank(read.access, schedule.shared_tiles[along_k ? 0 : 1], 0) == matrices);
    }
  }
}

TEST_CASE("how many matrices an ldmatrix reads changes the digest, and is refused where it means nothing") {
  const GemmProblem problem{.m = 256, .n = 256, .k = 64};
  const std::uint64_t whole = digest(gemm(problem, {.tile = {64, 64, 32}}));
  for (const auto side : {&GemmTiling::matrices_a, &GemmTiling::matrices_b}) {
    GemmTiling tiling{.tile = {64, 64, 32}};
    tiling.*side = 2;
    CHECK(digest(gemm(problem, tiling)) != whole);
    tiling.ldmatrix = false;
    CHECK_THROWS_AS((void)gemm(problem, tiling), ScheduleError);
    tiling.ldmatrix = true;
    tiling.variant = GemmVariant::simt;
    CHECK_THROWS_AS((void)gemm(problem, tiling), ScheduleError);
    tiling.variant = GemmVariant::async;
    tiling.*side = 3;
    CHECK_THROWS_AS((void)gemm(problem, tiling), ScheduleError);
  }
}

TEST_CASE("without ldmatrix, halves that lie across k are read two at a time, and MOVM turns each matrix of them") {
  const GemmPlan plan = plan_of(GemmLayout::nn, 64, SharedLayout::automatic, false);
  const FragmentRead along_k = fragment_read(plan, 64, 16, true);
  CHECK(along_k.access.count == 64 * 16 * element_bytes / (32 * 4));
  CHECK(along_k.packs == 0);
  const FragmentRead across_k = fragment_read(plan, 64, 16, false);
  CHECK(across_k.access.count == along_k.access.count);
  CHECK(across_k.packs == 0);
  CHECK(across_k.turns == across_k.access.count);
  CHECK(coverage(across_k.access, 16, 64) == std::pair(1, 1));
}

}  // namespace gpusim::gemm_mma_access_test
