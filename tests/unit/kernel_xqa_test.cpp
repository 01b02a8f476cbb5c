// XQA: what it means, what its roles' warps execute and load, how it is launched, what is refused.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/decode_cases.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_xqa_test {

using namespace gpusim::schedules;
using testing::of_warp;
using testing::refused;
using testing::wrong;

namespace {

constexpr AttentionVariant xqa = AttentionVariant::xqa;

AttentionTiling tiling(int tile_m, int tile_n, std::int64_t splits = 1) {
  AttentionTiling made{.variant = xqa, .tile_m = tile_m, .tile_n = tile_n, .pack_gqa = true};
  made.splits = splits;
  return made;
}

AttentionProblem decode(std::int64_t group, std::int64_t keys, int head_dim, std::int64_t batch = 1) {
  return {.batch = batch, .heads = 2 * group, .kv_heads = 2, .queries = 1, .keys = keys, .head_dim = head_dim};
}

std::int64_t copies(const std::vector<Statement>& body, BufferId buffer) {
  std::int64_t sum = 0;
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      sum += copies(loop->body, buffer);
      continue;
    }
    const auto& operation = std::get<Operation>(statement);
    const auto* copy = std::get_if<CopyAsync>(&operation.action);
    if (copy != nullptr && copy->from.buffer == buffer) sum += operation.count;
  }
  return sum;
}

}  // namespace

TEST_CASE("heads that share keys are rows of one tile: the output is each one's softmax(q K^T / sqrt(d)) V") {
  for (const int head_dim : {64, 128, 192, 256})
    for (const int tile_n : {32, 64})
      for (const std::int64_t keys : {1, 9, 64, 65, 300, 700}) {
        CAPTURE(head_dim);
        CAPTURE(tile_n);
        CAPTURE(keys);
        CHECK(wrong(decode(3, keys, head_dim), tiling(16, tile_n)) == 0);
      }
  AttentionProblem wide = decode(32, 100, 128, 2);
  wide.dtype = DType::bf16;
  CHECK(wrong(wide, tiling(32, 64)) == 0);
}

TEST_CASE("CTAs take a sequence's blocks of 256 keys in turn, and some may have none") {
  for (const std::int64_t splits : {2, 3, 5}) {
    CAPTURE(splits);
    CHECK(attention_kernels(decode(4, 700, 128), tiling(16, 64, splits)).size() == 2);
    CHECK(wrong(decode(4, 700, 128, 2), tiling(16, 64, splits)) == 0);
    CHECK(wrong(decode(4, 700, 64), tiling(16, 32, splits)) == 0);
  }
}

TEST_CASE("a warp copies its own keys, or a piece of a head's values, 16 bytes a lane") {
  const Schedule schedule = attention(decode(8, 1024, 128), tiling(16, 64));
  REQUIRE(schedule.roles.size() == 2);
  CHECK(schedule.roles[0].warps == 4);
  CHECK(schedule.roles[1].warps == 4);
  // 64 keys x 64 elements x 2 bytes, 512 bytes an instruction: one piece before the loop, two a trip, of a block each.
  constexpr std::int64_t piece = 64 * 64 * 2 / 512;
  CHECK(copies(schedule.roles[0].program.body, BufferId(1)) == 3 * piece);
  // Two groups of warps have two runs of 64 keys each: 64 elements of every value.
  CHECK(copies(schedule.roles[1].program.body, BufferId(2)) == 3 * piece);
  CHECK(copies(schedule.roles[0].program.body, BufferId(2)) == 0);
}

TEST_CASE("a warp executes as many instructions as the compiled kernel's, with keys and without") {
  const auto instructions = [](std::size_t role, std::int64_t warp) {
    return instruction_count(attention(decode(4, 5, 128), tiling(16, 64)).roles[role].program, of_warp(warp));
  };
  // mha.cu for sm_80, added up along the way of a warp of a sequence of 5 keys: only the first of the scores' warps,
  // and the first two of the values', have any.
  CHECK(instructions(0, 0) == doctest::Approx(1564).epsilon(0.05));
  CHECK(instructions(0, 1) == doctest::Approx(423).epsilon(0.05));
  CHECK(instructions(1, 4) == doctest::Approx(1283).epsilon(0.05));
  CHECK(instructions(1, 6) == doctest::Approx(712).epsilon(0.05));
}

