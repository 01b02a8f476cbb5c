// Reductions, softmax and norms: what they mean, how many instructions they are, what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

#include "gpusim/functional_kernels.h"
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
          {.place = RowPlace::memory, .vector = 1, .threads = 32, .rows_per_cta = 2}};
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
