// Softmax of each row: Y[r, c] = exp(X[r, c] - max of row r) / sum over the row.
//
// Three passes over the row: maximum, sum of exponentials, quotient. `online` makes the first two one: a running sum,
// scaled down whenever the running maximum grows. Rows in registers have their sums without a second look.
//
//   const auto schedule = schedules::softmax({.rows = 4096, .columns = 1024}, {.place = RowPlace::registers});
#pragma once

#include <cstdint>

#include "gpusim/dtype.h"
#include "gpusim/schedule.h"
#include "gpusim/schedules/rows.h"

namespace gpusim::schedules {

struct SoftmaxProblem {
  std::int64_t rows = 0, columns = 0;
  DType dtype = DType::fp32;
};

struct SoftmaxTiling : RowTiling {
  bool online = false;   ///< shared, memory: maximum and sum in one pass
  bool divides = false;  ///< each element is divided by the sum, not multiplied by its reciprocal; if precise, exactly
  bool precise = false;  ///< exponentials as precise as expf's: six more instructions than ex2's
  bool twice = false;    ///< registers: exponentials are worked out for the sum and again for the quotient
};

/// The schedule. Throws ScheduleError when problem or tiling make no sense on any GPU.
[[nodiscard]] Schedule softmax(const SoftmaxProblem& problem, const SoftmaxTiling& tiling = {});

}  // namespace gpusim::schedules
