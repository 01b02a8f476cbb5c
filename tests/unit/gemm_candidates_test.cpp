// What an automatic choice looks at: the tiles that libraries have.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "gpusim/profile_io.h"
#include "support/tilings.h"

namespace gpusim::gemm_candidates_test {

using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;
using testing::any_of;
using testing::small;

TEST_CASE("every candidate fits its GPU") {
  for (const char* gpu : {"volta", "turing", "ampere", "ada", "hopper"}) {
    const Profile profile = load_profile(gpu);
    for (const GemmTiling& tiling : schedules::gemm_candidates(profile, small))
      CHECK(check(schedules::gemm(small, tiling), profile).empty());
  }
}

TEST_CASE("candidates use what the GPU has, and slices of k where there are few tiles") {
  const auto hopper = schedules::gemm_candidates(load_profile("hopper"), small);
  CHECK(any_of(hopper, [](const GemmTiling& each) { return each.variant == GemmVariant::wgmma; }));
  CHECK(any_of(hopper, [](const GemmTiling& each) { return each.cluster.m == 2; }));
  CHECK(any_of(hopper, [](const GemmTiling& each) { return each.split_k > 1; }));
  const auto turing = schedules::gemm_candidates(load_profile("turing"), small);
  CHECK(!any_of(turing, [](const GemmTiling& each) { return each.variant != GemmVariant::tensor; }));
  CHECK(!any_of(turing, [](const GemmTiling& each) { return !each.prefetch; }));
}

TEST_CASE("cuBLAS's groups are persistent, one group's tiles taken in turns; sides of 12.1's are powers of two") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem large{.m = 4096, .n = 4096, .k = 4096};
  const auto is_persistent = [](const GemmTiling& each) { return each.ctas > 0; };
  const auto is_odd = [](const GemmTiling& each) { return each.tile.n % 3 == 0 || each.tile.m % 3 == 0; };
  const auto recent = schedules::gemm_candidates(hopper, large);
  const auto is_shared_wrongly = [](const GemmTiling& each) {
    return each.ctas > 0 && each.pingpong != (each.consumers == 1);
  };
  CHECK(any_of(recent, is_persistent));
  CHECK_FALSE(any_of(recent, is_shared_wrongly));
  CHECK(any_of(recent, is_odd));
  const auto older = schedules::gemm_candidates(hopper, large, {}, {}, schedules::GemmLibrary::cublas_12_1);
  CHECK_FALSE(older.empty());
  CHECK_FALSE(any_of(older, [](const GemmTiling& each) { return each.ctas == 0; }));
  CHECK_FALSE(any_of(older, is_shared_wrongly));
  CHECK_FALSE(any_of(older, is_odd));
  const auto deep =
      schedules::gemm_candidates(hopper, {.m = 256, .n = 256, .k = 8192}, {}, {}, schedules::GemmLibrary::cublas_12_1);
  CHECK(any_of(deep, [](const GemmTiling& each) { return each.split_k > 1; }));
  CHECK_FALSE(
      any_of(deep, [](const GemmTiling& each) { return each.split_k > 1 && (each.ctas > 0 || each.pingpong); }));
  CHECK_FALSE(any_of(older, [](const GemmTiling& each) {
    return each.tile.m < 64 || each.tile.n < 64 || (each.tile.m * each.tile.n <= 128 * 128 && each.consumers > 1);
  }));
}

TEST_CASE("where tiles cannot be taken in turns one group has them alone, and two share those of 128 rows") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem problem{.m = 256, .n = 512, .k = 1024, .dtype = DType::fp8, .layout = GemmLayout::nt};
  GemmProblem scaled = problem;
  scaled.block_scales = true;
  const auto is_small = [](const GemmTiling& each) { return each.tile.m == 64 && each.consumers == 1; };
  const auto is_shared = [](const GemmTiling& each) { return each.tile == schedules::GemmTile{128, 128, 128}; };
  const auto in_turns = [](const GemmTiling& each) { return each.pingpong; };
  for (const auto& [posed, request] :
       {std::pair{scaled, schedules::GemmRequest{}}, std::pair{problem, schedules::GemmRequest{.stream_k = true}},
        std::pair{problem, schedules::GemmRequest{.consumers_arrive = true}},
        std::pair{problem, schedules::GemmRequest{.pingpong = false}}}) {
    const auto found = schedules::gemm_candidates(hopper, posed, request);
    CHECK(any_of(found, is_small));
    CHECK(any_of(found, is_shared));
    CHECK_FALSE(any_of(found, in_turns));
  }
  const auto by_two = schedules::gemm_candidates(hopper, problem, {.consumers = 2, .split_k = 1});
  CHECK(any_of(by_two, is_shared));
  CHECK_FALSE(any_of(by_two, in_turns));
}

