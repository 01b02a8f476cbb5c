// A few rows times a matrix on CUDA cores: C[m, n] = A[m, k] B[n, k]^T, of up to sixteen rows of A.
//
// A CTA has a few rows of B, which lie along k as weights do, and all of A. Its threads share k: each loads 16 bytes of
// each row, converts and multiplies them, then goes on by what all threads have at a time. What each has added up meets
// by shuffles within the warp, and through shared memory between warps. Where A has few rows no tile of tensor cores is
// left empty so, and neither of the matrices passes through shared memory (TensorRT-LLM's cudaCoreGemm). Not modelled:
// scales of quantised operands, a bias, batches.
//
//   const auto schedule = schedules::gemv({.n = 4096, .k = 4096, .dtype = DType::fp8});
#pragma once

#include <cstdint>
#include <optional>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"

namespace gpusim::schedules {

struct GemvProblem {
  std::int64_t m = 1;                ///< rows of A and C, at most 16
  std::int64_t n = 0;                ///< rows of B, columns of C
  std::int64_t k = 0;                ///< of the rows of both
  DType dtype = DType::fp16;         ///< of A and B
  std::optional<DType> result = {};  ///< of C; none: that of A and B, of fp8 and int8 bf16
};

struct GemvTiling {
  int columns = 2;    ///< of C that a CTA has: a power of two, at most 8, and with all rows at most 32 sums
  int threads = 128;  ///< that share k
  int vector = 0;  ///< elements of a row that a thread loads at a time, a divisor of k; 0: 16 bytes, or fewer where k
                   ///< asks for it
  int registers = 0;  ///< a thread; 0: an estimate
};

/// C's type, where the problem names none.
[[nodiscard]] constexpr DType result_type(const GemvProblem& problem) {
  return problem.result.value_or(size_of(problem.dtype) == 1 ? DType::bf16 : problem.dtype);
}

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule gemv(const GemvProblem& problem, const GemvTiling& tiling = {});

}  // namespace gpusim::schedules
