// What attention is to compute.
#include <cmath>

#include "functional/kernel_comparison.h"

namespace gpusim::functional {
namespace {

using namespace gpusim::schedules;

/// One head's output.
Matrix attended(const Matrix& q, const Matrix& k, const Matrix& v, bool causal) {
  Matrix weights = q * k.transpose() / std::sqrt(static_cast<double>(q.cols()));
  const Eigen::Index before = k.rows() - q.rows();
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    const Eigen::Index seen = causal ? before + row + 1 : k.rows();
    const double greatest = weights.row(row).head(seen).maxCoeff();
    weights.row(row).head(seen) = (weights.row(row).head(seen).array() - greatest).exp();
    weights.row(row).tail(k.rows() - seen).setZero();
    weights.row(row) /= weights.row(row).sum();
  }
  return weights * v;
}

}  // namespace

KernelCheck check_attention(const std::vector<Schedule>& kernels, const AttentionProblem& problem, std::uint64_t seed) {
  const std::int64_t kv_heads = problem.kv_heads == 0 ? problem.heads : problem.kv_heads;
  const std::int64_t keys = problem.keys == 0 ? problem.queries : problem.keys;
  const Matrix q = random_matrix(problem.batch * problem.heads * problem.queries, problem.head_dim, seed);
  const Matrix k = random_matrix(problem.batch * kv_heads * keys, problem.head_dim, seed + 1) / 4;
  const Matrix v = random_matrix(problem.batch * kv_heads * keys, problem.head_dim, seed + 2);
  Matrix wanted(q.rows(), q.cols());
  for (std::int64_t layer = 0; layer < problem.batch * problem.heads; ++layer) {
    const std::int64_t kv_layer = layer / (problem.heads / kv_heads);
    wanted.middleRows(layer * problem.queries, problem.queries) =
        attended(q.middleRows(layer * problem.queries, problem.queries), k.middleRows(kv_layer * keys, keys),
                 v.middleRows(kv_layer * keys, keys), problem.causal);
  }
  // Rows of several heads of one layer lie as the heads do: the buffer has the same rows in the same order.
  KernelCheck check;
  compare_buffer(run_kernels(kernels, {{"Q", q}, {"K", k}, {"V", v}}), kernels.back(), "O", wanted, check);
  return check;
}

}  // namespace gpusim::functional
