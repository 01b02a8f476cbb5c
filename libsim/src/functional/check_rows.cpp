// What reductions, softmax, norms and products with a few rows are to compute.
#include <cmath>

#include "functional/kernel_comparison.h"

namespace gpusim::functional {
namespace {

using namespace gpusim::schedules;

constexpr double norm_epsilon = 1e-5;

Matrix normed(const NormProblem& problem, const Matrix& x, const Matrix& weight, const Matrix& bias) {
  Matrix result(x.rows(), x.cols());
  const auto columns = static_cast<double>(x.cols());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const double mean = problem.norm == NormKind::layer ? x.row(row).mean() : 0;
    const double variance = (x.row(row).array() - mean).square().sum() / columns;
    result.row(row) = (x.row(row).array() - mean) / std::sqrt(variance + norm_epsilon) * weight.row(0).array();
    if (problem.norm == NormKind::layer) result.row(row) += bias.row(0);
  }
  return result;
}

}  // namespace

KernelCheck check_reduce(const Schedule& schedule, const ReduceProblem& problem, std::uint64_t seed) {
  const Matrix x = random_matrix(problem.rows, problem.columns, seed);
  const Memory after = run_kernels({schedule}, {{"X", x}, {"Y", Matrix::Zero(problem.rows, 1)}});
  KernelCheck check;
  compare_buffer(after, schedule, "Y",
                 problem.operation == ReduceOperation::sum ? Matrix(x.rowwise().sum()) : Matrix(x.rowwise().maxCoeff()),
                 check);
  return check;
}

KernelCheck check_softmax(const Schedule& schedule, const SoftmaxProblem& problem, std::uint64_t seed) {
  const Matrix x = random_matrix(problem.rows, problem.columns, seed);
  Matrix wanted = x;
  for (Eigen::Index row = 0; row < wanted.rows(); ++row) {
    wanted.row(row) = (x.row(row).array() - x.row(row).maxCoeff()).exp();
    wanted.row(row) /= wanted.row(row).sum();
  }
  KernelCheck check;
  compare_buffer(run_kernels({schedule}, {{"X", x}}), schedule, "Y", wanted, check);
  return check;
}

KernelCheck check_layernorm(const Schedule& schedule, const NormProblem& problem, std::uint64_t seed) {
  Matrix x = random_matrix(problem.rows, problem.columns, seed);
  const Matrix residual = random_matrix(problem.rows, problem.columns, seed + 1);
  const Matrix weight = random_matrix(1, problem.columns, seed + 2);
  const Matrix bias = random_matrix(1, problem.columns, seed + 3);
  const Memory after = run_kernels({schedule}, {{"X", x}, {"R", residual}, {"weight", weight}, {"bias", bias}});
  KernelCheck check;
  if (problem.residual) {
    x += residual;
    compare_buffer(after, schedule, "S", x, check);
  }
  compare_buffer(after, schedule, "Y", normed(problem, x, weight, bias), check);
  return check;
}

KernelCheck check_gemv(const Schedule& schedule, const GemvProblem& problem, std::uint64_t seed) {
  const Matrix a = random_matrix(problem.m, problem.k, seed);
  const Matrix b = random_matrix(problem.n, problem.k, seed + 1);
  KernelCheck check;
  compare_buffer(run_kernels({schedule}, {{"A", a}, {"B", b}}), schedule, "C", a * b.transpose(), check);
  return check;
}

}  // namespace gpusim::functional
