#include <doctest/doctest.h>

#include "gpusim/profile_io.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::schedule_count_test {

namespace {

Statement run(std::int64_t count, std::optional<Bound> guard = {}) {
  return Operation{CommitGroup{}, count, std::move(guard)};
}

/// One role of one warp: `before` k tiles' loop, `inside` it and `after` it, for each work item.
Schedule walking(Statement inside, Statement after) {
  Schedule schedule;
  schedule.grid_m = 5;
  schedule.k_tiles = 7;
  schedule.ctas = 2;
  const Loop k{.trips = 7, .body = {std::move(inside)}, .walk = Walk::k_tiles};
  const Loop items{.trips = 3, .body = {k, std::move(after)}, .walk = Walk::items};
  schedule.roles = {{"worker", 1, {{}, {items}}}};
  return schedule;
}

std::int64_t count(const Schedule& schedule, std::int64_t cta) {
  return instruction_count(schedule, schedule.roles[0].program, CtaId(cta), 0);
}

}  // namespace

TEST_CASE("a CTA's items and their k tiles are counted") {
  const Schedule schedule = walking(run(10), run(1));
  CHECK(count(schedule, 0) == 3 * (7 * 10 + 1));  // tiles 0, 2, 4
  CHECK(count(schedule, 1) == 2 * (7 * 10 + 1));  // tiles 1, 3
  CHECK(warp_instructions(schedule) == count(schedule, 0));
}

TEST_CASE("a guard on the item's place is counted item by item") {
  const Schedule schedule = walking(run(10, Bound{along(Coordinate::block_m), 3}), run(1));
  CHECK(count(schedule, 0) == 2 * 7 * 10 + 3);  // of tiles 0, 2, 4 two are below 3
  CHECK(count(walking(run(10), run(1, Bound{along(Coordinate::loop0, -1), 0})), 0) == 3 * 7 * 10 + 2);
}

TEST_CASE("a k tile's index goes on where it ended in the item before") {
  const Bound below{along(Coordinate::loop1), 9};
  CHECK(count(walking(run(10, below), run(1)), 0) == 9 * 10 + 3);
  const Bound ring{along(Coordinate::loop1, 1, 1, 4), 1};
  CHECK(count(walking(run(10, ring), run(1)), 0) == 6 * 10 + 3);  // 0, 4, 8, 12, 16 and 20 of 21
}

TEST_CASE("index and k_begin together are the number of the k tile") {
  const Bound all_but_last{along(Coordinate::loop1) + along(Coordinate::k_begin), 6};
  CHECK(count(walking(run(10, all_but_last), run(1)), 0) == 3 * 6 * 10 + 3);
}

TEST_CASE("stream-K's parts of tiles are counted as they are") {
  Schedule schedule = walking(run(10), run(1, Bound{along(Coordinate::partial), 1}));
  schedule.stream_k = true;
  CHECK(count(schedule, 0) == 18 * 10 + 2);  // of 35 k tiles 18: tiles 0, 1 and a part of 2
  CHECK(count(schedule, 1) == 17 * 10 + 2);
}

TEST_CASE("without walking CTAs, a walk over k tiles has those of the CTA's slice") {
  Schedule schedule;
  schedule.k_tiles = 7;
  schedule.grid_z = schedule.splits = 2;
  const Loop k{.trips = 4, .body = {run(1)}, .walk = Walk::k_tiles};
  schedule.roles = {{"worker", 2, {{}, {k}}}};
  CHECK(count(schedule, 0) == 4);
  CHECK(count(schedule, 1) == 3);
  CHECK(warp_instructions(schedule) == 2 * 4);
}

TEST_CASE("multiply-adds are those of whole tiles and k tiles, however they are shared out") {
  using namespace schedules;
  const GemmProblem ragged{.m = 130, .n = 200, .k = 1000};
  const double whole = 256.0 * 256 * 1024;
  GemmTiling tiling{.tile = {128, 128, 32}, .variant = GemmVariant::async, .stages = 2};
  CHECK(multiply_adds(gemm(ragged, tiling)) == whole);
  tiling.split_k = 3;  // of 32 k tiles the last slice has 10
  CHECK(multiply_adds(gemm(ragged, tiling)) == whole);
  tiling.split_k = 1;
  tiling.ctas = 3;
  CHECK(multiply_adds(gemm(ragged, tiling)) == whole);
  tiling.stream_k = true;
  CHECK(multiply_adds(gemm(ragged, tiling)) == whole);
  const GemmProblem plain{.m = 130, .n = 200, .k = 1000, .dtype = DType::fp32};
  CHECK(multiply_adds(gemm(plain, {.tile = {128, 128, 32}, .variant = GemmVariant::simt})) == whole);
}

TEST_CASE("wgmma's multiply-adds are counted once a group, a sparse A's zeros with them") {
  using namespace schedules;
  const Profile hopper = load_profile("h100-sxm");
  const auto adds = [&](const GemmProblem& problem, const GemmRequest& request) {
    return multiply_adds(gemm(problem, choose(hopper, problem, request)));
  };
  const GemmProblem problem{.m = 100, .n = 256, .k = 512, .layout = GemmLayout::nt};
  CHECK(adds(problem, {.tile = {128, 128, 64}, .variant = GemmVariant::wgmma}) == 128.0 * 256 * 512);
  GemmProblem sparse = problem;
  sparse.m = 128;
  sparse.sparse = true;
  const Schedule of_zeros =
      gemm(sparse, choose(hopper, sparse, {.tile = {128, 128, 64}, .variant = GemmVariant::async}));
  CHECK(multiply_adds(of_zeros) == of_zeros.work.flops / 2);
}

TEST_CASE("multiply-adds that depend on the place of a CTA's tile are not known") {
  using namespace schedules;
  const AttentionProblem problem{.heads = 2, .queries = 100, .keys = 100};
  CHECK(multiply_adds(attention(problem)) == 2.0 * 2 * 128 * 128 * 128);  // scores and values of two heads
  AttentionProblem causal = problem;
  causal.queries = causal.keys = 512;
  causal.causal = true;
  CHECK_FALSE(multiply_adds(attention(causal)).has_value());
}

TEST_CASE("a hundred thousand tiles are counted without being walked for every operation") {
  Schedule schedule = walking(run(10), run(1));
  schedule.grid_m = 100'000;
  schedule.ctas = 1;
  CHECK(count(schedule, 0) == 100'000 * (7 * 10 + 1));
}

}  // namespace gpusim::schedule_count_test
