// Elementwise kernels: each element of the result is a function of the elements in its place.
//
//   binary   Y = A op B: add, subtract, multiply, divide, power; with `scalar` B is the constant 4 (of power 2)
//            and no array
//   unary    Y = op(A): relu, gelu, silu, tanh, exp, cast
//   gated    Y[r, c] = op(A[r, c]) A[r, columns + c] of a unary op: A's rows are twice as long, as of gated MLPs
//
// What they compute is done in fp32. Instructions of an element beside its load and store are in docs/kernels.md.
//
//   const auto schedule = schedules::elementwise({.operation = schedules::ElementwiseOperation::gelu, .rows = 4096,
//                                                 .columns = 4096});
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/copy.h"

namespace gpusim::schedules {

enum class ElementwiseOperation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  power,
  relu,
  gelu,
  silu,
  tanh,
  exp,
  cast,  ///< as it is, in another type
};
[[nodiscard]] constexpr std::array<std::string_view, 11> names_of(ElementwiseOperation) {
  return {"add", "subtract", "multiply", "divide", "power", "relu", "gelu", "silu", "tanh", "exp", "cast"};
}
/// Whether it takes two operands.
[[nodiscard]] constexpr bool is_binary(ElementwiseOperation operation) {
  return operation <= ElementwiseOperation::power;
}

struct ElementwiseProblem {
  ElementwiseOperation operation = ElementwiseOperation::add;
  std::int64_t rows = 0, columns = 0;  ///< of the result
  DType dtype = DType::fp32;
  std::optional<DType> result;  ///< none: `dtype`
  bool scalar = false;          ///< binary: the second operand is a constant
  bool gated = false;
  bool by_row = false;  ///< not gated, which are so: a CTA has elements of one row alone, and `ctas` are those of a row
  /// Elements of A are divided by one number in memory first, which each thread reads and inverts before all else, as
  /// kernels that quantise do; not gated
  bool scaled = false;
};

/// Whether rows are apart; else arrays are one row.
[[nodiscard]] constexpr bool has_rows(const ElementwiseProblem& problem) { return problem.by_row || problem.gated; }

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule elementwise(const ElementwiseProblem& problem, const StreamTiling& tiling = {});

}  // namespace gpusim::schedules