TEST_CASE("recent wgmma kernels have widths in steps of 16 that fill waves") {
  const Profile h100 = load_profile("h100-sxm");
  const GemmProblem two_waves{
      .m = 1024, .n = 5120, .k = 7168, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt};
  const auto fills = [](const GemmTiling& each) { return each.tile.m == 128 && each.tile.n == 160; };
  CHECK(any_of(schedules::gemm_candidates(h100, two_waves), fills));
  CHECK_FALSE(any_of(schedules::gemm_candidates(h100, two_waves, {}, {}, schedules::GemmLibrary::cublas_12_1), fills));
}

TEST_CASE("sides of 96, 160 and 192 on Ampere are those of fp16") {
  const Profile ampere = load_profile("ampere");
  const auto is_odd = [](const GemmTiling& each) {
    return (each.tile.m & (each.tile.m - 1)) != 0 || (each.tile.n & (each.tile.n - 1)) != 0;
  };
  GemmProblem large{.m = 4096, .n = 4096, .k = 4096, .dtype = DType::fp16};
  CHECK(any_of(schedules::gemm_candidates(ampere, large), is_odd));
  for (const DType dtype : {DType::bf16, DType::tf32}) {
    large.dtype = dtype;
    CHECK_FALSE(any_of(schedules::gemm_candidates(ampere, large), is_odd));
  }
}

TEST_CASE("cuBLAS's tiles on Volta and Turing have no side below 64, a tile that is given may") {
  const GemmProblem few{.m = 16, .n = 4096, .k = 2048, .dtype = DType::fp16};
  for (const char* const gpu : {"volta", "turing"}) {
    const Profile profile = load_profile(gpu);
    const auto is_narrow = [](const GemmTiling& each) { return std::min(each.tile.m, each.tile.n) < 64; };
    CHECK_FALSE(any_of(schedules::gemm_candidates(profile, few), is_narrow));
    CHECK(any_of(schedules::gemm_candidates(profile, few, {}, schedules::GemmTile{16, 64, 0}), is_narrow));
  }
}

TEST_CASE("a long k is cut where tiles leave SMs idle in a last wave, up to six CTAs an SM") {
  const Profile ampere = load_profile("ampere");
  const auto sliced = [&](std::int64_t m, std::int64_t k, int slices) {
    const auto found = schedules::gemm_candidates(ampere, {.m = m, .n = 1024, .k = k, .dtype = DType::bf16});
    return std::any_of(found.begin(), found.end(), [&](const GemmTiling& each) {
      return each.tile.m == 256 && each.tile.n == 128 && each.split_k == slices;
    });
  };
  CHECK(sliced(4096, 65536, 5));        // 128 tiles on 108 SMs
  CHECK_FALSE(sliced(4096, 65536, 6));  // 768 CTAs
  CHECK_FALSE(sliced(4096, 512, 5));
  CHECK_FALSE(sliced(32768, 65536, 2));
}

TEST_CASE("where wgmma cannot read an operand as it lies, warps multiply") {
  GemmProblem across = small;
  across.dtype = DType::tf32;
  across.layout = schedules::GemmLayout::tn;
  const auto found = schedules::gemm_candidates(load_profile("hopper"), across);
  CHECK(found.size() > 3);
  CHECK(!any_of(found, [](const GemmTiling& each) { return each.variant != GemmVariant::async; }));
}

TEST_CASE("what else is fixed is fixed in every candidate, and a tile no library has is taken as it is") {
  const Profile profile = load_profile("ampere");
  const auto sliced = schedules::gemm_candidates(profile, small, {.stages = 3, .split_k = 2});
  REQUIRE(sliced.size() > 3);
  for (const GemmTiling& each : sliced) {
    CHECK(each.stages == 3);
    CHECK(each.split_k == 2);
  }
  const auto own = schedules::gemm_candidates(profile, small, {}, schedules::GemmTile{96, 96, 32});
  REQUIRE_FALSE(own.empty());
  for (const GemmTiling& each : own) CHECK(each.tile == schedules::GemmTile{96, 96, 32});
  for (const GemmTiling& each : schedules::gemm_candidates(profile, small, {}, schedules::GemmTile{64, 64, 0}))
    CHECK((each.tile.m == 64 && each.tile.n == 64));
}

