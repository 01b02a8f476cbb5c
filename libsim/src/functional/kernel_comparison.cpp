#include "functional/kernel_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusim::functional {
namespace {

/// The step from a value of that size to the next of its type, and what sums in another order may differ by.
double tolerance(double value, DType dtype) {
  constexpr double of_sums = 1e-9;
  const double beside = value + of_sums * std::max(1.0, std::abs(value));
  double step = of_sums;
  // The next value of the type: the first that rounds to another number.
  double further = of_sums;
  while (further < 1) {
    const double next = rounded(value + further * std::max(1.0, std::abs(value)), dtype);
    further *= 2;
    if (next == rounded(value, dtype)) continue;
    step = std::abs(next - rounded(value, dtype));
    break;
  }
  return std::max(step, std::abs(beside - value)) * (1 + of_sums);
}

bool agree(double wanted, double actual, DType dtype) {
  const double to_store = rounded(wanted, dtype);
  if (to_store == actual || (std::isnan(to_store) && std::isnan(actual))) return true;
  return std::abs(to_store - actual) <= tolerance(wanted, dtype);
}

}  // namespace

Memory run_kernels(const std::vector<Schedule>& kernels, Memory before) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const Schedule& kernel : kernels)
    for (const Buffer& buffer : kernel.buffers)
      before.try_emplace(buffer.name, Matrix::Constant(buffer.layers * buffer.rows, buffer.columns, nothing));
  for (const Schedule& kernel : kernels) before = execute(kernel, std::move(before));
  return before;
}

void compare_buffer(const Memory& memory, const Schedule& of, const std::string& buffer, const Matrix& wanted,
                    KernelCheck& check) {
  const auto found =
      std::find_if(of.buffers.begin(), of.buffers.end(), [&](const Buffer& each) { return each.name == buffer; });
  if (found == of.buffers.end()) throw ScheduleError({Problem{buffer, "the schedule has no such buffer"}});
  const Matrix& actual = memory.at(buffer);
  if (actual.rows() != wanted.rows() || actual.cols() != wanted.cols())
    throw ScheduleError({Problem{buffer, "the buffer has another shape than the problem's"}});
  check.elements += wanted.size();
  for (Eigen::Index row = 0; row < wanted.rows(); ++row)
    for (Eigen::Index column = 0; column < wanted.cols(); ++column) {
      if (agree(wanted(row, column), actual(row, column), found->dtype) || check.wrong++ != 0) continue;
      check.first_buffer = buffer;
      check.first_row = row;
      check.first_column = column;
      check.expected = rounded(wanted(row, column), found->dtype);
      check.actual = actual(row, column);
    }
}

}  // namespace gpusim::functional
