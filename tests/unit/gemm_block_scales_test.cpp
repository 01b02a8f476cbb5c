// Scales of blocks of fp8: what they multiply, what moves them, and what is refused.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"
#include "support/sanitized.h"

namespace gpusim::gemm_block_scales_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

GemmTiling scaled_groups(int m, int n, int consumers) {
  GemmTiling tiling = wgmma(true, consumers);
  tiling.tile = {m, n, 128};
  tiling.promote = true;
  return tiling;
}

GemmProblem scaled_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem{.m = m, .n = n, .k = k, .dtype = DType::fp8, .result = DType::fp32, .layout = GemmLayout::nt};
  problem.block_scales = true;
  return problem;
}

}  // namespace

TEST_CASE("each block's product is multiplied by its scales, wherever tiles begin within blocks") {
  Thinned widths;
  for (const int n : {16, 48, 64, 96, 112, 128, 144, 160, 192, 256})
    if (widths.takes_next()) check_product(scaled_problem(150, 700, 400), scaled_groups(64, n, 1));
  check_product(scaled_problem(300, 400, 640), scaled_groups(256, 128, 2));
}

TEST_CASE("random draws of scaled blocks: what is not refused is right") {
  std::mt19937 generator(11);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
  };
  int legal = 0;
  for (int i = 0; i < draws(60); ++i) {
    GemmProblem problem = scaled_problem(from(1, 300), from(1, 500), from(1, 700));
    problem.batch = from(1, 2);
    problem.beta = static_cast<double>(from(0, 1));
    problem.bias = from(0, 3) == 0;
    const int consumers = static_cast<int>(from(1, 2));
    GemmTiling tiling =
        scaled_groups(64 * consumers * static_cast<int>(from(1, 2)), static_cast<int>(16 * from(1, 12)), consumers);
    tiling.stages = static_cast<int>(from(2, 4));
    tiling.epilogue = static_cast<Epilogue>(from(0, 2));
    if (from(0, 1) == 0) tiling.cluster = {static_cast<int>(from(1, 2)), static_cast<int>(from(1, 2))};
    if (from(0, 1) == 0) tiling.multicast_by = MulticastBy::first;
    if (from(0, 1) == 0) tiling.ctas = 4 * from(1, 2);
    try {
      (void)gemm(problem, tiling);
    } catch (const ScheduleError&) {
      continue;
    }
    ++legal;
    check_product(problem, tiling);
  }
  CHECK(legal > draws(60) * 2 / 15);
}

TEST_CASE("a scale that is read from elsewhere shows") {
  const GemmProblem problem = scaled_problem(128, 256, 384);
  const Schedule sound = gemm(problem, scaled_groups(128, 96, 2));
  const auto wrong_with = [&](const std::function<void(Action&)>& change) {
    Schedule schedule = sound;
    const std::function<void(std::vector<Statement>&)> walk = [&](std::vector<Statement>& body) {
      for (Statement& statement : body)
        if (auto* loop = std::get_if<Loop>(&statement))
          walk(loop->body);
        else
          change(std::get<Operation>(statement).action);
    };
    for (Role& role : schedule.roles) walk(role.program.body);
    return functional::check_gemm({schedule}, problem).wrong > 0;
  };
  CHECK_FALSE(wrong_with([](Action&) {}));
  CHECK(wrong_with([](Action& action) {
    if (auto* scale = std::get_if<Scale>(&action); scale != nullptr && scale->factors) scale->factors->before = 0;
  }));
  CHECK(wrong_with([](Action& action) {
    if (auto* scale = std::get_if<Scale>(&action)) scale->factors.reset();
  }));
  CHECK(wrong_with([](Action& action) {
    if (auto* load = std::get_if<LoadGlobal>(&action)) load->from.row += 1;
  }));
}

