// Masked multi-head attention: what it means, what its warps execute and load, how it is launched, what is refused.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/decode_cases.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_mmha_test {

using namespace gpusim::schedules;
using testing::of_warp;
using testing::refused;
using testing::wrong;

namespace {

constexpr AttentionVariant mmha = AttentionVariant::mmha;

AttentionTiling tiling(int warps, int tile_n, std::int64_t splits = 1) {
  AttentionTiling made{.variant = mmha, .tile_m = 1, .tile_n = tile_n, .warps = warps};
  made.splits = splits;
  return made;
}

AttentionProblem decode(std::int64_t heads, std::int64_t keys, int head_dim) {
  return {.batch = 1, .heads = heads, .queries = 1, .keys = keys, .head_dim = head_dim};
}

/// Instructions of the actions of a type, of a warp of the first CTA: loops expanded, what is guarded against left out.
template <typename Wanted>
std::int64_t count(const std::vector<Statement>& body, Coordinates at, const BufferId* buffer = nullptr) {
  std::int64_t sum = 0;
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement)) {
      for (std::int64_t trip = 0; trip < loop->trips; ++trip) {
        at[static_cast<std::size_t>(Coordinate::loop0)] = trip;
        sum += count<Wanted>(loop->body, at, buffer);
      }
      continue;
    }
    const auto& operation = std::get<Operation>(statement);
    if (!std::holds_alternative<Wanted>(operation.action)) continue;
    if (operation.guard && operation.guard->value(at) >= operation.guard->limit) continue;
    if constexpr (std::is_same_v<Wanted, LoadGlobal>)
      if (buffer != nullptr && std::get<LoadGlobal>(operation.action).from.buffer != *buffer) continue;
    sum += operation.count;
  }
  return sum;
}

}  // namespace

TEST_CASE("the output is softmax(q K^T / sqrt(d)) V, whatever is left of the last trips") {
  for (const std::int64_t keys : {2, 9, 64, 65, 200}) {
    CAPTURE(keys);
    CHECK(wrong(decode(2, keys, 128), tiling(8, 64)) == 0);
  }
  CHECK(wrong(decode(1, 40, 32), tiling(4, 128)) == 0);
  CHECK(wrong(decode(1, 300, 64), tiling(8, 128)) == 0);
  CHECK(wrong(decode(1, 300, 96), tiling(2, 16)) == 0);
  CHECK(wrong(decode(1, 100, 192), tiling(8, 32)) == 0);
  CHECK(wrong(decode(1, 100, 256), tiling(1, 1)) == 0);
  AttentionProblem shared = decode(4, 70, 128);
  shared.batch = 2;
  shared.kv_heads = 2;
  shared.dtype = DType::bf16;
  CHECK(wrong(shared, tiling(16, 128)) == 0);
}

TEST_CASE("CTAs that share a sequence's keys leave parts that a second kernel combines") {
  AttentionProblem problem = decode(4, 100, 128);
  problem.batch = 2;
  problem.kv_heads = 2;
  for (const std::int64_t splits : {2, 3, 7}) {
    CAPTURE(splits);
    CHECK(attention_kernels(problem, tiling(8, 64, splits)).size() == 2);
    CHECK(wrong(problem, tiling(8, 64, splits)) == 0);
  }
}

TEST_CASE("a warp loads a page's place and 16 bytes a lane for each run of keys and of values") {
  // 256 threads, 16 lanes a key of 128 elements: 2 keys a warp, 16 a CTA. 512 cached keys are 32 runs, the new token's
  // own row comes beside them: the first warp's key, twice (it waits in shared memory), one warp's value.
  const Schedule schedule = attention(decode(1, 513, 128), tiling(8, 64));
  const Program& program = schedule.roles.front().program;
  const BufferId keys{1};
  const BufferId values{2};
  CHECK(count<LoadGlobal>(program.body, of_warp(1), &keys) == 512 / 16);
  CHECK(count<LoadGlobal>(program.body, of_warp(0), &keys) == 512 / 16 + 2);
  CHECK(count<LoadGlobal>(program.body, of_warp(1), &values) == 512 / 16);
  CHECK(count<LoadGlobal>(program.body, of_warp(1)) == 1 + 2 * 2 * (512 / 16));  // the length, pages, rows
}

TEST_CASE("warps without a key or a value leave them out, not the barriers") {
  // 8 cached keys: those of the first four warps, two each.
  const Schedule schedule = attention(decode(1, 9, 128), tiling(8, 64));
  const Program& program = schedule.roles.front().program;
  const BufferId keys{1};
  CHECK(count<LoadGlobal>(program.body, of_warp(3), &keys) == 4);
  CHECK(count<LoadGlobal>(program.body, of_warp(4), &keys) == 0);
  // Turning 3; query, maximum, sum and weights 4; values 2; a tree of 16 groups 4 x 2.
  for (const std::int64_t warp : {0, 7}) CHECK(count<CtaBarrier>(program.body, of_warp(warp)) == 3 + 4 + 2 + 4 * 2);
}

TEST_CASE("four keys a lane take 296 instructions, eight values 338, as the compiled kernel does") {
  const auto instructions = [](std::int64_t keys) {
    return instruction_count(attention(decode(1, keys, 128), tiling(8, 64)).roles.front().program, of_warp(1));
  };
  // 256 more keys: four trips of keys, two of values; and one of scores, a thread's, which is some 20 instructions.
  CHECK(instructions(1025) - instructions(769) == doctest::Approx(4 * 296 + 2 * 338).epsilon(0.02));
}

