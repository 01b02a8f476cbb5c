// How C leaves the registers of the warps that multiplied.
#pragma once

#include <optional>

#include "schedules/gemm_access.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// Where a warp has its part of C, and what of the bias belongs to it, within the CTA's tile.
struct ResultAccess {
  Access c;
  Access bias;
  Layout row;
  Layout column;
};

/// As mma leaves it in the warp's tile.
[[nodiscard]] ResultAccess mma_result(const GemmPlan& plan);
/// As wgmma leaves it: of every 64 rows of the warp group each warp has 16.
[[nodiscard]] ResultAccess wgmma_result(const GemmPlan& plan);
/// As the threads of simt have it.
[[nodiscard]] ResultAccess thread_result(const GemmPlan& plan);

/// The tile through which C goes, in a staged or tma epilogue; it follows those of A and B.
[[nodiscard]] std::optional<SharedTile> staging_tile(const GemmPlan& plan);
/// The mbarrier its writers meet at, where other warps of the CTA do not come to its barriers; it follows the others.
[[nodiscard]] std::optional<Barrier> staging_barrier(const GemmPlan& plan);
/// pingpong: the mbarrier that says that the tile is free; behind it.
[[nodiscard]] std::optional<Barrier> staging_turn_barrier(const GemmPlan& plan);

/// Appends what an item ends with: scaling, bias, activation, conversion, stores.
void append_epilogue(GemmProgram& program, Body& body, const GemmPlan& plan, const ResultAccess& result);
/// Appends what has to be over before a CTA ends.
void append_epilogue_end(Body& body, const GemmPlan& plan);

}  // namespace gpusim::schedules
