// The closed form of the generated products on the textbook machines, as sums of the examples' latencies.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/estimate/critical_path.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::estimate_gemm_test {

using schedules::GemmVariant;

namespace {

constexpr std::int64_t l2 = 200, dram = 380, shared = 34, ffma = 4, mma = 1;
constexpr std::int64_t shared_2020 = 20;
constexpr std::int64_t synchronous_step = 8 * shared + 8 * ffma;

struct Case {
  GemmVariant variant = GemmVariant::simt;
  std::int64_t k = 32;
  int stages = 1;
  bool specialize = false;
  std::int64_t size = 32;
};

std::int64_t closed_form(const char* machine, const Case& product, L2State state) {
  const Profile profile = load_profile(machine);
  schedules::GemmProblem problem{.m = product.size, .n = product.size, .k = product.k};
  problem.dtype = problem.accumulate = DType::fp32;
  schedules::GemmRequest request{.tile = {32, 32, 32}, .variant = product.variant, .specialize = product.specialize};
  if (product.stages > 1) request.stages = product.stages;
  const Schedule schedule = gemm(problem, choose(profile, problem, request));
  return estimate::critical_path(schedule, profile, {.l2 = state}).total.count();
}

std::int64_t warm(const Case& product) { return closed_form("textbook-2023", product, L2State::warm); }
std::int64_t cold(const Case& product) { return closed_form("textbook-2023", product, L2State::cold); }
std::int64_t edition_2020(const Case& product) { return closed_form("textbook-2020", product, L2State::cold); }

}  // namespace

TEST_CASE("one tile, one after another") {
  CHECK(warm({GemmVariant::simt}) == l2 + synchronous_step);
  CHECK(warm({GemmVariant::tensor}) == l2 + shared + mma);
  CHECK(cold({GemmVariant::simt}) == dram + synchronous_step);
  CHECK(cold({GemmVariant::tensor}) == dram + shared + mma);
  CHECK(edition_2020({GemmVariant::simt}) == 200 + 8 * shared_2020 + 8 * ffma);
  CHECK(edition_2020({GemmVariant::tensor}) == 200 + shared_2020 + mma);
}

TEST_CASE("a hundred tiles without overlap") {
  CHECK(warm({GemmVariant::simt, 3200}) == 100 * (l2 + synchronous_step));
  CHECK(warm({GemmVariant::tensor, 3200}) == 100 * (l2 + shared + mma));
}

TEST_CASE("a hundred tiles, copied ahead: async and tma alike") {
  for (const GemmVariant variant : {GemmVariant::async, GemmVariant::tma}) {
    CHECK(warm({variant, 3200, 2}) == 100 * l2 + shared + mma);
    CHECK(warm({variant, 3200, 3}) == 50 * l2 + 2 * (shared + mma));
    CHECK(warm({variant, 3200, 4}) == 34 * l2 + shared + mma);
    CHECK(warm({variant, 3200, 8}) == 3700);
  }
  CHECK(cold({GemmVariant::async, 3200, 2}) == 100 * dram + shared + mma);
  CHECK(edition_2020({GemmVariant::async, 3200, 2}) == 100 * 200 + shared_2020 + mma);
}

TEST_CASE("a producer warp refills a buffer as soon as it is free") {
  CHECK(warm({GemmVariant::tma, 3200, 2, true}) == 50 * (l2 + shared + mma) + shared + mma);
}

TEST_CASE("two waves and their hand-over") {
  const std::int64_t hand_over = 1 + 1;
  CHECK(warm({GemmVariant::simt, 32, 1, false, 256}) == 2 * (l2 + synchronous_step) + hand_over);
}

}  // namespace gpusim::estimate_gemm_test
