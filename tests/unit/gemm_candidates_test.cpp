// What an automatic choice looks at: the tiles that libraries have.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm_candidates.h"

namespace gpusim::gemm_candidates_test {

using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;

namespace {

constexpr GemmProblem small{.m = 256, .n = 512, .k = 512};

bool any_of(const std::vector<GemmTiling>& tilings, bool (*holds)(const GemmTiling&)) {
  return std::any_of(tilings.begin(), tilings.end(), holds);
}

}  // namespace

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

TEST_CASE("cuBLAS 12.1 gives a CTA one tile, with sides that are powers of two") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem large{.m = 4096, .n = 4096, .k = 4096};
  const auto is_persistent = [](const GemmTiling& each) { return each.ctas > 0; };
  const auto is_odd = [](const GemmTiling& each) { return each.tile.n % 3 == 0 || each.tile.m % 3 == 0; };
  const auto recent = schedules::gemm_candidates(hopper, large);
  CHECK(any_of(recent, is_persistent));
  CHECK(any_of(recent, is_odd));
  const auto older = schedules::gemm_candidates(hopper, large, {}, {}, schedules::GemmLibrary::cublas_12_1);
  CHECK_FALSE(older.empty());
  CHECK_FALSE(any_of(older, is_persistent));
  CHECK_FALSE(any_of(older, is_odd));
  CHECK_FALSE(any_of(older, [](const GemmTiling& each) {
    return each.tile.m < 64 || each.tile.n < 64 || (each.tile.m * each.tile.n <= 128 * 128 && each.consumers > 1);
  }));
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

TEST_CASE("vLLM's tile depends on the rows alone, and k is not sliced") {
  const Profile hopper = load_profile("hopper");
  for (const auto& [rows, tile] : {std::pair{33, 64}, std::pair{100, 64}, std::pair{512, 128}}) {
    const GemmProblem problem{
        .m = rows, .n = 1024, .k = 8192, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
    const auto vllm = schedules::gemm_candidates(hopper, problem, {}, {}, schedules::GemmLibrary::vllm_fp8);
    REQUIRE(vllm.size() == 1);
    CHECK(vllm[0].tile.m == tile);
    CHECK(vllm[0].split_k == 1);
    if (rows > 64)  // CTAs walk the tiles along the side that has fewer
      CHECK(vllm[0].order == TileOrder::column);
  }
  const GemmProblem tall{.m = 4096, .n = 1024, .k = 512, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
  const auto walked = schedules::gemm_candidates(hopper, tall, {}, {}, schedules::GemmLibrary::vllm_fp8);
  REQUIRE(walked.size() == 1);
  CHECK(walked[0].order == TileOrder::row);
}

TEST_CASE("DeepGEMM takes the layout that its own estimate finds the shortest") {
  const Profile hopper = load_profile("hopper");
  using schedules::GemmShape;
  struct Expected {
    std::int64_t m, n, k;
    int rows, columns;
    GemmShape cluster;
  };
  // Worked out from the rule on 132 SMs. What is one wave shares nothing; what is many takes 256 rows, of which two
  // CTAs share A; of an odd number of tiles along that side none can share.
  for (const Expected& each :
       {Expected{9, 128, 10240, 64, 16, {1, 1}}, Expected{96, 10240, 65536, 128, 80, {1, 1}},
        Expected{128, 12288, 2560, 128, 96, {1, 1}}, Expected{192, 6144, 65536, 64, 144, {1, 1}},
        Expected{2561, 10240, 12288, 256, 128, {1, 2}}, Expected{3072, 6144, 768, 256, 112, {1, 1}}}) {
    CAPTURE(each.m);
    const GemmProblem problem{
        .m = each.m, .n = each.n, .k = each.k, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
    const auto found = schedules::gemm_candidates(hopper, problem, {}, {}, schedules::GemmLibrary::deep_gemm);
    REQUIRE(found.size() == 1);
    CHECK(found[0].tile.m == each.rows);
    CHECK(found[0].tile.n == each.columns);
    CHECK(found[0].cluster == each.cluster);
    CHECK(found[0].promote);
    CHECK(found[0].split_k == 1);
    CHECK((found[0].multicast_by == schedules::MulticastBy::first) == !(each.cluster == GemmShape{1, 1}));
  }
}

TEST_CASE("DeepGEMM has nothing for a k whose scales fill shared memory") {
  const GemmProblem long_k{.m = 64, .n = 64, .k = 8'000'000, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
  for (const GemmTiling& each :
       schedules::gemm_candidates(load_profile("hopper"), long_k, {}, {}, schedules::GemmLibrary::deep_gemm))
    CHECK_FALSE(each.promote);  // whatever else multiplies it
}

TEST_CASE("DeepGEMM's kernels are wgmma's, however small the product and whatever of a cluster is asked for") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem tiny{.m = 64, .n = 16, .k = 512, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
  const GemmProblem square{.m = 256, .n = 256, .k = 512, .dtype = DType::fp8, .layout = schedules::GemmLayout::nt};
  const auto found = [&](const GemmProblem& problem, const schedules::GemmRequest& request) {
    return schedules::gemm_candidates(hopper, problem, request, {}, schedules::GemmLibrary::deep_gemm);
  };
  for (const auto& list : {found(tiny, {}), found(square, {.cluster = schedules::GemmShape{1, 1}}),
                           found(square, {.cluster = schedules::GemmShape{2, 1}, .multicast = false})}) {
    CHECK_FALSE(list.empty());
    CHECK_FALSE(any_of(list, [](const GemmTiling& each) { return each.variant != GemmVariant::wgmma; }));
  }
}

TEST_CASE("three warp groups share a tile of 192 rows that is given, whoever's library it is") {
  for (const auto library : {schedules::GemmLibrary::recent, schedules::GemmLibrary::cublas_12_1}) {
    const auto found = schedules::gemm_candidates(load_profile("hopper"), {.m = 768, .n = 768, .k = 256}, {},
                                                  schedules::GemmTile{192, 192, 64}, library);
    CHECK_FALSE(found.empty());
    CHECK_FALSE(any_of(found, [](const GemmTiling& each) { return each.consumers != 3; }));
  }
}

TEST_CASE("cuBLAS on Ada multiplies few rows by CTAs of one warp, where k is neither short nor cut") {
  const Profile ada = load_profile("ada");
  const auto found = [&](std::int64_t m, std::int64_t k) {
    const GemmProblem problem{.m = m, .n = 1024, .k = k, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt};
    return schedules::gemm_candidates(ada, problem, {}, {}, schedules::GemmLibrary::cublas_12_ada);
  };
  const auto one = found(16, 2048);
  REQUIRE(one.size() == 1);
  CHECK(one[0].tile == schedules::GemmTile{16, 16, 128});
  CHECK(one[0].stages == 1);
  CHECK_FALSE(one[0].ldmatrix);
  for (const auto& [m, k] : {std::pair{1, 2048}, std::pair{17, 2048}, std::pair{16, 256}, std::pair{16, 4096}})
    CHECK(found(m, k).size() > 8);
}

TEST_CASE("of a short k cuBLAS 12 takes large tiles, where they leave two waves") {
  const auto smallest = [](const char* gpu, const schedules::GemmProblem& problem, schedules::GemmLibrary library) {
    const auto found = schedules::gemm_candidates(load_profile(gpu), problem, {}, {}, library);
    const auto area = [](const GemmTiling& each) { return each.tile.m * each.tile.n; };
    const auto smaller = [&](const GemmTiling& a, const GemmTiling& b) { return area(a) < area(b); };
    return area(*std::min_element(found.begin(), found.end(), smaller));
  };
  constexpr int large = 128 * 256;
  constexpr auto chosen = schedules::GemmLibrary::cublas_12;
  const schedules::GemmProblem shallow{
      .m = 2048, .n = 8192, .k = 128, .dtype = DType::bf16, .layout = schedules::GemmLayout::nt};
  for (const char* const gpu : {"ampere", "hopper"}) {
    CHECK(smallest(gpu, shallow, chosen) >= large);
    CHECK(smallest(gpu, shallow, schedules::GemmLibrary::recent) < large);
    schedules::GemmProblem other = shallow;
    other.k = 192;
    CHECK(smallest(gpu, other, chosen) < large);
    other = shallow;
    other.m = 48;
    CHECK(smallest(gpu, other, chosen) < large);
    other = shallow;
    other.n = 2048;  // 64 tiles
    CHECK(smallest(gpu, other, chosen) < large);
    other.batch = 8;
    CHECK(smallest(gpu, other, chosen) >= large);
    other = shallow;
    other.dtype = DType::int8;
    other.accumulate = DType::int32;
    CHECK(smallest(gpu, other, chosen) < large);
  }
  CHECK(smallest("ada", shallow, schedules::GemmLibrary::cublas_12_ada) >= large);
  const auto given =
      schedules::gemm_candidates(load_profile("ampere"), shallow, {}, schedules::GemmTile{64, 64, 64}, chosen);
  CHECK_FALSE(given.empty());
}

TEST_CASE("where Ada's library has CTAs of one warp, GPUs without cp.async or with wgmma have none") {
  const GemmProblem few{.m = 16, .n = 1024, .k = 2048, .layout = schedules::GemmLayout::nt};
  for (const char* const name : {"volta", "turing", "hopper"}) {
    const auto found =
        schedules::gemm_candidates(load_profile(name), few, {}, {}, schedules::GemmLibrary::cublas_12_ada);
    CHECK_FALSE(found.empty());
    CHECK_FALSE(any_of(found, [](const GemmTiling& each) { return each.tile == schedules::GemmTile{16, 16, 128}; }));
  }
}

TEST_CASE("a tile that is given is taken, whoever's library it is not") {
  const Profile hopper = load_profile("hopper");
  for (std::size_t i = 0; i < names_of(schedules::GemmLibrary{}).size(); ++i)
    for (const GemmTiling& each : schedules::gemm_candidates(hopper, small, {}, schedules::GemmTile{64, 96, 0},
                                                             static_cast<schedules::GemmLibrary>(i)))
      CHECK(each.tile.n == 96);
}

TEST_CASE("where wgmma cannot read an operand as it lies, warps multiply") {
  GemmProblem across = small;
  across.dtype = DType::tf32;
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

}  // namespace gpusim::gemm_candidates_test