TEST_CASE("what is fixed decides whether candidates interleave") {
  const Profile profile = load_profile("ampere");
  const auto interleaved = [&](const schedules::GemmRequest& request) {
    const auto found = schedules::gemm_candidates(profile, small, request, schedules::GemmTile{128, 128, 0});
    REQUIRE_FALSE(found.empty());
    return std::count_if(found.begin(), found.end(), [](const GemmTiling& each) { return each.interleave; }) ==
           static_cast<std::ptrdiff_t>(found.size());
  };
  CHECK(interleaved({.variant = GemmVariant::async}));
  CHECK_FALSE(interleaved({.variant = GemmVariant::async, .interleave = false}));
  CHECK_FALSE(interleaved({.variant = GemmVariant::async, .double_buffer = false}));
  CHECK_FALSE(interleaved({.variant = GemmVariant::async, .warp_tile = schedules::GemmShape{16, 64}}));
  CHECK_FALSE(interleaved({.variant = GemmVariant::simt, .prefetch = true, .interleave = false}));
  CHECK_FALSE(interleaved({.variant = GemmVariant::simt, .prefetch = true, .carry_over = false}));
}

TEST_CASE("no candidate has slices of a CTA that do not share its k, or none") {
  GemmProblem problem = small;
  problem.dtype = problem.accumulate = DType::fp32;
  for (const int slices : {0, -1, 3}) {
    schedules::GemmRequest request{.variant = GemmVariant::simt, .cta_slices = slices};
    CHECK_THROWS_AS(static_cast<void>(schedules::gemm_candidates(load_profile("ampere"), problem, request,
                                                                 schedules::GemmTile{128, 128, 8})),
                    ScheduleError);
  }
}

TEST_CASE("FFMA's candidates turn what lies along k, where it is staged and can be") {
  const Profile profile = load_profile("ampere");
  const auto of = [&](GemmLayout layout, DType dtype, schedules::GemmRequest request = {}) {
    GemmProblem problem = small;
    problem.layout = layout;
    problem.dtype = dtype;
    request.variant = GemmVariant::simt;
    return schedules::gemm_candidates(profile, problem, request);
  };
  const auto turn_both = [](const GemmTiling& each) { return each.transpose_a && each.transpose_b; };
  const auto turn_none = [](const GemmTiling& each) { return !each.transpose_a && !each.transpose_b; };
  const auto are_copied = [](const GemmTiling& each) { return !each.prefetch && each.stages > 1; };
  const auto along_k = of(GemmLayout::nt, DType::fp32);
  CHECK(std::all_of(along_k.begin(), along_k.end(), turn_both));
  CHECK(any_of(along_k, are_copied));
  const auto as_read = of(GemmLayout::tn, DType::fp32);
  CHECK(std::all_of(as_read.begin(), as_read.end(), turn_none));

  const auto halves = of(GemmLayout::nt, DType::fp16);
  CHECK(any_of(halves, turn_both));
  CHECK(any_of(halves, are_copied));
  const auto from_memory = of(GemmLayout::nt, DType::fp32, {.stage_b = false});
  CHECK(from_memory.size() > 1);
  CHECK_FALSE(any_of(from_memory, [](const GemmTiling& each) { return each.stage_b || each.transpose_b; }));
}

TEST_CASE("FFMA's candidates fetch whole lines where the library's kernels are made for cp.async") {
  const auto fetch_lines = [](const GemmTiling& each) { return each.whole_lines; };
  const auto of = [](const Profile& profile) {
    GemmProblem problem = small;
    problem.dtype = DType::fp32;
    return schedules::gemm_candidates(profile, problem, {.variant = GemmVariant::simt});
  };
  Profile profile = load_profile("ampere");
  const auto ampere = of(profile);
  CHECK(std::all_of(ampere.begin(), ampere.end(), fetch_lines));
  CHECK_FALSE(any_of(of(load_profile("turing")), fetch_lines));
  profile.shared.ldmatrix = false;
  CHECK_FALSE(of(profile).empty());
  CHECK_FALSE(any_of(of(profile), fetch_lines));
}

}  // namespace gpusim::gemm_candidates_test
