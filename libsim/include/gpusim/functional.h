// The functional twin: a Schedule executed on real numbers.
//
// The twin interprets the same Programs the engine times: loads, stores, copies, barriers and multiplies move actual
// elements through buffers, shared tiles and fragments, at the addresses the Layouts give. A schedule that skips or
// doubles a tile, reads a buffer before it is filled, or forgets a barrier phase, shows here.
//
// Arithmetic is done in double precision; elements are rounded to their buffer's type when stored to global memory.
// Reading a shared or fragment element nobody wrote gives NaN.
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "gpusim/schedule.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::functional {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Contents of the buffers, by name: rows x columns each, the layers of a buffer one below another.
using Memory = std::map<std::string, Matrix>;

/// Runs every CTA in launch order, or all at once when they meet at a GridBarrier, and returns the buffers as it leaves
/// them. Throws ScheduleError when `before` lacks a buffer or a shape differs, DeadlockError when warps wait for what
/// cannot come.
[[nodiscard]] Memory execute(const Schedule& schedule, Memory before);

/// `rows` x `columns` of small integers that every type in memory holds exactly, the same for equal seeds.
[[nodiscard]] Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

/// value as `dtype` would hold it (round to nearest even).
[[nodiscard]] double rounded(double value, DType dtype);

/// relu max(0, x); gelu x Phi(x), with the distribution function of the normal distribution itself, not its tanh form;
/// silu x / (1 + exp(-x)).
[[nodiscard]] double activated(double value, Activation activation);

/// A product executed on random numbers and compared element by element with Eigen's. `wrong` is 0 when it is right.
struct GemmCheck {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::int64_t first_row = 0, first_column = 0;  ///< of the first wrong element
  double expected = 0, actual = 0;               ///< there
  std::int64_t first_layer = 0;                  ///< its product of a batch
};

/// Executes a product's kernels one after another, as schedules::gemm_kernels() gives them. Buffers A, B, C and bias
/// hold random numbers; C and any workspace begin as zeros when a kernel adds to them; else C as NaN when beta is 0,
/// and all other buffers as NaN. Of a sparse A two of every four consecutive k are stored: those that a buffer
/// "metadata" says, drawn at random, or the first and the last where the kernels have none. Throws ScheduleError when a
/// buffer is missing or has another shape than the product's.
[[nodiscard]] GemmCheck check_gemm(const std::vector<Schedule>& kernels, const schedules::GemmProblem& problem,
                                   std::uint64_t seed = 1);

/// The same for one kernel of a plain product C = alpha A B + beta C, of the shapes its buffers have.
[[nodiscard]] GemmCheck check_gemm(const Schedule& schedule, double alpha, double beta, std::uint64_t seed = 1);

}  // namespace gpusim::functional
