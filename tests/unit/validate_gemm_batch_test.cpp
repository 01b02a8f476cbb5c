#include "validate/gemm_batch.h"

#include <doctest/doctest.h>

#include "gpusim/error.h"
#include "gpusim/functional.h"

using namespace gpusim;
using namespace gpusim::validate;
using functional::Matrix;

namespace {

/// Executes the schedule on products of their own, and counts elements of C that are wrong.
int wrong_elements(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling, int batch) {
  const Schedule schedule = batched_gemm(problem, tiling, batch);
  const Buffer& a = schedule.buffers[0];
  const Buffer& b = schedule.buffers[1];
  const Buffer& c = schedule.buffers[2];
  const std::int64_t a_step = a.columns / batch;
  const std::int64_t c_step = c.columns / batch;

  functional::Memory memory;
  memory["A"] = functional::random_matrix(a.rows, a.columns, 1);
  memory["B"] = functional::random_matrix(b.rows, b.columns, 2);
  memory["C"] = Matrix::Zero(c.rows, c.columns);
  for (int i = 0; i < batch; ++i)  // what lies between the products of A is zero
    memory["A"].middleCols(i * a_step + problem.k, a_step - problem.k).setZero();
  const functional::Memory before = memory;
  const functional::Memory after = functional::execute(schedule, std::move(memory));

  int wrong = 0;
  for (int i = 0; i < batch; ++i) {
    const Matrix expected =
        before.at("A").middleCols(i * a_step, problem.k) * before.at("B").middleRows(i * problem.k, problem.k);
    const Matrix actual = after.at("C").block(0, i * c_step, problem.m, problem.n);
    wrong += static_cast<int>((expected.array() != actual.array()).count());
  }
  return wrong;
}

schedules::GemmProblem product(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype) {
  schedules::GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.dtype = dtype;
  return problem;
}

}  // namespace

TEST_CASE("every product of a batch is multiplied with its own operands, whole tiles or ragged ones") {
  for (const auto& [m, n, k] : {std::array<int, 3>{64, 64, 32}, {70, 50, 40}, {3, 33, 17}, {65, 64, 32}}) {
    CAPTURE(m);
    schedules::GemmTiling simt;
    simt.tile = {32, 32, 8};
    simt.variant = schedules::GemmVariant::simt;
    CHECK(wrong_elements(product(m, n, k, DType::fp32), simt, 3) == 0);

    for (const auto variant :
         {schedules::GemmVariant::tensor, schedules::GemmVariant::async, schedules::GemmVariant::tma}) {
      schedules::GemmTiling tensor;
      tensor.tile = {32, 32, 16};
      tensor.variant = variant;
      tensor.stages = 3;
      CHECK(wrong_elements(product(m, n, k, DType::fp16), tensor, 3) == 0);
    }
  }
}

TEST_CASE("a batch has the tiles and the work of its products") {
  schedules::GemmTiling tiling;
  tiling.tile = {32, 32, 16};
  const auto problem = product(70, 50, 40, DType::fp16);
  const Schedule one = batched_gemm(problem, tiling, 1);
  const Schedule many = batched_gemm(problem, tiling, 5);
  CHECK(digest(one) == digest(gemm(problem, tiling)));
  CHECK(cta_count(many) == 5 * cta_count(one));
  CHECK(many.work.flops == 5 * one.work.flops);
  CHECK(check(many).empty());
}

TEST_CASE("a batch larger than any kernel is refused") {
  CHECK_THROWS_AS((void)batched_gemm(product(64, 64, 1 << 20, DType::fp16), {}, 1 << 20), ScheduleError);
}