TEST_CASE("one CTA an SM: with pieces of 64 more than half of what an A100 has, with 32 of what an L40S has") {
  for (const int head_dim : {64, 128, 256}) {
    CAPTURE(head_dim);
    CHECK(occupancy(attention(decode(8, 1024, head_dim), tiling(16, 64)), load_profile("a100-sxm-80gb")).ctas == 1);
    CHECK(occupancy(attention(decode(8, 1024, head_dim), tiling(16, 32)), load_profile("l40s")).ctas == 1);
  }
  CHECK(!check(attention(decode(8, 1024, 128), tiling(16, 64)), load_profile("l40s")).empty());
}

TEST_CASE("a GPU with cp.async has what it takes, whether or not it has a tensor memory accelerator") {
  for (const char* const name : {"a100-sxm-80gb", "l40s", "h100-sxm"}) {
    CAPTURE(name);
    const Gpu gpu(load_profile(name));
    const AttentionTiling made = choose_attention(gpu.profile(), decode(8, 600, 128), {.variant = xqa});
    CHECK(gpu.run(attention(decode(8, 600, 128), made)).kernels[0].cycles > Cycles(0));
  }
  CHECK_FALSE(check(attention(decode(8, 600, 128), tiling(16, 64)), load_profile("t4")).empty());
}

TEST_CASE("splits: a CTA for 128 keys, about their root where these are many, eight waves at most") {
  const Profile a100 = load_profile("a100-sxm-80gb");  // 108 SMs
  const auto splits = [&](std::int64_t batch, std::int64_t cached) {
    AttentionProblem problem = decode(8, cached + 1, 128, batch);
    return choose_attention(a100, problem, {.variant = xqa}).splits;
  };
  CHECK(splits(1, 127) == 1);
  CHECK(splits(1, 512) == 4);
  CHECK(splits(1, 1024) == 8);
  CHECK(splits(1, 32768) == 45);  // the root of 8 * 256, rounded
  CHECK(splits(54, 1024) == 8);   // 54 x 2 x 8 CTAs are eight waves
  CHECK(splits(108, 1024) == 4);
  CHECK(choose_attention(a100, decode(17, 100, 128), {.variant = xqa}).tile_m == 32);
}

TEST_CASE("a problem or tiling it has no meaning for is refused") {
  const auto places = [](const AttentionProblem& problem, const AttentionTiling& made) {
    return refused([&] { return attention(problem, made); });
  };
  AttentionProblem many = decode(8, 100, 128);
  many.queries = 2;
  CHECK(places(many, tiling(16, 64)) == std::vector<std::string>{"queries"});
  CHECK(places(decode(8, 100, 32), tiling(16, 64)) == std::vector<std::string>{"head_dim"});
  CHECK(places(decode(17, 100, 128), tiling(16, 64)) == std::vector<std::string>{"heads"});
  CHECK(places(decode(8, 300, 128), tiling(16, 64, 3)).empty());
  CHECK(places(decode(8, 300, 128), tiling(16, 64, 4)) == std::vector<std::string>{"splits"});
  AttentionTiling made = tiling(64, 128);
  made.warps = 8;
  made.stages = 3;
  made.overlap = false;
  made.pack_gqa = false;
  made.heavy_first = true;
  CHECK(places(decode(8, 100, 128), made) ==
        std::vector<std::string>{"tile_m", "tile_n", "warps", "stages", "overlap", "pack_gqa", "heavy_first"});
}

TEST_CASE("each choice makes another program") {
  const auto listing = [](const AttentionTiling& made) {
    const Schedule schedule = attention(decode(8, 600, 128), made);
    return to_string(schedule.roles[0].program) + to_string(schedule.roles[1].program);
  };
  CHECK(listing(tiling(16, 64)) != listing(tiling(32, 64)));
  CHECK(listing(tiling(16, 64)) != listing(tiling(16, 32)));
  CHECK(listing(tiling(16, 64)) != listing(tiling(16, 64, 2)));
}

}  // namespace gpusim::kernel_xqa_test
