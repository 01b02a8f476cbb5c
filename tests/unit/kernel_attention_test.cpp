// Fused attention: what it means, what it moves and multiplies, what is refused.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpusim/functional_kernels.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_attention_test {

using namespace gpusim::schedules;
using testing::refused;

namespace {

std::int64_t wrong(const AttentionProblem& problem, const AttentionTiling& tiling) {
  return functional::check_attention(attention_kernels(problem, tiling), problem).wrong;
}

bool contains(const std::vector<std::string>& places, const std::string& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

constexpr AttentionTiling small_flash2{.tile_m = 64, .tile_n = 32};
constexpr AttentionTiling in_turn{.variant = AttentionVariant::flash3, .tile_m = 64, .tile_n = 64, .overlap = false};
constexpr AttentionTiling small_flash3{.variant = AttentionVariant::flash3, .tile_m = 128, .tile_n = 64};

}  // namespace

TEST_CASE("attention is softmax(Q K^T / sqrt(d)) V, whatever is left of the last tiles") {
  for (const AttentionTiling& tiling : {small_flash2, small_flash3, in_turn}) {
    CAPTURE(static_cast<int>(tiling.variant));
    CHECK(wrong({.batch = 2, .heads = 2, .queries = 128, .head_dim = 64}, tiling) == 0);
    CHECK(wrong({.heads = 1, .queries = 100, .keys = 150, .head_dim = 32}, tiling) == 0);
    CHECK(wrong({.heads = 4, .kv_heads = 2, .queries = 70, .head_dim = 64}, tiling) == 0);
  }
}

TEST_CASE("a causal query sees the keys up to its own place") {
  for (AttentionTiling tiling : {small_flash2, small_flash3, in_turn})
    for (const bool heavy_first : {false, true}) {
      tiling.heavy_first = heavy_first;
      CAPTURE(static_cast<int>(tiling.variant));
      CAPTURE(heavy_first);
      CHECK(wrong({.heads = 2, .queries = 256, .head_dim = 32, .causal = true}, tiling) == 0);
      CHECK(wrong({.heads = 1, .queries = 200, .head_dim = 64, .causal = true}, tiling) == 0);
      CHECK(wrong({.heads = 1, .queries = 64, .keys = 192, .head_dim = 64, .causal = true}, tiling) == 0);
    }
}

TEST_CASE("causal blocks of more keys than rows end where their last row's keys do") {
  const AttentionTiling wide{.tile_m = 32, .tile_n = 64, .warps = 2};
  CHECK(wrong({.heads = 2, .queries = 256, .head_dim = 32, .causal = true}, wide) == 0);
  CHECK(wrong({.heads = 1, .queries = 90, .keys = 154, .head_dim = 64, .causal = true}, wide) == 0);
}

TEST_CASE("one query a sequence: heads share keys, CTAs share a sequence") {
  AttentionTiling tiling{.tile_m = 16, .tile_n = 32, .warps = 1, .pack_gqa = true};
  const AttentionProblem problem{
      .batch = 2, .heads = 8, .kv_heads = 2, .queries = 1, .keys = 200, .head_dim = 64, .causal = true};
  CHECK(wrong(problem, tiling) == 0);
  tiling.splits = 3;
  CHECK(attention_kernels(problem, tiling).size() == 2);
  CHECK(wrong(problem, tiling) == 0);
  tiling.pack_gqa = false;
  CHECK(wrong(problem, tiling) == 0);
}

TEST_CASE("the work is a product with K and one with V for each pair of a query and a key it sees") {
  const AttentionProblem all{.batch = 2, .heads = 3, .queries = 128, .keys = 256, .head_dim = 64};
  CHECK(attention(all, small_flash2).work.flops == 4.0 * 2 * 3 * 128 * 256 * 64);
  AttentionProblem half = all;
  half.keys = 128;
  half.causal = true;
  CHECK(attention(half, small_flash2).work.flops == 4.0 * 2 * 3 * (128 * 129 / 2.0) * 64);
}

TEST_CASE("scores never leave the SM: memory gives Q, K and V and takes O") {
  const Gpu gpu(load_profile("ampere"));
  const AttentionProblem problem{.heads = 2, .queries = 512, .head_dim = 64};
  const Result result = gpu.run(attention(problem, small_flash2));
  constexpr std::int64_t matrix_bytes = std::int64_t{2} * 512 * 64 * 2;
  CHECK(result.kernels[0].traffic.dram_read_bytes == 3 * matrix_bytes);
}

TEST_CASE("the tiling chosen for a GPU runs there") {
  const AttentionProblem problem{.heads = 2, .queries = 256, .causal = true};
  CHECK(choose_attention(load_profile("hopper"), problem).variant == AttentionVariant::flash3);
  for (const char* const name : {"ampere", "ada", "hopper"}) {
    const Profile profile = load_profile(name);
    for (const int head_dim : {64, 128, 192, 256}) {
      CAPTURE(name);
      CAPTURE(head_dim);
      AttentionProblem each = problem;
      each.head_dim = head_dim;
      CHECK(check(attention(each, choose_attention(profile, each)), profile).empty());
    }
  }
}

TEST_CASE("splits are chosen of however many keys, and what a CTA cannot walk is refused") {
  const Profile ampere = load_profile("ampere");
  const AttentionProblem problem{.heads = 1, .queries = 1, .keys = 8'000'000};
  const AttentionTiling tiling = choose_attention(ampere, problem);
  CHECK(tiling.splits > 1);
  CHECK_THROWS_WITH_AS((void)choose_attention(ampere, problem, {.splits = 1}),
                       doctest::Contains("keys: 8000000 keys are 125000 blocks of 64 for a CTA, which has 65536 at "
                                         "most; 4194304 keys would do"),
                       ScheduleError);
}

TEST_CASE("of one query GPUs without cp.async take mmha, others flash2") {
  const AttentionProblem problem{.heads = 2, .queries = 1, .keys = 512};
  for (const char* const name : {"v100-sxm2", "t4"}) {
    const Profile profile = load_profile(name);
    const AttentionTiling tiling = choose_attention(profile, problem);
    CHECK(tiling.variant == AttentionVariant::mmha);
    CHECK_FALSE(tiling.pack_gqa);
    CHECK(check(attention(problem, tiling), profile).empty());
  }
  for (const char* const name : {"ampere", "hopper"})
    CHECK(choose_attention(load_profile(name), problem).variant == AttentionVariant::flash2);
}

TEST_CASE("what a GPU lacks is named") {
  const AttentionProblem problem{.heads = 2, .queries = 256};
  CHECK_THROWS_WITH_AS((void)choose_attention(load_profile("t4"), problem),
                       doctest::Contains("variant: flash2 needs asynchronous copies (cp.async)"), ScheduleError);
  CHECK(contains(
      refused([&] { return choose_attention(load_profile("ampere"), problem, {.variant = AttentionVariant::flash3}); }),
      "variant"));
}

TEST_CASE("what a variant or problem has no use for is refused, not ignored") {
  const AttentionProblem problem{.heads = 2, .queries = 256};
  const auto said = [&](const AttentionRequest& request) {
    return refused([&] { return choose_attention(load_profile("hopper"), problem, request); });
  };
  CHECK(contains(said({.warps = 8}), "warps"));
  CHECK(contains(said({.variant = AttentionVariant::flash2, .stages = 2}), "stages"));
  CHECK(contains(said({.variant = AttentionVariant::flash2, .overlap = true}), "overlap"));
  CHECK(contains(said({.heavy_first = true}), "heavy_first"));
}

TEST_CASE("mmha and xqa refuse what only flash3 has, even at its default") {
  const AttentionProblem problem{.heads = 2, .queries = 1, .keys = 1024};
  for (const AttentionVariant variant : {AttentionVariant::mmha, AttentionVariant::xqa}) {
    const auto said = [&](AttentionRequest request) {
      request.variant = variant;
      return refused([&] { return choose_attention(load_profile("hopper"), problem, request); });
    };
    CHECK(said({}).empty());
    CHECK(said({.stages = 2}) == std::vector<std::string>{"stages"});
    CHECK(said({.overlap = true}) == std::vector<std::string>{"overlap"});
    CHECK(said({.heavy_first = true}) == std::vector<std::string>{"heavy_first"});
  }
}

TEST_CASE("what no GPU can do is refused, all at once") {
  CHECK(refused([] { return attention({.heads = 3, .kv_heads = 2, .queries = 0, .head_dim = 40}); }) ==
        std::vector<std::string>{"queries", "head_dim", "kv_heads"});
  CHECK(refused([] { return attention({.queries = 64, .dtype = DType::fp32}); }) == std::vector<std::string>{"dtype"});
  CHECK(refused([] { return attention({.queries = 64}, {.tile_m = 96}); }) == std::vector<std::string>{"tile_m"});
  CHECK(refused([] { return attention({.queries = 64, .causal = true}, {.tile_n = 48}); }) ==
        std::vector<std::string>{"tile_n"});
  CHECK(refused([] { return attention({.queries = 64, .causal = true}, {.splits = 2}); }) ==
        std::vector<std::string>{"splits"});
}

}  // namespace gpusim::kernel_attention_test
