// Reductions, softmax and norms: what they mean, how many instructions they are, what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

#include "gpusim/functional_kernels.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "support/kernel_refusal.h"

namespace gpusim::kernel_rows_test {

using namespace gpusim::schedules;
using testing::refused;

namespace {

/// Ways to share rows out: by part of a warp, a warp, several warps; rows side by side.
std::vector<RowTiling> row_tilings() {
  return {{.threads = 8, .rows_per_cta = 8},
          {.threads = 32, .rows_per_cta = 4},
          {.threads = 128},
          {.place = RowPlace::shared, .threads = 64, .rows_per_cta = 2, .unroll = 2},
          {.place = RowPlace::memory, .threads = 64, .unroll = 1},
          {.place = RowPlace::memory, .vector = 1, .threads = 32, .rows_per_cta = 2},
          {.place = RowPlace::memory,
           .vector = 4,
           .rest_vector = 1,
           .threads = 64,
           .unroll = 1,
           .meeting = RowMeeting::one_warp},
          {.threads = 256, .meeting = RowMeeting::halving},
          {.threads = 256, .meeting = RowMeeting::first_warp},
          {.place = RowPlace::memory, .vector = 2, .threads = 512, .unroll = 1, .meeting = RowMeeting::halving_warps},
          {.threads = 128, .meeting = RowMeeting::doubling}};
}

/// Columns that the threads share evenly, and that they do not.
const std::vector<std::int64_t> column_counts{512, 396};

}  // namespace

TEST_CASE("every softmax is its row's, wherever the row is, and with ragged ends") {
  for (const RowTiling& rows : row_tilings())
    for (const std::int64_t columns : column_counts)
      for (const bool other : {false, true}) {
        SoftmaxTiling tiling{rows};
        tiling.online = other && rows.place != RowPlace::registers;
        tiling.divides = other;
        tiling.precise = other && !tiling.online;
        tiling.twice = other && rows.place == RowPlace::registers;
        CAPTURE(static_cast<int>(rows.place));
        CAPTURE(rows.threads);
        CAPTURE(columns);
        CAPTURE(other);
        const SoftmaxProblem problem{.rows = 5, .columns = columns};
        CHECK(functional::check_softmax(softmax(problem, tiling), problem).wrong == 0);
      }
}

TEST_CASE("every norm is its row's, wherever the row is, and with ragged ends") {
  for (const RowTiling& rows : row_tilings())
    for (const std::int64_t columns : column_counts)
      for (const NormKind norm : {NormKind::layer, NormKind::rms}) {
        NormTiling tiling{rows};
        tiling.welford = norm == NormKind::layer;
        tiling.scalar_weights = columns % 128 == 0;
        CAPTURE(static_cast<int>(rows.place));
        CAPTURE(rows.threads);
        CAPTURE(columns);
        NormProblem problem{.rows = 5, .columns = columns, .norm = norm};
        CHECK(functional::check_layernorm(layernorm(problem, tiling), problem).wrong == 0);
        problem.residual = true;
        problem.dtype = DType::fp16;
        CHECK(functional::check_layernorm(layernorm(problem, tiling), problem).wrong == 0);
      }
}

TEST_CASE("instructions beside what is worked out are those asked for") {
  const auto instructions = [](const RowInstructions& beside) {
    RowTiling rows{.threads = 32, .rows_per_cta = 4};
    rows.beside = beside;
    return warp_instructions(softmax({.rows = 4, .columns = 1024}, {rows}));
  };
  const std::int64_t none = instructions({});
  constexpr std::int64_t warps = 4, accesses = 8, elements = 32;
  CHECK(instructions({.load = 3}) == none + warps * accesses * 3);
  CHECK(instructions({.element = 2}) == none + warps * elements * 2);
  CHECK(instructions({.store = 5}) == none + warps * accesses * 5);
  CHECK(instructions({.meet = 7}) == none + warps * 2 * 7);
  CHECK(instructions({.begin = 100}) == none + warps * (100 - 14));
  const auto online = [](int element) {
    SoftmaxTiling tiling{{.place = RowPlace::shared, .threads = 32}};
    tiling.online = true;
    tiling.beside.element = element;
    return warp_instructions(softmax({.rows = 1, .columns = 1024}, tiling));
  };
  CHECK(online(2) == online(0) + 2 * elements * 2);  // for the sum and for the result
  const auto weights = [](int load) {
    NormTiling tiling{{.vector = 4, .threads = 32}};
    tiling.scalar_weights = true;
    tiling.beside.load = load;
    return warp_instructions(layernorm({.rows = 1, .columns = 1024}, tiling));
  };
  CHECK(weights(2) == weights(0) + 2 * (accesses + 2 * elements));
}

TEST_CASE("exponentials twice, and quotients one after another") {
  SoftmaxTiling tiling{{.threads = 32, .rows_per_cta = 4}};
  const auto instructions = [&] { return warp_instructions(softmax({.rows = 4, .columns = 1024}, tiling)); };
  const std::int64_t once = instructions();
  tiling.twice = true;
  CHECK(instructions() == once + 4 * (1 + 2 * 32));  // a move; FFMA and MUFU.EX2
  const Gpu gpu(load_profile("h100"));
  const auto cycles_of = [&](bool precise) {
    SoftmaxTiling quotients{{.vector = 1, .threads = 32, .rows_per_cta = 4}};
    quotients.divides = true;
    quotients.precise = precise;
    return cycles(gpu.run(softmax({.rows = 4, .columns = 1024}, quotients))).count();
  };
  // 32 of them, a reciprocal, four products and a check each that wait for each other.
  CHECK(cycles_of(true) > cycles_of(false) + 32 * 40);
}

TEST_CASE("warps that a row has no elements for meet, and do nothing else") {
  const auto instructions = [](int threads) {
    NormTiling tiling{{.place = RowPlace::memory, .vector = 4, .threads = threads, .unroll = 1}};
    tiling.welford = true;
    return warp_instructions(layernorm({.rows = 1, .columns = 128}, tiling));
  };
  const std::int64_t one = instructions(32), eight = instructions(256);
  CHECK(eight - one < 7 * one / 2);
}

TEST_CASE("weights by scalar loads are as many loads as elements") {
  const auto loads = [](bool scalar) {
    NormTiling tiling{{.vector = 4, .threads = 32}};
    tiling.scalar_weights = scalar;
    const Schedule schedule = layernorm({.rows = 1, .columns = 1024}, tiling);
    std::int64_t count = 0;
    for (const Statement& statement : schedule.roles[0].program.body)
      if (const auto& operation = std::get<Operation>(statement); std::holds_alternative<LoadGlobal>(operation.action))
        count += operation.count;
    return count;
  };
  CHECK(loads(false) == 8 + 8 + 8);
  CHECK(loads(true) == 8 + 32 + 32);
}

TEST_CASE("a softmax without a shuffle is wrong") {
  const SoftmaxProblem problem{.rows = 2, .columns = 256};
  Schedule schedule = softmax(problem, {{.threads = 32}});
  std::vector<Statement>& body = schedule.roles[0].program.body;
  // The last ones add up the sum.
  const auto shuffle = std::find_if(body.rbegin(), body.rend(), [](const Statement& statement) {
    return std::holds_alternative<Shuffle>(std::get<Operation>(statement).action);
  });
  REQUIRE(shuffle != body.rend());
  body.erase(std::next(shuffle).base(), std::next(shuffle).base() + 2);
  CHECK(functional::check_softmax(schedule, problem).wrong > 0);
}

TEST_CASE("softmax in registers: the warp instructions of a CTA are those counted by hand") {
  // A row of 1024 floats for each of 4 warps: 8 LDG.128 a lane, 32 elements.
  const std::int64_t begin = 10 + 2 * 2   // index arithmetic, addresses
                             + 2 + 1;     // zeros, and the lowest number
  const std::int64_t meet = 5 * (1 + 1);  // SHFL and the maximum or sum
  const std::int64_t row = 8              // LDG
                           + 32 + meet    // maximum
                           + 32 + 32      // FFMA, MUFU.EX2
                           + 32 + meet    // sum
                           + 5 + 1        // one over it
                           + 32           // product
                           + 8;           // STG
  const Schedule schedule = softmax({.rows = 4096, .columns = 1024}, {{.threads = 32, .rows_per_cta = 4}});
  CHECK(warp_instructions(schedule) == 4 * (begin + row));
}

TEST_CASE("a thread keeps no more elements than it has registers for") {
  constexpr std::int64_t held = 232;  // in fours, beside 22 registers of the rest
  CHECK(refused([] { return softmax({.rows = 1, .columns = 32 * held}, {{.threads = 32}}); }).empty());
  CHECK(refused([] { return softmax({.rows = 1, .columns = 32 * held + 4}, {{.threads = 32}}); }) ==
        std::vector<std::string>{"place"});
}

TEST_CASE("what no GPU can do with rows is refused, all at once") {
  CHECK(refused([] { return softmax({.rows = 0, .columns = 8}, {{.threads = 48, .unroll = 0}}); }) ==
        std::vector<std::string>{"rows", "unroll", "threads"});
  CHECK(refused([] { return softmax({.rows = 1, .columns = 1 << 20}); }) == std::vector<std::string>{"place"});
  CHECK(refused([] {
          return softmax({.rows = 1, .columns = 64}, {{.threads = 32, .meeting = RowMeeting::one_warp}});
        }) == std::vector<std::string>{"meeting"});
  CHECK(refused([] { return softmax({.rows = 1, .columns = 64}, {{.rest_vector = 1}}); }) ==
        std::vector<std::string>{"rest_vector"});
  CHECK(refused([] {
          return softmax({.rows = 1, .columns = 64}, {{.place = RowPlace::memory}, true, false, true});
        }) == std::vector<std::string>{"precise"});
  CHECK(refused([] {
          return softmax({.rows = 1, .columns = 64}, {{}, true, false});
        }) == std::vector<std::string>{"online"});
  CHECK(refused([] {
          return layernorm({.rows = 1, .columns = 64, .norm = NormKind::rms}, {{}, true});
        }) == std::vector<std::string>{"welford"});
  CHECK(refused([] { return softmax({.rows = 1, .columns = 64}, {{.beside = {.load = -1, .meet = 5000}}}); }) ==
        std::vector<std::string>{"beside.load", "beside.meet"});
  CHECK(refused([] {
          return softmax({.rows = 1, .columns = 64}, {{.place = RowPlace::memory}, false, false, false, true});
        }) == std::vector<std::string>{"twice"});
  CHECK(refused([] { return layernorm({.rows = 1, .columns = 64}, {{.beside = {.element = 1}}}); }) ==
        std::vector<std::string>{"beside.element"});
  CHECK(refused([] { return reduce({.rows = 1, .columns = 64}, {.beside = {.element = 1}}); }) ==
        std::vector<std::string>{"beside.element"});
  CHECK(refused([] { return reduce({.rows = 1, .columns = 64}, {.finish = ReduceFinish::last_cta}); }) ==
        std::vector<std::string>{"finish"});
  CHECK(refused([] {
          return reduce({.rows = 1, .columns = 64},
                        {.threads = 32, .splits = 2, .rows_per_cta = 2, .finish = ReduceFinish::last_cta});
        }) == std::vector<std::string>{"rows_per_cta"});
  CHECK(refused([] { return reduce({.rows = 2, .columns = 64}, {.splits = 2, .finish = ReduceFinish::last_cta}); }) ==
        std::vector<std::string>{"finish"});
  CHECK(refused([] {
          return reduce({.rows = 1, .columns = 64, .operation = ReduceOperation::maximum}, {.splits = 2});
        }) == std::vector<std::string>{"splits"});
}

}  // namespace gpusim::kernel_rows_test
