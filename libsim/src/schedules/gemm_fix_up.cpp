#include "schedules/gemm_fix_up.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "schedules/gemm_access.h"
#include "schedules/gemm_buffers.h"
#include "schedules/gemm_finish.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId fixed_sums{0};
constexpr BufferId fixed_c{1};
constexpr BufferId fixed_bias{2};

constexpr int most_fixing_warps = 8;
/// Loads of a thread that are on their way together.
constexpr std::int64_t most_loads_at_once = 8;
constexpr std::int64_t fixing_prologue = 16;
constexpr int fixing_registers = 24;

Extent tile_of(const GemmPlan& plan) { return {plan.tiling.tile.m, plan.tiling.tile.n}; }

/// 16 bytes of sums a lane, or what of them divides a row of the tile; a C that is wider takes fewer.
int vector_of(const GemmPlan& plan) {
  const int widest = std::max(size_of(plan.partial_type()), size_of(result_type(plan.problem)));
  return std::gcd(vector_bytes / widest, plan.tiling.tile.n);
}

/// As many warps as all have a part of a tile.
int warps_for(const GemmPlan& plan) {
  int warps = most_fixing_warps;
  while (copy_access(tile_of(plan), 0, warps, vector_of(plan)).busy_warps < warps) warps /= 2;
  return warps;
}

/// Holds in the CTA whose item begins the tile, where others end it.
Bound begins_cut_tile() {
  return {along(Coordinate::k_begin) + along(Coordinate::partial, -beyond_all) + beyond_all, 1};
}

Program fixing_warp(const GemmPlan& plan, const Access& tile, std::int64_t at_once) {
  GemmProgram walker(plan);
  Program program;
  const Token c = program.token("c");
  const auto place = [&](const Access& access, BufferId buffer) {
    return access.global(buffer, block_row(plan), block_column(plan), batch_layer(plan));
  };
  append_overhead(program.body, fixing_prologue);
  Body item;
  for (std::int64_t piece = 0; piece < tile.count / at_once; ++piece) {
    const Access part = piece_of(tile, tile.count / at_once, piece);
    Body operations;
    append(operations, LoadGlobal{.from = place(part, fixed_sums), .into = c}, part.count);
    FinishedSums sums{c, place(part, fixed_c), place(part, fixed_bias), part.count};
    sums.bias.row = {};
    sums.bias.layer = {};
    append_finish(program, operations, plan, sums);
    append_where(item, std::move(operations), begins_cut_tile());
  }
  walker.walker.append_items(program.body, std::move(item));
  return program;
}

}  // namespace

Schedule fix_up_tiles(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  const int warps = warps_for(plan);
  const Access tile = copy_access(tile_of(plan), 0, warps, vector_of(plan));
  const std::int64_t at_once = std::gcd(tile.count, most_loads_at_once);
  Schedule schedule;
  schedule.name = "fix up cut tiles of " + std::to_string(problem.m) + "x" + std::to_string(problem.n) + " " +
                  std::string(name(result_type(problem)));
  schedule.buffers = {partials_buffer(plan), result_buffer(plan)};
  if (problem.bias) schedule.buffers.push_back(bias_buffer(plan));
  set_walk(plan, schedule);
  schedule.restarts_k = true;  // no loop over k tiles: an item's first is counted from its tile's beginning
  schedule.roles = {{"worker", warps, fixing_warp(plan, tile, at_once)}};
  const int fragments = 1 + (problem.beta != 0 ? 1 : 0) + (problem.bias ? 1 : 0);
  schedule.registers_per_thread =
      fixing_registers + fragments * static_cast<int>(at_once) * vector_bytes / register_bytes;
  schedule.work = {0, Pipe::fma, result_type(problem), plan.partial_type()};
  schedule.choices = {{"stream_k", "true"}, {"ctas", std::to_string(plan.tiling.ctas)}};
  return schedule;
}

}  // namespace gpusim::schedules
