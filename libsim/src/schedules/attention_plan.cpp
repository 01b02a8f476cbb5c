#include "schedules/attention_plan.h"

#include "schedules/attention_mmha.h"
#include "schedules/attention_xqa.h"

#include <cmath>
#include <numbers>

namespace gpusim::schedules {
namespace {

constexpr int group_of_rows = 64;  ///< of a warp group
constexpr int group_warps = 4;
constexpr int instruction_rows = 16;
constexpr int widest_head = 256;
constexpr int head_step = 32;
constexpr std::int64_t most_keys = std::int64_t{1} << 30;
constexpr std::int64_t most_layers = std::int64_t{1} << 20;

/// All of an SM's registers, shared out evenly to consumers and the producer's warp group.
int even_registers(int warps) {
  constexpr int all = 65536;
  constexpr int most = 248;
  return std::min(all / ((warps + group_warps) * lanes_per_warp) / 8 * 8, most);
}

void check_attention_problem(const AttentionProblem& problem, KernelCollector& collect) {
  collect.within(problem.batch, 1, most_layers, "batch");
  collect.within(problem.heads, 1, most_layers, "heads");
  collect.within(problem.queries, 1, most_keys, "queries");
  collect.within(problem.keys, 0, most_keys, "keys");
  collect.require(problem.dtype == DType::fp16 || problem.dtype == DType::bf16, "dtype",
                  "fused attention multiplies fp16 or bf16, not " + std::string(name(problem.dtype)));
  collect.require(problem.head_dim >= head_step && problem.head_dim <= widest_head && problem.head_dim % head_step == 0,
                  "head_dim", "it is 32 to 256 in steps of 32, not " + std::to_string(problem.head_dim));
  const std::int64_t kv_heads = problem.kv_heads == 0 ? problem.heads : problem.kv_heads;
  collect.require(kv_heads >= 1 && problem.heads % kv_heads == 0, "kv_heads",
                  std::to_string(kv_heads) + " do not divide " + std::to_string(problem.heads) + " heads");
  collect.require(!problem.causal || problem.keys == 0 || problem.keys >= problem.queries, "keys",
                  "of a causal problem the last query sees all keys, so there are at least as many as queries");
}

void check_attention_tiling(const AttentionProblem& problem, const AttentionTiling& tiling, KernelCollector& collect) {
  if (tiling.variant == AttentionVariant::mmha) return check_mmha_tiling(problem, tiling, collect);
  if (tiling.variant == AttentionVariant::xqa) return check_xqa_tiling(problem, tiling, collect);
  const bool by_groups = tiling.variant == AttentionVariant::flash3;
  const int row_step = by_groups ? group_of_rows : instruction_rows * std::max(tiling.warps, 1);
  collect.within(tiling.warps, 1, 16, "warps");
  collect.require(tiling.tile_m >= row_step && tiling.tile_m <= 256 && tiling.tile_m % row_step == 0, "tile_m",
                  std::to_string(tiling.tile_m) + " rows are not a multiple of " + std::to_string(row_step) + ", " +
                      (by_groups ? "a warp group's" : "16 for each of the warps") + ", up to 256");
  collect.require(tiling.tile_n >= instruction_rows && tiling.tile_n <= 256 && tiling.tile_n % instruction_rows == 0,
                  "tile_n", "it is 16 to 256 keys in steps of 16, not " + std::to_string(tiling.tile_n));
  collect.within(tiling.stages, 1, 8, "stages");
  collect.within(tiling.splits, 1, 1024, "splits");
  if (!collect.empty()) return;
  const std::int64_t before = problem.keys == 0 ? 0 : problem.keys - problem.queries;
  const bool masks = problem.causal && problem.queries > 1;
  const bool wide = tiling.tile_n > tiling.tile_m;
  const int larger = std::max(tiling.tile_m, tiling.tile_n);
  const int smaller = std::min(tiling.tile_m, tiling.tile_n);
  collect.require(!masks || larger % smaller == 0, "tile_n",
                  "of a causal problem one of tile_m and tile_n divides the other: " + std::to_string(smaller) +
                      " does not divide " + std::to_string(larger));
  collect.require(!masks || !wide || !tiling.heavy_first, "heavy_first",
                  "blocks of more keys than rows are counted from the first rows on");
  collect.require(!masks || before % tiling.tile_n == 0, "tile_n",
                  "of a causal problem it divides the keys before the first query: " + std::to_string(before));
  collect.require(!masks || (!tiling.pack_gqa && tiling.splits == 1), tiling.pack_gqa ? "pack_gqa" : "splits",
                  "rows of several heads and shares of the keys are for one query a sequence, or without causal");
}

int attention_registers(const AttentionPlan& plan) {
  constexpr std::int64_t others = 56;
  switch (plan.tiling.variant) {
    case AttentionVariant::flash3:
      return even_registers(plan.compute_warps());
    case AttentionVariant::mmha:
      return mmha_registers;
    case AttentionVariant::xqa:  // a warp has 64 columns of all rows, of scores or of the output
      return registers_for(std::int64_t{plan.tiling.tile_m} * 2 * 2 + others);
    case AttentionVariant::flash2:
      break;
  }
  return registers_for(plan.outputs() + plan.scores() * 3 / 2 + others);
}

}  // namespace

AttentionProblem complete_problem(const AttentionProblem& problem) {
  KernelCollector collect;
  check_attention_problem(problem, collect);
  collect.refuse();
  AttentionProblem complete = problem;
  if (complete.kv_heads == 0) complete.kv_heads = problem.heads;
  if (complete.keys == 0) complete.keys = problem.queries;
  // One query sees all keys: there is nothing to mask.
  complete.causal = problem.causal && problem.queries > 1;
  return complete;
}

AttentionPlan plan_attention(const AttentionProblem& problem, const AttentionTiling& tiling) {
  KernelCollector collect;
  check_attention_problem(problem, collect);
  check_attention_tiling(problem, tiling, collect);
  collect.refuse();
  AttentionPlan plan;
  plan.problem = complete_problem(problem);
  plan.tiling = tiling;
  const std::int64_t group = problem.heads / plan.problem.kv_heads;
  plan.layers = problem.batch * (tiling.pack_gqa ? plan.problem.kv_heads : problem.heads);
  plan.rows = tiling.pack_gqa ? group * problem.queries : problem.queries;
  plan.sharing = tiling.pack_gqa ? 1 : group;
  plan.blocks = divided_up(divided_up(plan.problem.keys, tiling.tile_n), tiling.splits);
  if (plan.problem.causal) {
    plan.invisible = plan.problem.keys - problem.queries;
    plan.blocks = divided_up(plan.grid_m() * tiling.tile_m + plan.invisible, tiling.tile_n);
  }
  if (plan.tiling.registers == 0) plan.tiling.registers = attention_registers(plan);
  return plan;
}

void check_blocks(const AttentionPlan& plan) {
  constexpr std::int64_t most = 1 << 16;
  const AttentionTiling& tiling = plan.tiling;
  const bool walks_blocks = tiling.variant == AttentionVariant::flash2 || tiling.variant == AttentionVariant::flash3;
  KernelCollector collect;
  collect.require(!walks_blocks || plan.blocks <= most, plan.problem.keys == plan.problem.queries ? "queries" : "keys",
                  std::to_string(plan.problem.keys) + " keys are " + std::to_string(plan.blocks) + " blocks of " +
                      std::to_string(tiling.tile_n) + " for a CTA, which has " + std::to_string(most) + " at most; " +
                      std::to_string(most * tiling.tile_n * tiling.splits) + " keys would do");
  collect.refuse();
}

int AttentionPlan::compute_warps() const {
  return tiling.variant == AttentionVariant::flash3 ? tiling.tile_m / group_of_rows * group_warps : tiling.warps;
}

double AttentionPlan::scale() const { return std::numbers::log2e / std::sqrt(static_cast<double>(problem.head_dim)); }

Layout AttentionPlan::first_row() const {
  if (!tiling.heavy_first) return along(Coordinate::block_m, tiling.tile_m);
  return along(Coordinate::block_m, -tiling.tile_m) + (grid_m() - 1) * tiling.tile_m;
}

Layout AttentionPlan::row_origin() const { return tiling.heavy_first ? (grid_m() - 1) * tiling.tile_m : 0; }

Layout AttentionPlan::q_layer() const { return along(Coordinate::block_z, 1, tiling.splits); }
Layout AttentionPlan::kv_layer() const { return along(Coordinate::block_z, 1, tiling.splits * sharing); }
Layout AttentionPlan::result_layer() const { return along(Coordinate::block_z); }

Layout AttentionPlan::first_key(std::int64_t ahead) const {
  const std::int64_t step = tiling.tile_n;
  Layout key = along(Coordinate::loop0, -step) + (-ahead * step);
  if (problem.causal && step > tiling.tile_m)
    return key + along(Coordinate::block_m, step, step / tiling.tile_m) + invisible;
  if (problem.causal) return key + first_row() + (invisible + tiling.tile_m - step);
  key += (blocks - 1) * step;
  if (tiling.splits > 1) key += along(Coordinate::block_z, blocks * step, 1, tiling.splits);
  return key;
}

Bound AttentionPlan::inside(std::int64_t ahead) const {
  if (!problem.causal) return {along(Coordinate::loop0) + ahead, blocks};
  return {first_key(ahead) * -1, 1};
}

std::int64_t AttentionPlan::masked_blocks() const {
  if (problem.causal) return divided_up(tiling.tile_m, tiling.tile_n);
  const std::int64_t beyond = blocks * tiling.splits * tiling.tile_n - problem.keys;
  return divided_up(beyond, tiling.tile_n);
}

SharedTile attention_tile(const AttentionPlan& plan, const char* name, int rows, int stages) {
  const int row_bytes = plan.problem.head_dim * size_of(plan.problem.dtype);
  const int width = row_bytes % widest_swizzle == 0 ? widest_swizzle : widest_swizzle / 2;
  return {name, rows, plan.problem.head_dim, plan.problem.dtype, stages, Bytes(row_bytes), static_cast<Swizzle>(width)};
}

}  // namespace gpusim::schedules
