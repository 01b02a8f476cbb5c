// Scales of blocks of fp8: where they lie, who reads them and when, and what a tile must be for them.
//
// As DeepGEMM has them (deep_gemm/include/deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh, MIT): A's come with each stage, by a
// bulk copy; B's for all of k are brought by the warps that multiply, once for each tile of C.
#pragma once

#include <vector>

#include "schedules/gemm_collect.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

inline constexpr int scale_block = 128;  ///< k of a block, and columns of one of B

inline constexpr TileId scales_tile_a{2};
inline constexpr TileId scales_tile_b{3};
[[nodiscard]] inline BufferId scales_buffer_a(const GemmPlan& plan) { return plan.partials(); }
[[nodiscard]] inline BufferId scales_buffer_b(const GemmPlan& plan) { return BufferId{plan.partials().index() + 1}; }

/// Blocks of B's columns that a tile of so many meets at most.
[[nodiscard]] int scale_blocks(int columns);

/// What keeps blocks from having scales.
void check_block_scales(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect);

/// A's, a row a stage, and B's.
[[nodiscard]] std::vector<SharedTile> block_scale_tiles(const GemmPlan& plan);
/// Where warps wait for each other before B's are overwritten, and until all are there.
[[nodiscard]] Barrier block_scale_barrier(const GemmPlan& plan);

/// Registers of a lane: A's scales and B's, and their products.
[[nodiscard]] int block_scale_registers(const GemmPlan& plan);

/// Reads B's for the item's tile into shared memory, all warps a part each.
void append_scales_of_b(GemmProgram& program, Body& body, const GemmPlan& plan);
/// Reads B's scales of the k tile: before its data are waited for.
void append_tile_scales_of_b(GemmProgram& program, Body& body, const GemmPlan& plan);
/// Reads A's of that block of 64 rows of each group, once the stage is there.
void append_tile_scales_of_a(GemmProgram& program, Body& body, const GemmPlan& plan, const Layout& stage, int block);
/// Multiplies a lane's scales of A by those of B.
void append_scale_products(GemmProgram& program, Body& body, const GemmPlan& plan);
/// What the sums of a k tile are multiplied by.
[[nodiscard]] BlockFactors block_factors(GemmProgram& program, const GemmPlan& plan);

}  // namespace gpusim::schedules
