// A CTA's slices: groups of warps that multiply parts of each k tile, and add up their sums in the end.
#pragma once

#include <vector>

#include "gpusim/error.h"
#include "schedules/gemm_collect.h"
#include "schedules/gemm_epilogue.h"

namespace gpusim::schedules {

/// Where in the k tile the warp's slice begins, `together` elements along k being one.
[[nodiscard]] Layout cta_slice_row(const GemmPlan& plan, int together = 1);

/// First row, within its warp's tile of C, of the part that a slice finishes: the warp's own, or that of the slice so
/// many after it, in a ring.
[[nodiscard]] Layout part_row(const GemmPlan& plan, int ahead = 0);

/// The tile through which they give each other their sums; it follows all others, and lies over them.
[[nodiscard]] SharedTile slice_sums_tile(const GemmPlan& plan);

/// Appends the adding up, after the loop over k. Each slice ends with the sums of its part of C.
void append_slice_sums(GemmProgram& program, Body& body, const GemmPlan& plan);

/// Slices that the k tile cannot be cut into.
void check_slices_of_k(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect);
/// Slices that cannot share out C, or are more warps than a CTA has.
void check_slices_of_cta(const GemmPlan& plan, std::vector<Problem>& problems);

}  // namespace gpusim::schedules
