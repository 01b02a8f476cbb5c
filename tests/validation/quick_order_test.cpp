// The quick model puts the schedules of a product into the engine's order.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpusim/estimate/quick.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::quick_order_test {

using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

struct Compared {
  std::string name;
  double simulated = 0;
  double quick = 0;
};

std::vector<Compared> compare(const char* gpu, const GemmProblem& problem, const std::vector<GemmTiling>& tilings) {
  const Gpu machine(load_profile(gpu));
  std::vector<Compared> rows;
  for (const GemmTiling& tiling : tilings) {
    Compared row;
    for (const Schedule& schedule : gemm_kernels(problem, tiling)) {
      row.name += schedule.name + " ";
      row.simulated += static_cast<double>(cycles(machine.run(schedule)).count());
      row.quick += estimate::quick_estimate(schedule, machine.profile()).cycles;
    }
    rows.push_back(row);
  }
  return rows;
}

/// Kendall's tau: pairs in the same order less those that are not, by all pairs. Two within 5 % are no pair: the quick
/// model picks what is worth simulating, and simulation tells such apart.
double rank_correlation(const std::vector<Compared>& rows) {
  constexpr double apart = 1.05;
  double sum = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto [quicker, slower] = std::minmax(rows[i].simulated, rows[j].simulated);
      if (slower < apart * quicker) continue;
      const double product = (rows[i].simulated - rows[j].simulated) * (rows[i].quick - rows[j].quick);
      sum += product > 0 ? 1 : product < 0 ? -1 : 0;
      ++pairs;
    }
  return sum / pairs;
}

/// How far off the quick model is, the geometric mean.
double typical_ratio(const std::vector<Compared>& rows) {
  double sum = 0;
  for (const Compared& row : rows) sum += std::abs(std::log(row.quick / row.simulated));
  return std::exp(sum / static_cast<double>(rows.size()));
}

void check_order(const std::vector<Compared>& rows, double least_correlation = 0.8) {
  for (const Compared& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.simulated);
    CHECK(row.quick > row.simulated / 2);
    CHECK(row.quick < row.simulated * 2);
  }
  CHECK(rank_correlation(rows) > least_correlation);
  CHECK(typical_ratio(rows) < 1.25);
}

GemmTiling tiling(GemmVariant variant, schedules::GemmTile tile, int stages, void (*change)(GemmTiling&) = nullptr) {
  GemmTiling result{.tile = tile, .variant = variant, .stages = stages};
  if (change != nullptr) change(result);
  return result;
}

}  // namespace

TEST_CASE("schedules of a product in fp16 on Ada: mma.sync, stages, split k, persistent CTAs") {
  const auto async = GemmVariant::async;
  check_order(
      compare("ada", {.m = 1024, .n = 1024, .k = 512},
              {tiling(async, {128, 128, 32}, 2), tiling(async, {128, 128, 32}, 4), tiling(async, {128, 64, 32}, 3),
               tiling(async, {64, 64, 32}, 2), tiling(async, {64, 64, 64}, 3), tiling(async, {32, 64, 32}, 3),
               tiling(async, {32, 32, 32}, 3), tiling(async, {128, 256, 32}, 3), tiling(async, {256, 128, 32}, 2),
               tiling(GemmVariant::tensor, {128, 128, 32}, 1), tiling(GemmVariant::tensor, {64, 64, 32}, 1),
               tiling(async, {128, 128, 32}, 3, [](GemmTiling& t) { t.split_k = 2; }),
               tiling(async, {64, 64, 32}, 3, [](GemmTiling& t) { t.ctas = 128; }),
               tiling(async, {64, 64, 32}, 3, [](GemmTiling& t) { t.ldmatrix = false; })}));
}

TEST_CASE("schedules of a product in fp32 on Ampere: thread tiles, layouts in shared memory, no staging") {
  const GemmProblem problem{.m = 512, .n = 512, .k = 256, .dtype = DType::fp32};
  const auto simt = GemmVariant::simt;
  check_order(
      compare("ampere", problem,
              {tiling(simt, {128, 128, 16}, 1), tiling(simt, {64, 64, 16}, 1), tiling(simt, {32, 32, 32}, 1),
               tiling(simt, {128, 64, 8}, 1), tiling(simt, {64, 64, 16}, 3),
               tiling(simt, {64, 64, 16}, 1, [](GemmTiling& t) { t.prefetch = true; }),
               tiling(simt, {64, 64, 16}, 1, [](GemmTiling& t) { t.shared_a = schedules::SharedLayout::plain; }),
               tiling(simt, {64, 64, 16}, 1,
                      [](GemmTiling& t) {
                        t.thread_tile = {2, 2};
                      }),
               tiling(simt, {64, 64, 16}, 1, [](GemmTiling& t) { t.split_k = 4; }),
               tiling(GemmVariant::naive, {32, 8, 1}, 1), tiling(GemmVariant::coalesced, {8, 32, 1}, 1)}));
}

TEST_CASE("schedules of a product in fp16 on Hopper: TMA, wgmma, clusters, persistent CTAs") {
  const auto wgmma = GemmVariant::wgmma;
  check_order(compare("hopper", {.m = 2048, .n = 2048, .k = 512},
                      {tiling(GemmVariant::tma, {128, 128, 64}, 3), tiling(GemmVariant::tma, {64, 64, 64}, 3),
                       tiling(GemmVariant::async, {128, 128, 32}, 3), tiling(wgmma, {64, 64, 64}, 3),
                       tiling(wgmma, {64, 128, 64}, 4),
                       tiling(wgmma, {128, 128, 64}, 4, [](GemmTiling& t) { t.consumers = 2; }),
                       tiling(wgmma, {128, 256, 64}, 3,
                              [](GemmTiling& t) {
                                t.specialize = true;
                                t.consumers = 2;
                              }),
                       tiling(wgmma, {128, 128, 64}, 4,
                              [](GemmTiling& t) {
                                t.specialize = true;
                                t.consumers = 2;
                                t.cluster = {2, 1};
                              }),
                       tiling(wgmma, {128, 128, 64}, 4,
                              [](GemmTiling& t) {
                                t.specialize = true;
                                t.consumers = 2;
                                t.ctas = 132;
                              }),
                       tiling(wgmma, {128, 64, 64}, 2, [](GemmTiling& t) { t.epilogue = schedules::Epilogue::tma; })}),
              0.75);  // two stages of 128x64 seem a fifth longer than they are
}

TEST_CASE("two stages are told from four, where fp32 results that are staged leave room for no more") {
  const auto groups = [](int stages, schedules::Epilogue epilogue) {
    GemmTiling result = tiling(GemmVariant::wgmma, {128, 256, 32}, stages);
    result.specialize = true;
    result.consumers = 2;
    result.cluster = {2, 1};
    result.epilogue = epilogue;
    return result;
  };
  const std::vector<Compared> rows =
      compare("hopper", {.m = 2048, .n = 2048, .k = 2048, .dtype = DType::tf32, .layout = schedules::GemmLayout::nt},
              {groups(2, schedules::Epilogue::tma), groups(2, schedules::Epilogue::direct),
               groups(4, schedules::Epilogue::direct)});
  for (const std::size_t of_two : {0, 1}) {
    CHECK(rows[of_two].simulated > 1.2 * rows[2].simulated);
    CHECK(rows[of_two].quick > 1.02 * rows[2].quick);
  }
}

}  // namespace gpusim::quick_order_test
