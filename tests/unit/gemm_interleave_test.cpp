// Products whose rows of A and C lie by turns: right, as dear as they lie, and refused where they cannot.
#include <doctest/doctest.h>

#include "gpusim/estimate/quick.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"
#include "support/gemm_facts.h"
#include "support/product_check.h"

namespace gpusim::gemm_interleave_test {

using namespace gpusim::schedules;
using namespace gpusim::testing;

namespace {

GemmProblem heads(std::int64_t batch, std::int64_t interleave, GemmLayout layout = GemmLayout::nt) {
  return {.m = 150, .n = 72, .k = 80, .layout = layout, .batch = batch, .batch_interleave = interleave};
}

/// On an H100 whose channels open rows so far apart, cycle by cycle.
KernelResult run_of(const GemmProblem& problem, std::int64_t activate_ps) {
  Profile profile = load_profile("hopper");
  profile.dram.activate_ps = activate_ps;
  RunOptions options;
  options.exact = true;
  return Gpu(std::move(profile))
      .run(gemm(problem, {.tile = {128, 128, 64}, .variant = GemmVariant::wgmma}), options)
      .kernels.at(0);
}

}  // namespace

TEST_CASE("programs of products by turns mean the elements that they should, by whatever copies them") {
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn})
    for (const GemmVariant variant : {GemmVariant::tensor, GemmVariant::async, GemmVariant::tma, GemmVariant::wgmma})
      for (const std::int64_t interleave : {3, 5}) {
        GemmTiling tiling{.tile = {64, 64, 32}, .variant = variant};
        tiling.split_k = variant == GemmVariant::async ? 2 : 1;
        check_product(heads(3, interleave, layout), tiling);
      }
}

TEST_CASE("A and C lie by turns as they are stored, B does not") {
  for (const GemmLayout layout : {GemmLayout::nt, GemmLayout::tn}) {
    const Schedule schedule = gemm(heads(3, 4, layout), {.tile = {64, 64, 32}, .variant = GemmVariant::tensor});
    const std::vector<Buffer>& buffers = schedule.buffers;
    CHECK(buffers[0].layer_pitch == (layout == GemmLayout::nt ? 80 : 152));  // whole 16 bytes
    CHECK(buffers[0].pitch == 4 * buffers[0].layer_pitch);
    CHECK(buffers[1].layer_pitch == 0);
    CHECK(layer_step(buffers[1]) == 72 * 80);
    CHECK(buffers[2].pitch == 4 * 72);
    CHECK(buffers[2].layer_pitch == 72);
    CHECK(schedule.name.find(" by turns of 4 ") != std::string::npos);
  }
}

TEST_CASE("a part of the products takes the bytes that it has, wherever they lie") {
  const GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::tensor};
  GemmProblem problem{.m = 128, .n = 128, .k = 128, .layout = GemmLayout::nt, .batch = 2};
  const Schedule apart = gemm(problem, tiling);
  problem.batch_interleave = 64;
  const Schedule part = gemm(problem, tiling);
  for (std::size_t i = 0; i < part.buffers.size(); ++i) CHECK(size_of(part.buffers[i]) == size_of(apart.buffers[i]));
  CHECK(estimate::quick_estimate(part, load_profile("hopper")).us ==
        doctest::Approx(estimate::quick_estimate(apart, load_profile("hopper")).us));
}

TEST_CASE("what L2 holds before is the products' own, not what lies between their rows") {
  const Gpu gpu(load_profile("hopper"));
  RunOptions warm;
  warm.l2 = L2State::warm;
  const GemmProblem one_of_many{.m = 4096, .n = 64, .k = 64, .layout = GemmLayout::nt, .batch_interleave = 256};
  CHECK(gpu.run(gemm(one_of_many, {.tile = {64, 64, 32}, .variant = GemmVariant::tensor}), warm)
            .kernels.at(0)
            .traffic.dram_read_bytes == 0);
  warm.l2_by_buffer["C"] = L2State::dirty;  // of which what fits is written back, as where C is alone
  GemmProblem alone = one_of_many;
  alone.batch_interleave = 1;
  const auto written = [&](const GemmProblem& problem) {
    const KernelResult result =
        gpu.run(gemm(problem, {.tile = {64, 64, 32}, .variant = GemmVariant::tensor}), warm).kernels.at(0);
    return result.traffic.dram_write_bytes;
  };
  CHECK(written(one_of_many) == written(alone));
}

TEST_CASE("as many bytes cross L2, but where DRAM opens rows slowly, rows by turns take longer [long]") {
  const GemmProblem apart{.m = 4096, .n = 128, .k = 512, .layout = GemmLayout::nt, .batch = 16};
  GemmProblem by_turns = apart;
  by_turns.batch_interleave = 16;
  constexpr std::int64_t slow = 10'000;
  const KernelResult one = run_of(apart, 0);
  const KernelResult other = run_of(by_turns, 0);
  const auto slower = [](const KernelResult& result, const KernelResult& than) {
    return static_cast<double>(result.cycles.count()) / static_cast<double>(than.cycles.count());
  };
  CHECK(slower(run_of(apart, slow), one) < 1.05);
  CHECK(slower(run_of(by_turns, slow), other) > 1.05);
  CHECK(one.traffic.l2_read_sectors == other.traffic.l2_read_sectors);
  CHECK(one.traffic.l2_write_sectors == other.traffic.l2_write_sectors);
  CHECK(one.buffer_bytes == other.buffer_bytes);
}

TEST_CASE("rows of fewer products than there are cannot lie by turns") {
  const GemmTiling tiling{.tile = {64, 64, 32}, .variant = GemmVariant::tensor};
  CHECK(refusal(heads(3, 2), tiling) ==
        "batch_interleave: rows of 2 products lie by turns, but there are 3; 3 or more would do, or 1");
  CHECK(refusal(heads(3, 0), tiling).rfind("batch_interleave: ", 0) == 0);
  CHECK(refusal(heads(3, 0), tiling).find("by turns") == std::string::npos);
}

}  // namespace gpusim::gemm_interleave_test