TEST_CASE("a scaled kernel's instructions, copies and shared memory are those counted by hand") {
  // 128x192 in two groups: 8 k tiles of 4 wgmma; a group's 64 rows have 96 sums a lane.
  GemmTiling tiling = scaled_groups(128, 192, 2);
  tiling.stages = 3;
  const GemmProblem problem = scaled_problem(256, 384, 1024);
  const Schedule schedule = gemm(problem, tiling);
  const Program& consumer = schedule.roles.at(0).program;
  const Program& producer = schedule.roles.at(1).program;
  CHECK(count_of(consumer.body, "LDS") == 8 * (2 + 2));  // two rows of A, two blocks of B
  CHECK(count_of(consumer.body, "FMA") == 8 * 4);        // their products
  CHECK(count_of(consumer.body, "FFMA.SCALE") == 8 * 96);
  CHECK(count_of(consumer.body, "LDG") == 2);  // 8 of k in each of two blocks of B
  CHECK(count_of(consumer.body, "STS") == 2);
  CHECK(count_of(producer.body, "UTMALDG") == 8 * (1 + 1 + 1));
  GemmProblem plain = problem;
  plain.block_scales = false;
  const Schedule without = gemm(plain, tiling);
  CHECK(shared_bytes(schedule).count() - shared_bytes(without).count() ==
        3 * 128 * 4 + 128 + 8);  // in lines of 128; an mbarrier
  CHECK(digest(schedule) != digest(without));

  const Gpu gpu(load_profile("h100-sxm"));
  const std::int64_t ctas = 2 * 2;
  CHECK(gpu.run(schedule).kernels.at(0).traffic.global_load_bytes -
            gpu.run(without).kernels.at(0).traffic.global_load_bytes ==
        ctas * (8 * 128 * 4 + 2 * 8 * 4));
}

TEST_CASE("what scaled blocks cannot have is refused with what would do") {
  const GemmProblem problem = scaled_problem(256, 256, 256);
  const GemmTiling sound = scaled_groups(128, 128, 2);
  const auto with = [&](const std::function<void(GemmTiling&)>& change) {
    GemmTiling tiling = sound;
    change(tiling);
    return refusal(problem, tiling);
  };
  CHECK(refusal(problem, sound).empty());
  CHECK(with([](GemmTiling& tiling) { tiling.promote = false; }) ==
        "promote: a k tile's sums are scaled as they are added to the product's: block_scales needs it");
  CHECK(with([](GemmTiling& tiling) { tiling.tile.k = 64; }) ==
        "tile.k: a block of scales has 128 of k, and so has a k tile, not 64; 128 would do");
  CHECK(with([](GemmTiling& tiling) { tiling.tile.n = 176; }) ==
        "tile.n: 176 columns lie in up to 3 blocks of 128, and a lane has the scales of two; 160 would do");
  CHECK(with([](GemmTiling& tiling) { tiling.specialize = false; }) ==
        "specialize: block_scales needs a producer warp beside the consumers");
  CHECK(with([](GemmTiling& tiling) { tiling.split_k = 2; }) ==
        "split_k: block_scales are read for the whole of k; 1 is the choice");
  GemmProblem halves = problem;
  halves.dtype = DType::fp16;
  CHECK(refusal(halves, sound) == "block_scales: blocks of fp8 have scales here, not of fp16; fp8 is the choice");
  GemmTiling warps;
  warps.variant = GemmVariant::tma;
  warps.instruction = {16, 8, 32};
  CHECK(refusal(problem, warps) ==
        "block_scales: blocks' scales are multiplied between wgmma groups: tma has none; wgmma does");
}

TEST_CASE("what is chosen for scaled blocks has them") {
  const Profile profile = load_profile("h100-sxm");
  const GemmProblem problem = scaled_problem(512, 512, 512);
  const GemmTiling chosen = choose(profile, problem);
  CHECK(chosen.variant == GemmVariant::wgmma);
  CHECK(chosen.promote);
  CHECK(chosen.tile.k == 128);
  for (const GemmLibrary library : {GemmLibrary::recent, GemmLibrary::deep_gemm}) {
    const std::vector<GemmTiling> found = gemm_candidates(profile, problem, {}, std::nullopt, library);
    CHECK_FALSE(found.empty());
    for (const GemmTiling& each : found) CHECK(each.promote);
  }
}

}  // namespace gpusim::gemm_block_scales_test
