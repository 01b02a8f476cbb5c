#include "schedules/gemm_scale.h"

namespace gpusim::schedules {
namespace {

/// relu is a maximum; gelu, by its tanh, five products and sums; silu three beside ex2 and rcp.
std::int64_t activation_instructions(Activation activation) {
  switch (activation) {
    case Activation::none:
      return 0;
    case Activation::relu:
      return 1;
    case Activation::gelu:
      return 5;
    case Activation::silu:
      return 3;
  }
  return 0;
}

}  // namespace

std::int64_t scale_instructions(const GemmProblem& problem) {
  const int terms = (problem.alpha != 1 ? 1 : 0) + (problem.beta != 0 ? 1 : 0) + (problem.bias ? 1 : 0);
  return terms + activation_instructions(problem.activation);
}

std::int64_t special_instructions(Activation activation) {
  if (activation == Activation::silu) return 2;
  return activation == Activation::gelu ? 1 : 0;
}

}  // namespace gpusim::schedules
