// What copies, elementwise kernels and transpositions are to compute.
#include <cmath>
#include <limits>

#include "functional/kernel_comparison.h"

namespace gpusim::functional {
namespace {

using namespace gpusim::schedules;

constexpr double constant_operand = 4;

double wanted_of(ElementwiseOperation operation, double a, double b) {
  switch (operation) {
    case ElementwiseOperation::add:
      return a + b;
    case ElementwiseOperation::subtract:
      return a - b;
    case ElementwiseOperation::multiply:
      return a * b;
    case ElementwiseOperation::divide:
      return a / b;
    case ElementwiseOperation::power:
      return std::pow(a, b);
    case ElementwiseOperation::relu:
      return activated(a, Activation::relu);
    case ElementwiseOperation::gelu:
      return activated(a, Activation::gelu);
    case ElementwiseOperation::silu:
      return activated(a, Activation::silu);
    case ElementwiseOperation::tanh:
      return std::tanh(a);
    case ElementwiseOperation::exp:
      return std::exp(a);
    case ElementwiseOperation::cast:
      return a;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Matrix streamed(const CopyProblem& problem, const Matrix& r, const Matrix& s) {
  switch (problem.kind) {
    case StreamKind::write:
      return Matrix::Constant(r.rows(), r.cols(), problem.scalar);
    case StreamKind::scale:
      return problem.scalar * r;
    case StreamKind::add:
      return r + s;
    case StreamKind::triad:
      return r + problem.scalar * s;
    case StreamKind::read:
    case StreamKind::copy:
      break;
  }
  return r;
}

}  // namespace

KernelCheck check_copy(const Schedule& schedule, const CopyProblem& problem, std::uint64_t seed) {
  const Matrix r = random_matrix(1, problem.elements, seed);
  const Matrix s = random_matrix(1, problem.elements, seed + 1);
  const Memory after = run_kernels({schedule}, {{"R", r}, {"S", s}});
  KernelCheck check;
  if (problem.kind != StreamKind::read) compare_buffer(after, schedule, "W", streamed(problem, r, s), check);
  return check;
}

KernelCheck check_elementwise(const Schedule& schedule, const ElementwiseProblem& problem, std::uint64_t seed) {
  const std::int64_t rows = has_rows(problem) ? problem.rows : 1;
  const std::int64_t columns = has_rows(problem) ? problem.columns : problem.rows * problem.columns;
  Matrix a = random_matrix(rows, problem.gated ? 2 * columns : columns, seed);
  // Powers of positive numbers, quotients by numbers other than 0.
  if (problem.operation == ElementwiseOperation::power) a = a.cwiseAbs().array() + 1;
  const Matrix b = random_matrix(rows, columns, seed + 1).cwiseAbs().array() + 1;
  constexpr double factor = 2;
  const Memory after = run_kernels({schedule}, {{"A", a}, {"B", b}, {"factor", Matrix::Constant(1, 1, factor)}});
  if (problem.scaled) a /= factor;
  const double constant = problem.operation == ElementwiseOperation::power ? 2 : constant_operand;
  Matrix wanted(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row)
    for (Eigen::Index column = 0; column < columns; ++column) {
      wanted(row, column) = wanted_of(problem.operation, a(row, column), problem.scalar ? constant : b(row, column));
      if (problem.gated) wanted(row, column) *= a(row, columns + column);
    }
  KernelCheck check;
  compare_buffer(after, schedule, "Y", wanted, check);
  return check;
}

KernelCheck check_transpose(const Schedule& schedule, const TransposeProblem& problem, std::uint64_t seed) {
  const Matrix x = random_matrix(problem.rows, problem.columns, seed);
  KernelCheck check;
  compare_buffer(run_kernels({schedule}, {{"X", x}}), schedule, "Y", x.transpose(), check);
  return check;
}

}  // namespace gpusim::functional
