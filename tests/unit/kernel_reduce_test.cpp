// Reductions: what they mean, how threads and CTAs bring together what they have.
#include <doctest/doctest.h>

#include "gpusim/functional_kernels.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"

namespace gpusim::kernel_reduce_test {

using namespace gpusim::schedules;

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
  const ReduceProblem side_by_side{.rows = 37, .columns = 300};
  for (const int threads : {32, 64})
    CHECK(functional::check_reduce(reduce(side_by_side, {.threads = threads, .rows_per_cta = 8}), side_by_side).wrong ==
          0);
}

TEST_CASE("maxima of rows shorter than a warp's, or a CTA's, part of them") {
  for (const std::int64_t columns : {1, 2, 5, 40})
    for (const int threads : {64, 256}) {
      CAPTURE(columns);
      CAPTURE(threads);
      const ReduceProblem problem{.rows = 16, .columns = columns, .operation = ReduceOperation::maximum};
      CHECK(functional::check_reduce(reduce(problem, {.threads = threads}), problem).wrong == 0);
    }
}

TEST_CASE("the last CTA adds up what all have stored, in as many trips as there are sums for its threads") {
  const ReduceProblem problem{.rows = 1, .columns = 10000};
  for (const RowMeeting meeting : {RowMeeting::shuffles, RowMeeting::first_warp, RowMeeting::halving_warps})
    for (const std::int64_t splits : {2, 7, 200}) {
      CAPTURE(static_cast<int>(meeting));
      CAPTURE(splits);
      const ReduceTiling tiling{.vector = 1,
                                .threads = 64,
                                .unroll = 1,
                                .splits = splits,
                                .meeting = meeting,
                                .finish = ReduceFinish::last_cta};
      CHECK(functional::check_reduce(reduce(problem, tiling), problem).wrong == 0);
    }
}

TEST_CASE("the last CTA of a sum comes behind a fence, an atomic and a load [long]") {
  const Gpu gpu(load_profile("h100"));
  const auto cycles_of = [&](ReduceFinish finish) {
    return cycles(gpu.run(reduce({.rows = 1, .columns = 1 << 20}, {.splits = 64, .finish = finish})));
  };
  CHECK(cycles_of(ReduceFinish::last_cta) > cycles_of(ReduceFinish::atomics) + gpu.profile().l2->latency * 3);
}

TEST_CASE("threads that share a row come to the same sum and maximum however they meet") {
  for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::maximum})
    for (const RowMeeting meeting :
         {RowMeeting::shuffles, RowMeeting::one_warp, RowMeeting::halving, RowMeeting::doubling, RowMeeting::divergent,
          RowMeeting::first_warp, RowMeeting::halving_warps})
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

}  // namespace gpusim::kernel_reduce_test
