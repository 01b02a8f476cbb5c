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

#include "gpusim/schedule.h"

namespace gpusim::functional {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Contents of the buffers, by name, rows x columns each.
using Memory = std::map<std::string, Matrix>;

/// Runs every CTA in launch order and returns the buffers as it leaves them. Throws ScheduleError when `before` lacks a
/// buffer or a shape differs, DeadlockError when warps wait for what cannot come.
[[nodiscard]] Memory execute(const Schedule& schedule, Memory before);

/// `rows` x `columns` of small integers that every type in memory holds exactly, the same for equal seeds.
[[nodiscard]] Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

/// value as `dtype` would hold it (round to nearest even).
[[nodiscard]] double rounded(double value, DType dtype);

/// Executes a GEMM schedule (buffers A, B, C) on random numbers and compares every element of C with Eigen's
/// alpha A B + beta C. The number of elements that differ, 0 when it is right.
struct GemmCheck {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::int64_t first_row = 0, first_column = 0;  ///< of the first wrong element
  double expected = 0, actual = 0;               ///< there
};
[[nodiscard]] GemmCheck check_gemm(const Schedule& schedule, double alpha, double beta, std::uint64_t seed = 1);

}  // namespace gpusim::functional
