#include "schedules/attention_xqa.h"

#include "schedules/xqa_writer.h"

namespace gpusim::schedules {
namespace {

constexpr int xqa_least_head = 64;

}  // namespace

XqaShape xqa_shape(const AttentionPlan& plan) {
  XqaShape shape;
  shape.rows = plan.tiling.tile_m;
  shape.head = power_of_two_from(plan.problem.head_dim);
  shape.piece = plan.tiling.tile_n;
  shape.blocks = divided_up(plan.problem.keys, xqa_block);
  shape.splits = plan.tiling.splits;
  return shape;
}

void check_xqa_tiling(const AttentionProblem& problem, const AttentionTiling& tiling, KernelCollector& collect) {
  if (!collect.empty()) return;
  constexpr AttentionTiling plain;
  const std::int64_t kv_heads = problem.kv_heads == 0 ? problem.heads : problem.kv_heads;
  const std::int64_t group = problem.heads / kv_heads;
  collect.require(problem.queries == 1, "queries",
                  "XQA has one query a sequence, not " + std::to_string(problem.queries));
  collect.require(problem.head_dim >= xqa_least_head, "head_dim",
                  "XQA's heads have 64 elements at least, not " + std::to_string(problem.head_dim));
  collect.require(tiling.tile_m == 16 || tiling.tile_m == 32, "tile_m",
                  "it is 16 or 32 rows, not " + std::to_string(tiling.tile_m));
  collect.require(
      group <= tiling.tile_m, "heads",
      std::to_string(group) + " heads share keys, and the tile has " + std::to_string(tiling.tile_m) + " rows");
  collect.require(tiling.tile_n == 32 || tiling.tile_n == 64, "tile_n",
                  "it is 32 or 64, keys' elements and values' keys at a time, not " + std::to_string(tiling.tile_n));
  collect.require(tiling.warps == plain.warps, "warps", "four make scores, and four add up values");
  collect.require(tiling.stages == plain.stages, "stages", "each warp has two buffers");
  collect.require(tiling.overlap == plain.overlap, "overlap", "scores and values are different warps' work");
  collect.require(tiling.pack_gqa, "pack_gqa", "heads that share keys are rows of one tile");
  collect.require(!tiling.heavy_first, "heavy_first", "all CTAs have as many keys");
  const std::int64_t most_splits =
      std::min<std::int64_t>(divided_up(problem.keys == 0 ? problem.queries : problem.keys, xqa_keys_of_split), 1024);
  collect.within(tiling.splits, 1, most_splits, "splits");
}

std::vector<Buffer> xqa_buffers(const AttentionPlan& plan) {
  return {matrix_buffer("lengths", plan.problem.batch, 1, DType::int32),
          matrix_buffer("pages", plan.problem.batch, 2 * divided_up(plan.problem.keys, xqa_page_keys), DType::int32)};
}

std::vector<SharedTile> xqa_tiles(const AttentionPlan& plan) {
  const XqaShape shape = xqa_shape(plan);
  const int rows = static_cast<int>(shape.rows);
  const int piece = static_cast<int>(shape.piece);
  const int keys = static_cast<int>(xqa_keys);
  const auto tile = [&](const char* name, int height, int width, std::int64_t stages) {
    const int bytes = width * size_of(plan.problem.dtype);
    return SharedTile{
        name, height, width, plan.problem.dtype, static_cast<int>(stages), Bytes(bytes), static_cast<Swizzle>(bytes)};
  };
  const auto numbers = [&](const char* name) {
    return SharedTile{name, rows, 1, DType::fp32, static_cast<int>(xqa_warps), Bytes(size_of(DType::fp32))};
  };
  std::vector<SharedTile> tiles{tile("Q", rows, piece, shape.parts()),
                                tile("K", keys, piece, 2 * xqa_warps),
                                tile("V", piece, keys, 2 * xqa_warps),
                                tile("X", rows, piece, shape.halves() * xqa_warps),
                                numbers("maxima"),
                                numbers("sums")};
  tiles.push_back({"O", rows, keys, DType::fp32, static_cast<int>(xqa_warps), Bytes(keys * size_of(DType::fp32) + 16)});
  tiles.back().overlaps = true;
  return tiles;
}

std::vector<Barrier> xqa_barriers(const AttentionPlan& plan) {
  const XqaShape shape = xqa_shape(plan);
  const int warps = static_cast<int>(xqa_warps);
  return {{"query there", 1, warps},
          {"weights made", warps, 1},
          {"weights used", warps, static_cast<int>(shape.of_group() * shape.sharing())}};
}

std::vector<Role> xqa_roles(const AttentionPlan& plan) {
  const int warps = static_cast<int>(xqa_warps);
  return {{"scores", warps, xqa_scores_program(plan)}, {"values", warps, xqa_values_program(plan)}};
}

}  // namespace gpusim::schedules
