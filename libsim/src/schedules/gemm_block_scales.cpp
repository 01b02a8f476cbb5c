#include "schedules/gemm_block_scales.h"

#include <cstdlib>
#include <numeric>
#include <string>

#include "schedules/gemm_access.h"
#include "schedules/gemm_epilogue.h"

namespace gpusim::schedules {
namespace {

constexpr int most_scale_blocks = 2;
constexpr int rows_of_scales = 16;     ///< a warp's, of each 64 of the group
constexpr int scales_of_lane = 2;      ///< of them
constexpr int meetings_of_scales = 2;  ///< an item of a CTA that walks them
constexpr int scales_of_vector = vector_bytes / static_cast<int>(sizeof(float));

int blocks_of(const GemmPlan& plan) { return scale_blocks(plan.tiling.tile.n); }

/// The block in which the CTA's tile begins, floor(block_n tile.n / 128): a term for each of the blocks that `period`
/// tiles, after which all begins again, go through.
Layout first_block(const GemmPlan& plan) {
  const int columns = plan.tiling.tile.n;
  const int common = std::gcd(columns, scale_block);
  const std::int64_t period = scale_block / common;
  const std::int64_t steps = columns / common;
  if (period == 1) return along(Coordinate::block_n, steps);
  Layout block;
  for (std::int64_t step = 1; step <= steps; ++step)
    block += along(Coordinate::block_n, 1, period, 0, period - pieces(period * step, steps));
  return block;
}

/// The loop's k tile within the item: of a CTA that walks items the index goes on.
Layout scale_k(const GemmProgram& program, const GemmPlan& plan) {
  return along(program.walker.k(), 1, 1, plan.k_tiles);
}

Token scales_a(GemmProgram& program) { return program.token("scales of a"); }
Token scales_b(GemmProgram& program) { return program.token("scales of b"); }

/// All warps come.
void meet_for_scales(GemmProgram& program, Body& body, const GemmPlan& plan, int number) {
  const BarrierSlot at{BarrierId{staging_barrier(plan) ? 3 : 2}, {}};
  append(body, BarrierArrive{at, Bytes(), std::nullopt});
  append(body, BarrierWait{at, program.walker.item() * meetings_of_scales + number});
}

int nearest_columns(int columns) {
  constexpr int step = 8;
  constexpr int widest = 256;
  int nearest = scale_block;
  for (int each = step; each <= widest; each += step)
    if (scale_blocks(each) <= most_scale_blocks && std::abs(each - columns) < std::abs(nearest - columns))
      nearest = each;
  return nearest;
}

}  // namespace

int scale_blocks(int columns) {
  const int farthest = scale_block - std::gcd(columns, scale_block);  // of a tile's beginning within a block
  return (farthest + columns - 1) / scale_block + 1;
}

void check_block_scales(const GemmProblem& problem, const GemmTiling& tiling, GemmCollector& collect) {
  if (!problem.block_scales) return;
  if (tiling.variant != GemmVariant::wgmma)
    return collect.require(false, "block_scales",
                           "blocks' scales are multiplied between wgmma groups: " + std::string(name(tiling.variant)) +
                               " has none; wgmma does");
  collect.require(problem.dtype == DType::fp8, "block_scales",
                  "blocks of fp8 have scales here, not of " + std::string(name(problem.dtype)) + "; fp8 is the choice");
  collect.require(problem.accumulate == DType::fp32, "accumulate",
                  "sums that are scaled are fp32, not " + std::string(name(problem.accumulate)));
  collect.require(tiling.promote, "promote",
                  "a k tile's sums are scaled as they are added to the product's: block_scales needs it");
  collect.require(tiling.specialize, "specialize", "block_scales needs a producer warp beside the consumers");
  collect.require(tiling.tile.k == scale_block, "tile.k",
                  "a block of scales has " + std::to_string(scale_block) + " of k, and so has a k tile, not " +
                      std::to_string(tiling.tile.k) + "; 128 would do");
  collect.require(tiling.split_k == 1, "split_k", "block_scales are read for the whole of k; 1 is the choice");
  collect.require(!tiling.stream_k, "stream_k", "block_scales are read for the whole of k; turn it off");
  collect.require(scale_blocks(tiling.tile.n) <= most_scale_blocks, "tile.n",
                  std::to_string(tiling.tile.n) + " columns lie in up to " +
                      std::to_string(scale_blocks(tiling.tile.n)) +
                      " blocks of 128, and a lane has the scales of two; " +
                      std::to_string(nearest_columns(tiling.tile.n)) + " would do");
}

std::vector<SharedTile> block_scale_tiles(const GemmPlan& plan) {
  const auto tile = [](const char* name, int rows, std::int64_t columns, int stages) {
    const std::int64_t padded = pieces(columns, scales_of_vector) * scales_of_vector;
    return SharedTile{name,         rows, static_cast<int>(padded), DType::fp32, stages, Bytes(padded * register_bytes),
                      Swizzle::none};
  };
  return {tile("scales of A", 1, plan.tiling.tile.m, plan.tiling.stages),
          tile("scales of B", blocks_of(plan), plan.k_tiles, 1)};
}

Barrier block_scale_barrier(const GemmPlan& plan) { return {"scales", 1, plan.compute_warps()}; }

int block_scale_registers(const GemmPlan& plan) {
  return plan.has_block_scales() ? scales_of_lane + (1 + scales_of_lane) * blocks_of(plan) : 0;
}

void append_scales_of_b(GemmProgram& program, Body& body, const GemmPlan& plan) {
  const std::int64_t at_once = std::int64_t{plan.compute_warps()} * lanes_per_warp;
  Access part;
  part.count = pieces(plan.k_tiles, at_once);
  part.column = along(Coordinate::warp, lanes_per_warp) + along(Coordinate::lane);
  if (part.count > 1) part.column += along(Coordinate::repeat, at_once);
  part.lanes = Bound{part.column, plan.k_tiles};
  append_overhead(body, loop_overhead + part.count);
  for (int block = 0; block < blocks_of(plan); ++block)
    append(body,
           LoadGlobal{part.global(scales_buffer_b(plan), first_block(plan) + block, 0, batch_layer(plan)),
                      program.token("block " + std::to_string(block))},
           part.count);
  if (plan.persistent()) meet_for_scales(program, body, plan, 0);  // all have read what the item before left
  for (int block = 0; block < blocks_of(plan); ++block)
    append(body, StoreShared{part.shared(scales_tile_b, 0, block, 0), program.token("block " + std::to_string(block))},
           part.count);
  meet_for_scales(program, body, plan, plan.persistent() ? 1 : 0);
}

void append_tile_scales_of_b(GemmProgram& program, Body& body, const GemmPlan& plan) {
  SharedAccess from{scales_tile_b, {}, {}, scale_k(program, plan), 1, std::nullopt};
  from.uniform = true;
  if (blocks_of(plan) > 1) from.row = along(Coordinate::repeat, 1, 1, blocks_of(plan));
  append(body, LoadShared{from, scales_b(program)}, blocks_of(plan));
}

void append_tile_scales_of_a(GemmProgram& program, Body& body, const GemmPlan& plan, const Layout& stage, int block) {
  const int group = plan.tiling.tile.m / plan.tiling.consumers;
  const Layout row = along(Coordinate::warp, group, warps_per_group) +
                     along(Coordinate::warp, rows_of_scales, 1, warps_per_group) + along(Coordinate::lane, 1, quad) +
                     along(Coordinate::repeat, matrix_rows, 1, scales_of_lane) + std::int64_t{block} * wgmma_rows;
  append(body, LoadShared{SharedAccess{scales_tile_a, stage, {}, row, 1, std::nullopt}, scales_a(program)},
         scales_of_lane);
}

void append_scale_products(GemmProgram& program, Body& body, const GemmPlan& plan) {
  const Token a = scales_a(program);
  append(body, Arithmetic{.pipe = Pipe::fma, .reads = {a, scales_b(program)}, .writes = a, .overhead = false},
         std::int64_t{scales_of_lane} * blocks_of(plan));
}

BlockFactors block_factors(GemmProgram& program, const GemmPlan& plan) {
  return {scales_a(program), scales_b(program), scale_block, block_column(plan) + first_block(plan) * -scale_block,
          scale_k(program, plan)};
}

}  // namespace gpusim::schedules
