#include <cmath>
#include <string>

#include "gpusim/functional.h"

namespace gpusim::functional {
namespace {

/// Each call gives the next of a sequence of well-mixed numbers (SplitMix64).
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t mixed = (state += 0x9E3779B97F4A7C15U);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

const Buffer& buffer_named(const Schedule& schedule, const std::string& name) {
  for (const Buffer& buffer : schedule.buffers)
    if (buffer.name == name) return buffer;
  throw ScheduleError({Problem{"buffers", "a GEMM has buffers A, B and C; there is no " + name}});
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  constexpr std::int64_t largest = 3;
  std::uint64_t state = seed;
  Matrix matrix(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      matrix(row, column) = static_cast<double>(next(state) % (2 * largest + 1)) - static_cast<double>(largest);
  return matrix;
}

GemmCheck check_gemm(const Schedule& schedule, double alpha, double beta, std::uint64_t seed) {
  Memory before;
  for (const char* name : {"A", "B", "C"}) {
    const Buffer& buffer = buffer_named(schedule, name);
    before[name] = random_matrix(buffer.rows, buffer.columns, seed++);
  }
  if (before["A"].cols() != before["B"].rows() || before["C"].rows() != before["A"].rows() ||
      before["C"].cols() != before["B"].cols())
    throw ScheduleError({Problem{"buffers", "the shapes of A, B and C do not make a product"}});
  const DType dtype = buffer_named(schedule, "C").dtype;

  Matrix expected = alpha * (before["A"] * before["B"]);
  if (beta != 0) expected += beta * before["C"];
  const Memory after = execute(schedule, std::move(before));
  const Matrix& actual = after.at("C");

  GemmCheck result;
  result.elements = expected.size();
  for (std::int64_t row = 0; row < expected.rows(); ++row)
    for (std::int64_t column = 0; column < expected.cols(); ++column) {
      const double wanted = rounded(expected(row, column), dtype);
      if (same(wanted, actual(row, column))) continue;
      if (result.wrong++ != 0) continue;
      result.first_row = row;
      result.first_column = column;
      result.expected = wanted;
      result.actual = actual(row, column);
    }
  return result;
}

}  // namespace gpusim::functional
