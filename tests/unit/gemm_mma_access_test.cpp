// What tensor-core kernels ask of shared memory: every element of a fragment, and no bank twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gpusim/schedules/gemm.h"
#include "schedules/gemm_mma.h"

using namespace gpusim;
using namespace gpusim::schedules;

namespace {

constexpr int element_bytes = 2;

/// Most distinct 4-byte words that one bank has to give in one instruction of warp 0.
std::int64_t worst_bank(const Access& access, const SharedTile& tile, std::int64_t repeat) {
  std::vector<std::set<std::int64_t>> words(32);
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::repeat)] = repeat;
  for (std::int64_t& lane = at[static_cast<std::size_t>(Coordinate::lane)]; lane < 32; ++lane)
    for (int element = 0; element < access.vector; ++element) {
      const std::int64_t word = offset_of(tile, access.row(at), access.column(at) + element).count() / 4;
      words[static_cast<std::size_t>(word % 32)].insert(word);
    }
  std::size_t worst = 0;
  for (const auto& bank : words) worst = std::max(worst, bank.size());
  return static_cast<std::int64_t>(worst);
}

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
    worst.first = std::max(worst.first, worst_bank(a.access, schedule.shared_tiles[0], repeat));
  for (std::int64_t repeat = 0; repeat < b.access.count; ++repeat)
    worst.second = std::max(worst.second, worst_bank(b.access, schedule.shared_tiles[1], repeat));
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

TEST_CASE("without ldmatrix, halves that lie across k are read one by one and put together") {
  const GemmPlan plan = plan_of(GemmLayout::nn, 64, SharedLayout::automatic, false);
  const FragmentRead along_k = fragment_read(plan, 64, 16, true);
  CHECK(along_k.access.count == 64 * 16 * element_bytes / (32 * 4));
  CHECK(along_k.packs == 0);
  const FragmentRead across_k = fragment_read(plan, 64, 16, false);
  CHECK(across_k.access.count == 64 * 16 / 32);
  CHECK(across_k.packs == across_k.access.count / 2);
}
