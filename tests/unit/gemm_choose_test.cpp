// What is chosen for a GPU, and what is refused.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/profile_io.h"
#include "support/gemm_facts.h"

namespace gpusim::gemm_choose_test {

using schedules::choose;
using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmTiling;
using schedules::GemmVariant;
using testing::refusal;

namespace {

constexpr GemmProblem cube{.m = 512, .n = 512, .k = 512};

}  // namespace

TEST_CASE("the best variant a GPU has is chosen") {
  const auto best = [](const char* gpu) { return choose(load_profile(gpu), cube).variant; };
  CHECK(best("volta") == GemmVariant::tensor);
  CHECK(best("turing") == GemmVariant::tensor);
  CHECK(best("ampere") == GemmVariant::async);
  CHECK(best("ada") == GemmVariant::async);
  CHECK(best("hopper") == GemmVariant::tma);
}

TEST_CASE("fp16 with fp32 accumulation where there are tensor cores for it, else fp32") {
  CHECK(schedules::default_dtypes(load_profile("volta")) == std::pair(DType::fp16, DType::fp32));
  CHECK(schedules::default_dtypes(load_profile("textbook-2023")) == std::pair(DType::fp32, DType::fp32));
}

TEST_CASE("the chosen tiling fits every built-in GPU, for every variant it has") {
  for (const ProfileName& gpu : list_profiles()) {
    const Profile profile = load_profile(gpu.name);
    const auto [input, accumulate] = schedules::default_dtypes(profile);
    const GemmProblem problem{.m = 4096, .n = 4096, .k = 4096, .dtype = input, .accumulate = accumulate};
    for (const GemmVariant variant : schedules::variants(profile, input, accumulate)) {
      const GemmTiling tiling = choose(profile, problem, {.variant = variant});
      CHECK(check(schedules::gemm(problem, tiling), profile).empty());
      CHECK(tiling.registers == schedules::estimate_registers(problem, tiling));
    }
  }
}

TEST_CASE(
    "wgmma has a producer warp and a consumer group for each 64 rows, two at most; one keeps a k tile in flight") {
  const GemmTiling large =
      choose(load_profile("hopper"), cube, {.tile = {128, 256, 64}, .variant = GemmVariant::wgmma});
  CHECK(large.specialize);
  CHECK(!large.double_buffer);
  CHECK(large.consumers == 2);
  CHECK(large.stages == 4);
  const GemmTiling small = choose(load_profile("hopper"), cube, {.tile = {64, 128, 64}, .variant = GemmVariant::wgmma});
  CHECK(small.consumers == 1);
  CHECK(small.double_buffer);
}

TEST_CASE("persistent: a CTA for each place on the GPU, in whole clusters, none without a tile") {
  const GemmRequest request{
      .tile = {128, 256, 64}, .variant = GemmVariant::wgmma, .cluster = schedules::GemmShape{2, 1}, .persistent = true};
  const Profile profile = load_profile("hopper");
  CHECK(choose(profile, {.m = 8192, .n = 8192, .k = 512}, request).ctas == profile.sm.count / 2 * 2);
  CHECK(choose(profile, {.m = 512, .n = 512, .k = 512}, request).ctas == 4 * 2);
  GemmRequest both = request;
  both.ctas = 4;
  CHECK(refusal("hopper", cube, both) == "persistent: how many CTAs there are is said already (ctas)");
}

TEST_CASE("a sparse A takes the GPU's sparse instruction, where it has one") {
  GemmProblem sparse = cube;
  sparse.sparse = true;
  CHECK(choose(load_profile("ampere"), sparse).instruction == MmaShape{16, 8, 32});
  CHECK(refusal("turing", sparse, {}) ==
        "sparse: this GPU has no 2:4 sparse tensor instruction for fp16 with fp32 accumulation");
}

TEST_CASE("naive and coalesced kernels are there to be asked for, a thread an element") {
  for (const auto variant : {GemmVariant::naive, GemmVariant::coalesced}) {
    const GemmTiling tiling = choose(load_profile("ada"), cube, {.variant = variant});
    CHECK(tiling.tile.m * tiling.tile.n == 1024);
  }
}

TEST_CASE("as many stages as shared memory holds, at most four") {
  const GemmRequest deep{.tile = {128, 128, 64}};  // 32 KiB a stage
  CHECK(choose(load_profile("ampere"), cube, deep).stages == 4);
  CHECK(choose(load_profile("ada"), cube, deep).stages == 3);
}

TEST_CASE("fragments of a whole k tile, unless smaller ones let another CTA share the SM's registers") {
  Profile profile = load_profile("hopper");
  const auto fragment_k = [&](GemmRequest request) {
    request.tile = {128, 128, 64};
    return choose(profile, cube, request).fragment_k;
  };
  const GemmRequest two_fit{.variant = GemmVariant::async, .stages = 3};  // into shared memory: 96 KiB each
  CHECK(fragment_k(two_fit) == 32);
  CHECK(fragment_k({.variant = GemmVariant::async, .stages = 4}) == 64);
  CHECK(fragment_k({.variant = GemmVariant::async, .stages = 3, .registers = 176}) == 64);
  CHECK(fragment_k({.variant = GemmVariant::tensor}) == 64);
  CHECK(fragment_k({.variant = GemmVariant::simt}) == 16 / 2);
  profile.sm.registers = Limited<std::int64_t>::unlimited();
  CHECK(fragment_k(two_fit) == 64);
}

TEST_CASE("what the user fixed is kept") {
  const GemmTiling tiling = choose(load_profile("hopper"), cube,
                                   {.tile = {64, 64, 32},
                                    .variant = GemmVariant::tma,
                                    .stages = 3,
                                    .specialize = true,
                                    .registers = 200,
                                    .fragment_k = 16});
  CHECK(tiling.stages == 3);
  CHECK(tiling.specialize);
  CHECK(tiling.registers == 200);
  CHECK(tiling.fragment_k == 16);
}

TEST_CASE("a tile that does not fit: says by how much, and what would") {
  CHECK(refusal("ada", cube, {.tile = {256, 128, 64}, .stages = 4}) ==
        "stages: a CTA needs 196608 bytes of shared memory; there are 101376; 2 stages would fit; a tile of "
        "256x128x32 with 4 stages would fit");
  CHECK(refusal("volta", cube, {.tile = {256, 256, 16}}).find("; a tile of 128x256x16 would fit") != std::string::npos);
}

TEST_CASE("the tile that would fit does with what else is fixed") {
  const GemmProblem problem{.m = 64, .n = 256, .k = 64, .dtype = DType::tf32, .layout = schedules::GemmLayout::nt};
  GemmRequest request{.tile = {64, 256, 128},
                      .variant = GemmVariant::tensor,
                      .fragment_k = 16,
                      .warp_tile = schedules::GemmShape{32, 32},
                      .prefetch = true,
                      .double_buffer = true};
  CHECK(refusal("ampere", problem, request).find("; a tile of 64x128x32 would fit") != std::string::npos);
  request.tile = {64, 128, 32};
  CHECK(refusal("ampere", problem, request) == "");
}

TEST_CASE("loads come in batches that an operand has: the nearest is named") {
  GemmRequest request{.tile = {64, 64, 32}, .variant = GemmVariant::tensor, .registers = 80, .load_batch = 20};
  CHECK(refusal("ampere", cube, request) ==
        "load_batch: 20 loads of an operand at a time: of a tile a lane has 1 of A and 1 of B; 1 would do");
  request.load_batch = 1;
  CHECK(refusal("ampere", cube, request) == "");
  request.tile = {128, 256, 32};
  request.registers.reset();
  request.load_batch = 3;
  CHECK(refusal("ampere", cube, request).find("has 2 of A and 4 of B; 2 would do") != std::string::npos);
  request.load_batch = 2;
  CHECK(refusal("ampere", cube, request) == "");
}

TEST_CASE("problems that have nothing to do with each other are told together") {
  const GemmProblem problem{.m = 200, .n = 64, .k = 16, .dtype = DType::fp32};
  GemmRequest request{.tile = {64, 64, 64}, .variant = GemmVariant::simt};
  request.split_k = 3;
  request.vector_a = 8;
  request.thread_tile = schedules::GemmShape{3, 5};
  CHECK(refusal("ampere", problem, request) ==
        "split_k: 1 k tile in 3 equal slices: 2 would be empty; 1 slice of 1 would do\n"
        "thread_tile: 64x64x64 is not shared by whole warps of threads of 3x5; sides that are multiples of 24 and 20 "
        "are\n"
        "vector_a: 8 elements at a time: rows allow 4, or a part of it");
}

TEST_CASE("a share of the tile that cannot be: the nearest that can, which is taken") {
  GemmRequest request{.variant = GemmVariant::async, .warp_tile = schedules::GemmShape{30, 16}};
  CHECK(refusal("ampere", cube, request) ==
        "warp_tile: a tile of 128x128x32 cannot be cut into pieces of 30x16; 32x16 would do");
  request.warp_tile = schedules::GemmShape{32, 16};
  CHECK(refusal("ampere", cube, request) == "");
  CHECK(refusal("ampere", cube, {.fragment_k = 5}).find("; 16 would do") != std::string::npos);
  CHECK(refusal("ampere", cube, {.fragment_k = 16}) == "");
}

TEST_CASE("rows that bulk stores cannot move: the nearest they can, which is taken") {
  const GemmProblem problem{
      .m = 256, .n = 256, .k = 128, .dtype = DType::bf16, .result = DType::fp8, .layout = schedules::GemmLayout::nt};
  GemmRequest request{.tile = {64, 24, 64}, .variant = GemmVariant::wgmma, .epilogue = schedules::Epilogue::tma};
  CHECK(refusal("hopper", problem, request) ==
        "tile.n: rows of C of 24 bytes are 8 short of a multiple of the 16 that bulk stores (epilogue tma) need; 32 "
        "would do");
  request.tile.n = 32;
  CHECK(refusal("hopper", problem, request) == "");
}

TEST_CASE("clusters that the GPU, or the walk, cannot have") {
  const GemmProblem large{.m = 4096, .n = 4096, .k = 128};
  GemmRequest request{.variant = GemmVariant::wgmma, .cluster = schedules::GemmShape{4, 8}};
  CHECK(refusal("hopper", large, request) ==
        "cluster: 4x8 are 32 CTAs; the GPU's clusters have at most 16; 4x4 would do");
  request.cluster = schedules::GemmShape{3, 7};
  CHECK(refusal("hopper", large, request) ==
        "cluster: 3x7 are 21 CTAs; the GPU's clusters have at most 16; 2x8 would do");
  // What is offered is taken: three CTAs share out no 32 rows in groups of eight, nor do seven.
  const GemmProblem uneven{.m = 384, .n = 896, .k = 128};
  CHECK(refusal("hopper", uneven, request).ends_with("; 1x1 would do"));
  request.tile = {128, 128, 64};
  request.cluster = schedules::GemmShape{32, 1};
  CHECK(refusal("hopper", {.m = 1000, .n = 1024, .k = 128}, request).ends_with("; 8x1 would do"));
  request.cluster = schedules::GemmShape{8, 1};
  CHECK(refusal("hopper", {.m = 1000, .n = 1024, .k = 128}, request) == "");
  request.tile = {};
  request.cluster = schedules::GemmShape{4, 4};
  CHECK(refusal("hopper", large, request) == "");
  CHECK(refusal("ampere", large, {.cluster = schedules::GemmShape{2, 1}}) ==
        "cluster: 2x1 are 2 CTAs; the GPU has no CTA clusters, which GPUs have from Hopper (sm_90) on; 1x1 would do");
  GemmRequest dealt{.variant = GemmVariant::tma, .specialize = true, .cluster = schedules::GemmShape{2, 1}, .ctas = 6};
  dealt.stream_k = true;
  CHECK(refusal("hopper", large, dealt).starts_with("stream_k: a cluster's CTAs walk side by side, "));
  dealt.cluster = schedules::GemmShape{1, 1};
  CHECK(refusal("hopper", large, dealt) == "");
}

TEST_CASE("what asks for persistent CTAs is what is refused") {
  const std::string needs = ": persistent tma needs a producer warp that goes on to the next tile: specialize";
  CHECK(refusal("hopper", cube, {.variant = GemmVariant::tma, .persistent = true}) == "persistent" + needs);
  CHECK(refusal("hopper", cube, {.variant = GemmVariant::tma, .ctas = 4}) == "ctas" + needs);
}

TEST_CASE("two stages of tensor need prefetch, on GPUs without cp.async too") {
  GemmRequest request{.variant = GemmVariant::tensor, .stages = 2};
  CHECK(refusal("volta", cube, request) ==
        "stages: tensor has one buffer in shared memory, with prefetch two, not 2; prefetch would do");
  request.prefetch = true;
  CHECK(refusal("volta", cube, request) == "");
}

TEST_CASE("sizes that are zero, negative or overflow are refused, all at once") {
  CHECK_THROWS_WITH_AS((void)schedules::gemm({.m = 0, .n = -3, .k = std::int64_t{1} << 40}, GemmTiling{}),
                       "m: it must be 1 to 2147483647, not 0\n"
                       "n: it must be 1 to 2147483647, not -3\n"
                       "k: it must be 1 to 2147483647, not 1099511627776",
                       ScheduleError);
  CHECK(refusal({.m = 2147483647, .n = 8, .k = 65536}, GemmTiling{}) ==
        "m: the 2147483647 x 65536 elements of A are more than 2^47 bytes");
}

TEST_CASE("the largest sizes make a schedule whose numbers have not overflowed") {
  const Schedule schedule = schedules::gemm({.m = 2147483647, .n = 16384, .k = 16384}, GemmTiling{});
  CHECK(schedule.grid_m == (2147483647LL + 127) / 128);
  CHECK(cta_count(schedule) == schedule.grid_m * 128);
  CHECK(size_of(schedule.buffers[0]).count() == 2147483647LL * 16384 * 2);
  CHECK(schedule.work.flops == 2.0 * 2147483647.0 * 16384.0 * 16384.0);
}

TEST_CASE("tilings that make no sense on any GPU are refused") {
  const auto wrong = [](const GemmTiling& tiling) { return refusal(cube, tiling); };
  CHECK(wrong({.tile = {100, 128, 32}}) ==
        "tile.m: 100 is not a multiple of the tensor instruction's 16; 96 is the nearest");
  CHECK(wrong({.tile = {2048, 128, 32}}) == "tile.m: it must be 1 to 1024, not 2048");
  CHECK(wrong({.variant = GemmVariant::tma, .stages = 1}) ==
        "stages: tma copies one tile while it multiplies another: 2 or more");
  CHECK(wrong({.variant = GemmVariant::async, .specialize = true}) ==
        "specialize: it means nothing to async; tma, wgmma have it");
  CHECK(wrong({.fragment_k = 24}) ==
        "fragment_k: 24 elements: it must divide the tile's k of 32 and be a multiple of the tensor instruction's 16; "
        "16 would do");
  CHECK(wrong({.tile = {5, 7, 8}, .variant = GemmVariant::simt}) ==
        "tile: 5x7x8 cannot be shared by warps of 32 lanes; sides that are multiples of 32 can");
  CHECK(refusal({.m = 9, .n = 9, .k = 9, .dtype = DType::tf32}, {.variant = GemmVariant::simt}) ==
        "dtype: simt multiplies fp32, fp16, bf16 and int8, not tf32");
}

}  // namespace gpusim::gemm_choose_test
