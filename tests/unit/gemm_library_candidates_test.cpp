// An automatic choice that does what one library does.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gpusim/profile_io.h"
#include "support/tilings.h"

namespace gpusim::gemm_library_candidates_test {

using schedules::GemmLayout;
using schedules::GemmProblem;
using schedules::GemmTiling;
using schedules::GemmVariant;
using testing::any_of;
using testing::small;

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

TEST_CASE("vLLM's and DeepGEMM's kernels are there whatever way out is asked for") {
  const Profile hopper = load_profile("hopper");
  GemmProblem problem{.m = 1024, .n = 2048, .k = 1024, .dtype = DType::fp8, .result = DType::bf16};
  problem.layout = schedules::GemmLayout::nt;
  for (const auto library : {schedules::GemmLibrary::vllm_fp8, schedules::GemmLibrary::deep_gemm})
    for (const schedules::Epilogue epilogue : {schedules::Epilogue::direct, schedules::Epilogue::tma}) {
      const auto found = schedules::gemm_candidates(hopper, problem, {.epilogue = epilogue}, {}, library);
      REQUIRE_FALSE(found.empty());
      for (const GemmTiling& each : found) {
        CHECK(each.variant == GemmVariant::wgmma);
        CHECK(each.epilogue == epilogue);
        CHECK(each.stmatrix == (epilogue == schedules::Epilogue::tma));
      }
    }
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
  for (const auto& [m, k] : {std::pair{1, 2048}, std::pair{17, 2048}, std::pair{16, 256}, std::pair{16, 4096}}) {
    const auto others = found(m, k);
    CHECK(others.size() > 8);
    CHECK_FALSE(any_of(others, [](const GemmTiling& each) { return each.variant != GemmVariant::async; }));
  }
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

TEST_CASE("int8 of cuBLAS 12 has no wgmma on Hopper unless it is asked for") {
  const Profile hopper = load_profile("hopper");
  const GemmProblem in_int8{.m = 4096,
                            .n = 4096,
                            .k = 4096,
                            .dtype = DType::int8,
                            .accumulate = DType::int32,
                            .layout = schedules::GemmLayout::nt};
  const auto found = [&](schedules::GemmLibrary library, const schedules::GemmRequest& request = {}) {
    return schedules::gemm_candidates(hopper, in_int8, request, {}, library);
  };
  const auto by_groups = [](const GemmTiling& each) { return each.variant == GemmVariant::wgmma; };
  constexpr auto cublas = schedules::GemmLibrary::cublas_12;
  CHECK_FALSE(found(cublas).empty());
  CHECK_FALSE(any_of(found(cublas), by_groups));
  CHECK(any_of(found(schedules::GemmLibrary::recent), by_groups));
  const auto asked = found(cublas, {.variant = GemmVariant::wgmma});
  CHECK_FALSE(asked.empty());
  CHECK(std::all_of(asked.begin(), asked.end(), by_groups));
}

TEST_CASE("int8 of cuBLAS 12 on Hopper is one of four kernels, k in one piece") {
  const GemmProblem few_tiles{
      .m = 384, .n = 384, .k = 8192, .dtype = DType::int8, .accumulate = DType::int32, .layout = GemmLayout::nt};
  const auto found = [&](const char* gpu, const schedules::GemmRequest& request,
                         const std::optional<schedules::GemmTile>& tile = std::nullopt,
                         schedules::GemmLibrary library = schedules::GemmLibrary::cublas_12) {
    return schedules::gemm_candidates(load_profile(gpu), few_tiles, request, tile, library);
  };
  const auto kernels = [](const std::vector<GemmTiling>& tilings) {
    std::set<std::array<int, 4>> sides_and_stages;
    for (const GemmTiling& each : tilings) {
      CHECK(each.split_k == 1);
      sides_and_stages.insert({each.tile.m, each.tile.n, each.tile.k, each.stages});
    }
    return sides_and_stages;
  };
  const std::set<std::array<int, 4>> named{{64, 64, 128, 6}, {64, 128, 128, 3}, {128, 128, 128, 5}, {256, 128, 128, 3}};
  CHECK(kernels(found("hopper", {})) == named);
  CHECK(kernels(found("hopper", {}, std::nullopt, schedules::GemmLibrary::cublas_12_ada)) == named);
  CHECK(any_of(found("ampere", {}), [](const GemmTiling& each) { return each.split_k > 1; }));

  const auto in_slices = found("hopper", {.split_k = 4});
  CHECK_FALSE(in_slices.empty());
  CHECK(std::all_of(in_slices.begin(), in_slices.end(), [](const GemmTiling& each) { return each.split_k == 4; }));
  CHECK_FALSE(found("hopper", {}, schedules::GemmTile{128, 64, 64}).empty());
}

TEST_CASE("tf32 with wgmma has cuBLAS 12.1's tiles in later ones, too") {
  using schedules::GemmLibrary;
  const Profile hopper = load_profile("hopper");
  const auto found = [&](DType dtype, GemmLibrary library) {
    const GemmProblem problem{.m = 3000, .n = 3000, .k = 1024, .dtype = dtype, .layout = GemmLayout::nt};
    return schedules::gemm_candidates(hopper, problem, {}, {}, library);
  };
  const auto sides = [](const std::vector<GemmTiling>& tilings) {
    std::set<std::array<int, 3>> sides_and_groups;
    for (const GemmTiling& each : tilings) sides_and_groups.insert({each.tile.m, each.tile.n, each.consumers});
    return sides_and_groups;
  };
  const auto older = sides(found(DType::tf32, GemmLibrary::cublas_12_1));
  CHECK(older.contains({128, 128, 1}));
  for (const GemmLibrary library : {GemmLibrary::recent, GemmLibrary::cublas_12}) {
    const auto tilings = found(DType::tf32, library);
    for (const GemmTiling& each : tilings) {
      CHECK(each.variant == GemmVariant::wgmma);
      CHECK((each.ctas > 0) == (each.split_k == 1));
      CHECK(each.pingpong == (each.consumers == 1 && each.split_k == 1));
    }
    CHECK(sides(tilings) == older);
  }
  CHECK(sides(found(DType::bf16, GemmLibrary::recent)).contains({128, 144, 1}));
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

}  // namespace gpusim::gemm_library_candidates_test
