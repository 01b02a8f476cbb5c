// Kernels other than GEMM executed on random numbers, and compared element by element with what they are to compute.
//
// References are computed in double precision. The kernel's order of sums differs, so an element may be half a step of
// its type beside the reference's rounding: that is not wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/functional.h"
#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/gemv.h"
#include "gpusim/schedules/layernorm.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/softmax.h"
#include "gpusim/schedules/transpose.h"

namespace gpusim::functional {

/// `wrong` is 0 when every element is as it should be.
struct KernelCheck {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::string first_buffer;  ///< of the first wrong element
  std::int64_t first_row = 0, first_column = 0;
  double expected = 0, actual = 0;  ///< there
};

/// Each executes the kernels one after another and compares the buffers they leave. Throws ScheduleError when a buffer
/// is missing or has another shape than the problem's.
[[nodiscard]] KernelCheck check_copy(const Schedule& schedule, const schedules::CopyProblem& problem,
                                     std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_elementwise(const Schedule& schedule, const schedules::ElementwiseProblem& problem,
                                            std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_transpose(const Schedule& schedule, const schedules::TransposeProblem& problem,
                                          std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_reduce(const Schedule& schedule, const schedules::ReduceProblem& problem,
                                       std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_softmax(const Schedule& schedule, const schedules::SoftmaxProblem& problem,
                                        std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_layernorm(const Schedule& schedule, const schedules::NormProblem& problem,
                                          std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_gemv(const Schedule& schedule, const schedules::GemvProblem& problem,
                                     std::uint64_t seed = 1);
[[nodiscard]] KernelCheck check_attention(const std::vector<Schedule>& kernels,
                                          const schedules::AttentionProblem& problem, std::uint64_t seed = 1);

}  // namespace gpusim::functional
