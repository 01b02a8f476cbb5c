// What TensorRT-LLM runs before its attention: its grid, and what it reads and writes.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/error.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/attention.h"

namespace gpusim::kernel_attention_prepare_test {

using namespace gpusim::schedules;

namespace {

constexpr AttentionProblem context{
    .batch = 2, .heads = 4, .kv_heads = 2, .queries = 64, .keys = 64, .head_dim = 128, .dtype = DType::bf16};

Traffic traffic_of(const Schedule& schedule) {
  return Gpu(load_profile("ampere")).run(schedule, {.exact = true}).kernels.front().traffic;
}

/// Query, key, value, and what the first two are turned with.
constexpr std::int64_t vector_bytes = 5 * context.head_dim * 2;
constexpr std::int64_t angle_bytes = context.head_dim / 2 * 8;  ///< of a place: a cosine and a sine for half a head

}  // namespace

TEST_CASE("CTAs along tokens are the fewest that fill whole waves of four an SM best") {
  AttentionProblem problem = context;
  problem.batch = 1;
  problem.heads = problem.kv_heads = 32;
  problem.queries = problem.keys = 4096;
  const Schedule schedule = prepare_attention(problem, false, 108);
  CHECK(schedule.grid_n == 32);
  CHECK(schedule.grid_m == 27);  // of 256 blocks of 16 tokens: 864 CTAs, two waves
  CHECK(schedule.roles.front().warps == 8);
  CHECK(prepare_attention(context, false, 108).grid_m == 8);  // one wave has room for all
}

TEST_CASE("each head of the queries reads keys and values anew, and the first of a group writes them") {
  const std::int64_t tokens = context.batch * context.queries;
  const Traffic traffic = traffic_of(prepare_attention(context, false, 108));
  // A token's sequence and place; its length and the new one, and two pages, once for the two tokens of a warp.
  constexpr std::int64_t looked_up = 8 + (4 + 4 + 4 + 4) / 2;
  CHECK(traffic.global_load_bytes == tokens * context.heads * (vector_bytes + angle_bytes + looked_up));
  CHECK(traffic.global_store_bytes == tokens * (context.heads + 2 * context.kv_heads) * context.head_dim * 2);
}

TEST_CASE("in decode a token is its sequence's only one, whose place need not be looked up") {
  AttentionProblem problem = context;
  problem.queries = 1;
  problem.keys = 1000;
  problem.batch = 48;
  // All sequences are as long: the two tokens of a warp have the same place.
  CHECK(traffic_of(prepare_attention(problem, true, 108)).global_load_bytes ==
        problem.batch * problem.heads * (vector_bytes + angle_bytes / 2 + 4 * 4));
  problem.batch = 40;  // no multiple of the 16 tokens of a CTA
  CHECK(traffic_of(prepare_attention(problem, true, 108)).global_store_bytes ==
        problem.batch * (problem.heads + 2 * problem.kv_heads) * problem.head_dim * 2);
}

TEST_CASE("CTAs go on to further tokens, and those without any left out do nothing") {
  AttentionProblem problem = context;
  problem.queries = problem.keys = 16 * 27;
  const std::int64_t tokens = problem.batch * problem.queries;
  const Schedule schedule = prepare_attention(problem, false, 5);  // 54 blocks, 20 CTAs a wave
  CHECK(schedule.grid_m == 5);
  CHECK(traffic_of(schedule).global_store_bytes ==
        tokens * (problem.heads + 2 * problem.kv_heads) * problem.head_dim * 2);
}

TEST_CASE("each token's place has cosines and sines of its own") {
  AttentionProblem problem = context;
  problem.batch = 1;
  for (const int queries : {8, 16, 16 * 27}) {
    CAPTURE(queries);
    problem.queries = problem.keys = queries;
    const Traffic traffic = traffic_of(prepare_attention(problem, false, 5));  // nothing in L2: all is read once
    const std::int64_t packed = std::int64_t{problem.heads + 2 * problem.kv_heads} * problem.head_dim * 2;
    CHECK(traffic.dram_read_bytes >= queries * (packed + angle_bytes));
    CHECK(traffic.dram_read_bytes < queries * (packed + angle_bytes) + queries * 64 + 1024);
  }
}

TEST_CASE("a head of 24 vectors leaves lanes of a warp idle, and CTAs have as many tokens as the source's") {
  AttentionProblem problem = context;
  problem.head_dim = 192;
  const Schedule schedule = prepare_attention(problem, false, 108);
  CHECK(schedule.grid_m == 16);  // 128 tokens, eight at a time
  CHECK(traffic_of(schedule).global_store_bytes ==
        problem.batch * problem.queries * (problem.heads + 2 * problem.kv_heads) * problem.head_dim * 2);
}

TEST_CASE("what is left out is as in attention, and what makes no sense is refused with its place") {
  AttentionProblem problem = context;
  problem.kv_heads = problem.keys = 0;
  CHECK(prepare_attention(problem, false, 108).buffers.front().columns == 3 * context.heads * context.head_dim);
  const auto place_of = [](const AttentionProblem& refused, std::int64_t sms) {
    try {
      (void)prepare_attention(refused, false, sms);
    } catch (const ScheduleError& error) {
      return error.problems().front().where;
    }
    return std::string();
  };
  CHECK(place_of(problem, 0) == "sms");
  problem.head_dim = 100;
  CHECK(place_of(problem, 108) == "head_dim");
  problem = context;
  problem.batch = 0;
  CHECK(place_of(problem, 108) == "batch");
}

}  // namespace gpusim::kernel_attention_prepare_test