TEST_CASE("memory gives keys and values once, and takes the new ones") {
  const Gpu gpu(load_profile("ampere"));
  AttentionProblem problem = decode(8, 1025, 128);
  problem.batch = 16;
  const Result result = gpu.run(attention(problem, tiling(8, 64)));
  constexpr std::int64_t head_bytes = std::int64_t{128} * 2;
  constexpr std::int64_t cache_bytes = std::int64_t{2} * 16 * 8 * 1025 * head_bytes;
  CHECK(result.kernels[0].traffic.dram_read_bytes > cache_bytes);
  CHECK(result.kernels[0].traffic.dram_read_bytes < cache_bytes + cache_bytes / 50);
}

TEST_CASE("heads of the next power of 2 share the keys' lanes out, so 192 elements take as long as 256") {
  const auto lanes = [](int head_dim) {
    return instruction_count(attention(decode(1, 257, head_dim), tiling(8, 32)).roles.front().program, of_warp(1));
  };
  CHECK(lanes(192) == lanes(256));
}

TEST_CASE("CTAs grow where there are few heads, and share a sequence where there are fewer than SMs") {
  const Profile a100 = load_profile("a100-sxm-80gb");  // 108 SMs, 4 CTAs of 256 threads each
  const auto choice = [&](std::int64_t heads, std::int64_t keys) {
    return choose_attention(a100, decode(heads, keys, 128), {.variant = mmha});
  };
  CHECK(choice(432, 1025).warps == 8);
  CHECK(choice(216, 1025).warps == 16);
  CHECK(choice(108, 1025).warps == 32);
  CHECK(choice(108, 1025).splits == 1);
  CHECK(choice(64, 1025).splits == 2);  // 108 / 64, rounded up
  CHECK(choice(16, 1025).splits == 3);  // not 7: 1024 threads load 512 keys, eight each
  // Scores that do not fit: 6 bytes a key.
  CHECK(choice(432, 32769).splits == 2);
  const Profile l40s = load_profile("l40s");
  // By that rule 27,000 keys fit, but not with what their last trip is rounded up by.
  AttentionProblem rounded = decode(4, 27000, 32);
  rounded.batch = 27;
  CHECK(choose_attention(load_profile("ampere"), rounded, {.variant = mmha}).splits == 2);
  AttentionProblem long_one = decode(128, 32769, 256);
  CHECK(choose_attention(l40s, long_one, {.variant = mmha}).splits == 2);
  // Scores that fit in no way: choosing comes to an end.
  Profile tiny = a100;
  tiny.shared.per_cta = Bytes(600);
  CHECK_THROWS_AS((void)choose_attention(tiny, decode(8, 10001, 128), {.variant = mmha}), ScheduleError);
}

TEST_CASE("a problem or tiling it has no meaning for is refused") {
  const AttentionProblem problem = decode(2, 65, 128);
  const auto places = [&](AttentionProblem of, const AttentionTiling& made) {
    return refused([&] { return attention(of, made); });
  };
  AttentionProblem many = problem;
  many.queries = 2;
  CHECK(places(many, tiling(8, 64)) == std::vector<std::string>{"queries"});
  CHECK(places(decode(2, 1, 128), tiling(8, 64)) == std::vector<std::string>{"keys"});
  AttentionTiling made = tiling(8, 64);
  made.tile_m = 64;
  made.stages = 3;
  made.overlap = false;
  made.pack_gqa = true;
  made.heavy_first = true;
  CHECK(places(problem, made) == std::vector<std::string>{"tile_m", "stages", "overlap", "pack_gqa", "heavy_first"});
  CHECK(places(problem, tiling(6, 64)) == std::vector<std::string>{"warps"});
  CHECK(places(problem, tiling(8, 24)) == std::vector<std::string>{"tile_n"});
  CHECK(places(problem, tiling(8, 64, 40)) == std::vector<std::string>{"splits"});
}

TEST_CASE("keys a tile that all warps do not load together are refused where the rest is chosen") {
  for (const int keys : {1, 24, 32})
    CHECK_THROWS_AS(
        (void)choose_attention(load_profile("h100-sxm"), decode(2, 512, 128), {.variant = mmha, .tile_n = keys}),
        ScheduleError);
}

TEST_CASE("nothing is chosen for a problem that makes no sense") {
  const Profile a100 = load_profile("a100-sxm-80gb");
  const auto places = [&](const AttentionProblem& of, const AttentionRequest& request) {
    return refused([&] { return choose_attention(a100, of, request); });
  };
  AttentionProblem none = decode(0, 65, 128);
  none.batch = 0;
  none.dtype = DType::int4;
  for (const AttentionVariant variant : {mmha, AttentionVariant::xqa, AttentionVariant::flash2})
    CHECK(places(none, {.variant = variant}) == std::vector<std::string>{"batch", "heads", "dtype", "kv_heads"});
  CHECK(places(decode(2, 65, 0), {.variant = mmha}) == std::vector<std::string>{"head_dim"});
  CHECK(places(decode(2, 65, 128), {.variant = mmha, .warps = 0}) == std::vector<std::string>{"warps"});
  AttentionProblem by_default{.queries = 1};  // one key, the query's own
  CHECK(places(by_default, {.variant = mmha}) == std::vector<std::string>{"keys"});
}

TEST_CASE("each choice makes another program") {
  const AttentionProblem problem = decode(2, 257, 128);
  const auto listing = [&](const AttentionTiling& made) {
    return to_string(attention(problem, made).roles.front().program);
  };
  CHECK(listing(tiling(8, 64)) != listing(tiling(16, 64)));
  CHECK(listing(tiling(8, 64)) != listing(tiling(8, 32)));
  CHECK(listing(tiling(8, 64)) != listing(tiling(8, 64, 2)));
}

}  // namespace gpusim::kernel_mmha_test
