// Instructions of functions, an element, as nvcc writes them for fp32 without fast-math; docs/kernels.md lists them.
#pragma once

#include "gpusim/schedules/elementwise.h"

namespace gpusim::schedules {

struct ElementCost {
  int fma = 0;
  int alu = 0;
  int sfu = 0;
};

/// A quotient rounded correctly: a reciprocal, two Newton steps, the remainder and its correction; a range check (FCHK)
/// and three instructions of the branch around what follows where it fails. As compiled for sm_90 (PyTorch 2.11).
inline constexpr ElementCost division_cost{5, 3, 2};

/// One that is not (div.full.f32, as Triton writes it): both operands scaled where they are large or small, a
/// reciprocal, two products.
inline constexpr ElementCost quick_division_cost{4, 2, 1};

/// What expf takes beside ex2: the whole part of the exponent apart, the rest in two steps, both brought together.
inline constexpr ElementCost precise_exponential_cost{6, 1, 0};

[[nodiscard]] constexpr ElementCost element_cost(ElementwiseOperation operation) {
  switch (operation) {
    case ElementwiseOperation::add:
    case ElementwiseOperation::subtract:
    case ElementwiseOperation::multiply:
      return {1, 0, 0};
    case ElementwiseOperation::divide:
      return division_cost;
    case ElementwiseOperation::power:  // a logarithm in two parts, a product, an exponential
      return {30, 10, 2};
    case ElementwiseOperation::relu:
      return {0, 1, 0};
    case ElementwiseOperation::gelu:  // erf: a polynomial, and beyond 1 an exponential
      return {18, 4, 1};
    case ElementwiseOperation::silu:  // an exponential and a division
      return {11, 3, 2};
    case ElementwiseOperation::tanh:
      return {8, 3, 2};
    case ElementwiseOperation::exp:
      return {4, 1, 1};
    case ElementwiseOperation::cast:
      return {};
  }
  return {};
}

}  // namespace gpusim::schedules
