// The matrices of a GEMM in global memory.
#pragma once

#include "gpusim/schedule.h"
#include "schedules/gemm_plan.h"

namespace gpusim::schedules {

/// What the problem calls the operands that are tiled as A and as B.
[[nodiscard]] const char* name_of_a(const GemmPlan& plan);
[[nodiscard]] const char* name_of_b(const GemmPlan& plan);
[[nodiscard]] Buffer result_buffer(const GemmPlan& plan);
/// Partial products of all slices of k, one layer each: those of a batch's first product first.
[[nodiscard]] Buffer workspace_buffer(const GemmPlan& plan);
/// Sums of the tiles that stream_k cut, at their places in C.
[[nodiscard]] Buffer partials_buffer(const GemmPlan& plan);
[[nodiscard]] Buffer bias_buffer(const GemmPlan& plan);
/// Where in local memory the lanes' vectors of a run are: the first in place `first` of so many, the next in the next
/// one, and after the last in the first again; 0 places: as many as there are.
[[nodiscard]] GlobalAccess local_access(const GemmPlan& plan, int vector, std::int64_t first, std::int64_t places);
/// Elements of the operand's tile that a lane loads.
[[nodiscard]] std::int64_t elements_on_the_way(const GemmPlan& plan, const OperandPlan& operand);
/// All that gemm() uses, in the order of gemm_plan.h's indices.
[[nodiscard]] std::vector<Buffer> gemm_buffers(const GemmPlan& plan);

}  // namespace gpusim::schedules
