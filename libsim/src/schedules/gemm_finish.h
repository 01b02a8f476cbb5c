// What a second kernel does to sums that it has read from a workspace: C in its own type, where it belongs.
#pragma once

#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// Sums in a fragment, by `count` accesses.
struct FinishedSums {
  Token c;
  GlobalAccess to;    ///< C
  GlobalAccess bias;  ///< of the same columns
  std::int64_t count = 1;
};

/// Appends alpha, beta, bias, activation, conversion and the store.
void append_finish(Program& program, Body& body, const GemmPlan& plan, const FinishedSums& sums);

}  // namespace gpusim::schedules
