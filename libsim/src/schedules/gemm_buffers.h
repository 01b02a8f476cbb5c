// The matrices of a GEMM in global memory.
#pragma once

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

[[nodiscard]] Buffer result_buffer(const GemmPlan& plan);
/// Partial products of all slices of k, one layer each: those of a batch's first product first.
[[nodiscard]] Buffer workspace_buffer(const GemmPlan& plan);
/// Sums of the tiles that stream_k cut, at their places in C.
[[nodiscard]] Buffer partials_buffer(const GemmPlan& plan);
[[nodiscard]] Buffer bias_buffer(const GemmPlan& plan);
/// All that gemm() uses, in the order of gemm_plan.h's indices.
[[nodiscard]] std::vector<Buffer> gemm_buffers(const GemmPlan& plan);

}  // namespace gpusim::schedules
