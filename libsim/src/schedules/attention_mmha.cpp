#include "schedules/attention_mmha.h"

#include "schedules/mmha_writer.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t piece_bytes = 16;  ///< of a key, a lane's

SharedTile row_tile(const char* name, std::int64_t columns, DType dtype, std::int64_t stages = 1) {
  const std::int64_t bytes = divided_up(columns * size_of(dtype), piece_bytes) * piece_bytes;
  return {name, 1, static_cast<int>(columns), dtype, static_cast<int>(stages), Bytes(bytes)};
}

}  // namespace

std::int64_t mmha_lanes(const AttentionProblem& problem) {
  return power_of_two_from(problem.head_dim) * size_of(problem.dtype) / piece_bytes;
}

MmhaShape mmha_shape(const AttentionPlan& plan) {
  MmhaShape shape;
  shape.warps = plan.tiling.warps;
  shape.lanes = mmha_lanes(plan.problem);
  shape.elements = piece_bytes / size_of(plan.problem.dtype);
  shape.unroll = plan.tiling.tile_n / shape.of_cta();
  shape.cached = plan.tiling.splits > 1 ? divided_up(plan.problem.keys, plan.tiling.splits) : plan.problem.keys - 1;
  return shape;
}

void check_mmha_tiling(const AttentionProblem& problem, const AttentionTiling& tiling, KernelCollector& collect) {
  constexpr int most_warps = most_cta_threads / lanes_per_warp;
  constexpr std::int64_t most_unrolled = 16;
  constexpr AttentionTiling plain;
  collect.require(problem.queries == 1, "queries",
                  "masked multi-head attention has one query a sequence, not " + std::to_string(problem.queries));
  collect.require(problem.keys >= 2, "keys",
                  "one query is the new token's, and the last key, too; there are others: two keys at least, not " +
                      std::to_string(problem.keys));
  collect.require(tiling.tile_m == 1, "tile_m",
                  "a CTA has one query of one head: 1 row, not " + std::to_string(tiling.tile_m));
  collect.require(tiling.warps >= 1 && tiling.warps <= most_warps && (tiling.warps & (tiling.warps - 1)) == 0, "warps",
                  "it is a power of 2 up to " + std::to_string(most_warps) + ", not " + std::to_string(tiling.warps));
  collect.require(tiling.stages == plain.stages, "stages", "keys and values come straight into registers");
  collect.require(tiling.overlap == plain.overlap, "overlap", "no product runs beside the softmax");
  collect.require(!tiling.pack_gqa, "pack_gqa", "each head has a CTA of its own");
  collect.require(!tiling.heavy_first, "heavy_first", "all CTAs have as many keys");
  collect.within(tiling.splits, 1, 1024, "splits");
  if (!collect.empty()) return;
  const std::int64_t step = std::int64_t{tiling.warps} * lanes_per_warp / mmha_lanes(problem);
  collect.require(tiling.tile_n >= step && tiling.tile_n <= most_unrolled * step && tiling.tile_n % step == 0 &&
                      (tiling.tile_n / step & (tiling.tile_n / step - 1)) == 0,
                  "tile_n",
                  "it is 1, 2, 4, 8 or " + std::to_string(most_unrolled) + " times the " + std::to_string(step) +
                      " keys that all warps load together, not " + std::to_string(tiling.tile_n));
  const std::int64_t share = divided_up(problem.keys, tiling.splits);
  collect.require((tiling.splits - 1) * share < problem.keys, "splits",
                  "the last of " + std::to_string(tiling.splits) + " CTAs has none of " + std::to_string(problem.keys) +
                      " keys; " + std::to_string(divided_up(problem.keys, share)) + " would do");
}

std::vector<Buffer> mmha_buffers(const AttentionPlan& plan) {
  const std::int64_t pages = divided_up(plan.problem.keys, mmha_page_keys);
  return {matrix_buffer("lengths", plan.problem.batch, 1, DType::int32),
          matrix_buffer("pages", plan.problem.batch, 2 * pages, DType::int32),
          matrix_buffer("frequencies", 1, power_of_two_from(plan.problem.head_dim) / 2, DType::fp32)};
}

std::vector<SharedTile> mmha_tiles(const AttentionPlan& plan) {
  const MmhaShape shape = mmha_shape(plan);
  const std::int64_t head = shape.lanes * shape.elements;
  const std::int64_t values = shape.values_unroll() * shape.of_cta();
  const std::int64_t scores = std::max(divided_up(shape.cached + 1, lanes_per_warp) * lanes_per_warp,
                                       divided_up(shape.cached, values) * values);
  std::vector<SharedTile> tiles{row_tile("Q", head, plan.problem.dtype), row_tile("scores", scores, DType::fp32),
                                row_tile("meeting", shape.warps, DType::fp32, 2),
                                // Weights stay where scores were; on hardware they have this room of their own.
                                row_tile("weights", shape.cached + 1, plan.problem.dtype),
                                row_tile("outputs", head, DType::fp32, std::max<std::int64_t>(shape.warps / 2, 1))};
  tiles.back().overlaps = true;
  return tiles;
}

std::vector<Role> mmha_roles(const AttentionPlan& plan) {
  return {{"worker", plan.tiling.warps, MmhaWriter(plan).write()}};
}

}  // namespace gpusim::schedules
