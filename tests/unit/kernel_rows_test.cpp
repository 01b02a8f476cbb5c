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

TEST_CASE("sums and maxima are their row's, of one CTA and of several") {
  for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::maximum})
    for (const std::int64_t columns : {4096, 5000}) {
      ReduceProblem problem{.rows = 3, .columns = columns, .operation = operation};
      CHECK(functional::check_reduce(reduce(problem), problem).wrong == 0);
      CHECK(functional::check_reduce(reduce(problem, {.threads = 32, .unroll = 1}), problem).wrong == 0);
      problem.dtype = DType::bf16;
      CHECK(functional::check_reduce(reduce(problem, {.threads = 128}), problem).wrong == 0);
    }
  const ReduceProblem problem{.rows = 2, .columns = 10000};
  CHECK(functional::check_reduce(reduce(problem, {.splits = 7}), problem).wrong == 0);
}

TEST_CASE("threads that share a row come to the same sum and maximum however they meet") {
  for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::maximum})
    for (const RowMeeting meeting :
         {RowMeeting::shuffles, RowMeeting::one_warp, RowMeeting::halving, RowMeeting::doubling, RowMeeting::divergent})
      for (const int threads : {64, 256, 1024}) {
        CAPTURE(static_cast<int>(meeting));
        CAPTURE(threads);
        const ReduceProblem problem{.rows = 2, .columns = 2 * threads, .operation = operation};
        const Schedule schedule = reduce(problem, {.vector = 1, .threads = threads, .unroll = 2, .meeting = meeting});
        CHECK(functional::check_reduce(schedule, problem).wrong == 0);
      }
}

TEST_CASE("a row's whole trips go in vectors, and what they leave an element at a time") {
  const auto loads = [](std::int64_t columns) {
    const RowTiling rows{.place = RowPlace::memory, .vector = 4, .rest_vector = 1, .threads = 256, .unroll = 1};
    std::int64_t trips = 0;
    const auto count = [&](const std::vector<Statement>& body) {
      for (const Statement& statement : body)
        if (const auto* operation = std::get_if<Operation>(&statement))
          if (std::holds_alternative<StoreGlobal>(operation->action)) ++trips;
    };
    const Schedule schedule = softmax({.rows = 1, .columns = columns}, {rows});
    std::int64_t stores = 0;
    for (const Statement& statement : schedule.roles[0].program.body) {
      trips = 0;
      if (const auto* loop = std::get_if<Loop>(&statement)) {
        count(loop->body);
        stores += loop->trips * trips;
      } else {
        count({statement});
        stores += trips;
      }
    }
    return stores;
  };
  CHECK(loads(1024) == 1);
  CHECK(loads(1280) == 1 + 1);  // 256 left
  CHECK(loads(1600) == 1 + 3);  // 576
  CHECK(loads(2048) == 2);
  // Rows that begin between two vectors: 256 lead up to the first, 253 are left of 1021 + 256.
  CHECK(loads(1277) == 5);
  const SoftmaxProblem problem{.rows = 3, .columns = 1277};
  SoftmaxTiling tiling;
  tiling.place = RowPlace::memory;
  tiling.vector = 4;
  tiling.rest_vector = 1;
  tiling.threads = 256;
  CHECK(functional::check_softmax(softmax(problem, tiling), problem).wrong == 0);
}

TEST_CASE("neighbours that meet first conflict in shared memory's banks, halves of a row do not [long]") {
  const Gpu gpu(load_profile("v100"));
  const auto cycles_of = [&](RowMeeting meeting) {
    return cycles(gpu.run(reduce({.rows = 20480, .columns = 256},
                                 {.vector = 1, .threads = 256, .unroll = 1, .meeting = meeting})))
        .count();
  };
  CHECK(cycles_of(RowMeeting::halving) < cycles_of(RowMeeting::doubling));
  CHECK(cycles_of(RowMeeting::doubling) < cycles_of(RowMeeting::divergent));
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
                           + 8 + 1        // one over it
                           + 32           // product
                           + 8;           // STG
  const Schedule schedule = softmax({.rows = 4096, .columns = 1024}, {{.threads = 32, .rows_per_cta = 4}});
  CHECK(warp_instructions(schedule) == 4 * (begin + row));
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
  CHECK(refused([] {
          return reduce({.rows = 1, .columns = 64, .operation = ReduceOperation::maximum}, {.splits = 2});
        }) == std::vector<std::string>{"splits"});
}

}  // namespace gpusim::kernel_rows_test
