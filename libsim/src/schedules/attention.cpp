#include "gpusim/schedules/attention.h"

#include "schedules/attention_mmha.h"
#include "schedules/attention_plan.h"
#include "schedules/attention_xqa.h"

namespace gpusim::schedules {
namespace {

std::vector<Buffer> attention_buffers(const AttentionPlan& plan) {
  const AttentionProblem& problem = plan.problem;
  const std::int64_t kv_layers = problem.batch * problem.kv_heads;
  const std::int64_t parts = plan.layers * plan.tiling.splits;
  const bool split = plan.tiling.splits > 1;
  std::vector<Buffer> buffers{matrix_buffer("Q", plan.rows, problem.head_dim, problem.dtype, plan.layers),
                              matrix_buffer("K", problem.keys, problem.head_dim, problem.dtype, kv_layers),
                              matrix_buffer("V", problem.keys, problem.head_dim, problem.dtype, kv_layers),
                              split ? matrix_buffer("partials", plan.rows, problem.head_dim, DType::fp32, parts)
                                    : matrix_buffer("O", plan.rows, problem.head_dim, problem.dtype, plan.layers)};
  if (split) {
    buffers.push_back(matrix_buffer("maxima", plan.rows, 1, DType::fp32, parts));
    buffers.push_back(matrix_buffer("sums", plan.rows, 1, DType::fp32, parts));
  }
  if (plan.tiling.variant == AttentionVariant::mmha)
    for (Buffer& buffer : mmha_buffers(plan)) buffers.push_back(std::move(buffer));
  if (plan.tiling.variant == AttentionVariant::xqa)
    for (Buffer& buffer : xqa_buffers(plan)) buffers.push_back(std::move(buffer));
  return buffers;
}

/// A product with K and one with V for each pair of a query and a key it sees.
double attention_flops(const AttentionProblem& problem) {
  const auto queries = static_cast<double>(problem.queries);
  const auto keys = static_cast<double>(problem.keys);
  const double pairs = problem.causal ? queries * (keys - queries) + queries * (queries + 1) / 2 : queries * keys;
  return 4 * pairs * problem.head_dim * static_cast<double>(problem.batch * problem.heads);
}

std::vector<SharedTile> attention_tiles(const AttentionPlan& plan) {
  const AttentionTiling& tiling = plan.tiling;
  if (tiling.variant == AttentionVariant::mmha) return mmha_tiles(plan);
  if (tiling.variant == AttentionVariant::xqa) return xqa_tiles(plan);
  const bool by_groups = tiling.variant == AttentionVariant::flash3;
  const int stages = by_groups ? tiling.stages : 1;
  std::vector<SharedTile> tiles{attention_tile(plan, "Q", tiling.tile_m, 1),
                                attention_tile(plan, "K", tiling.tile_n, stages),
                                attention_tile(plan, "V", tiling.tile_n, stages)};
  if (!by_groups && tiling.splits == 1) {
    tiles.push_back(attention_tile(plan, "O", tiling.tile_m, 1));
    tiles.back().overlaps = true;
  }
  return tiles;
}

std::vector<Role> attention_roles(const AttentionPlan& plan) {
  switch (plan.tiling.variant) {
    case AttentionVariant::flash3:
      return flash3_roles(plan);
    case AttentionVariant::mmha:
      return mmha_roles(plan);
    case AttentionVariant::xqa:
      return xqa_roles(plan);
    case AttentionVariant::flash2:
      break;
  }
  return flash2_roles(plan);
}

Schedule attention_schedule(const AttentionPlan& plan) {
  check_blocks(plan);
  const AttentionProblem& problem = plan.problem;
  const AttentionTiling& tiling = plan.tiling;
  const bool by_groups = tiling.variant == AttentionVariant::flash3;
  Schedule schedule;
  schedule.name = "attention " + std::to_string(problem.batch) + " x " + std::to_string(problem.heads) + " x " +
                  std::to_string(problem.queries) + "x" + std::to_string(problem.keys) + "x" +
                  std::to_string(problem.head_dim) + (problem.causal ? " causal " : " ") +
                  std::string(name(problem.dtype)) + " " + std::string(variant_word(tiling.variant));
  schedule.buffers = attention_buffers(plan);
  schedule.grid_m = plan.grid_m();
  schedule.grid_z = plan.layers * tiling.splits;
  schedule.roles = attention_roles(plan);
  schedule.shared_tiles = attention_tiles(plan);
  if (by_groups) schedule.barriers = flash3_barriers(plan);
  if (tiling.variant == AttentionVariant::xqa) schedule.barriers = xqa_barriers(plan);
  schedule.registers_per_thread = tiling.registers;
  const bool by_tensor_cores = tiling.variant != AttentionVariant::mmha;
  schedule.work = {attention_flops(problem), by_tensor_cores ? Pipe::tensor : Pipe::fma,
                   by_tensor_cores ? problem.dtype : DType::fp32, DType::fp32};
  schedule.choices = {{"variant", std::string(variant_word(tiling.variant))},
                      {"tile_m", std::to_string(tiling.tile_m)},
                      {"tile_n", std::to_string(tiling.tile_n)},
                      {"warps", std::to_string(plan.compute_warps())},
                      {"stages", std::to_string(by_groups ? tiling.stages : 1)},
                      {"overlap", by_groups && tiling.overlap ? "true" : "false"},
                      {"pack_gqa", tiling.pack_gqa ? "true" : "false"},
                      {"splits", std::to_string(tiling.splits)},
                      {"heavy_first", tiling.heavy_first ? "true" : "false"},
                      {"registers", std::to_string(tiling.registers)}};
  return checked_kernel(std::move(schedule));
}

}  // namespace

Schedule attention(const AttentionProblem& problem, const AttentionTiling& tiling) {
  return attention_schedule(plan_attention(problem, tiling));
}

std::vector<Schedule> attention_kernels(const AttentionProblem& problem, const AttentionTiling& tiling) {
  const AttentionPlan plan = plan_attention(problem, tiling);
  std::vector<Schedule> kernels{attention_schedule(plan)};
  if (tiling.splits > 1) kernels.push_back(combine_splits(plan));
  return kernels;
}

}  // namespace gpusim::schedules
