#include "gpusim/schedules/gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_buffers.h"
#include "schedules/gemm_choices.h"
#include "schedules/gemm_cta_slices.h"
#include "schedules/gemm_epilogue.h"
#include "schedules/gemm_fix_up.h"
#include "schedules/gemm_plan.h"
#include "schedules/gemm_reduce.h"
#include "schedules/gemm_roles.h"
#include "schedules/gemm_simt.h"
#include "schedules/reserved_tile.h"

namespace gpusim::schedules {
namespace {

template <class Value>
std::optional<Value> value_named(std::string_view text) {
  constexpr auto names = names_of(Value{});
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

std::vector<SharedTile> tiles_of(const GemmPlan& plan) {
  std::vector<SharedTile> tiles;
  const auto add = [&](const char* name, const OperandPlan& operand) {
    if (operand.staged)
      tiles.push_back({name, operand.shared.rows, operand.shared.columns, plan.problem.dtype, plan.tiling.stages,
                       operand.pitch, operand.swizzle});
  };
  add(name_of_a(plan), plan.a);
  add(name_of_b(plan), plan.b);
  if (plan.has_metadata())
    tiles.push_back({"metadata", plan.metadata.shared.rows, plan.metadata.shared.columns, DType::int32,
                     plan.tiling.stages, plan.metadata.pitch, Swizzle::none});
  if (plan.has_block_scales())
    for (SharedTile& tile : block_scale_tiles(plan)) tiles.push_back(std::move(tile));
  if (const auto staged = staging_tile(plan)) tiles.push_back(*staged);
  if (plan.tiling.cta_slices > 1) tiles.push_back(slice_sums_tile(plan));
  return tiles;
}

std::string name_of(const GemmPlan& plan) {
  const GemmProblem& problem = plan.posed;
  const std::string batch = problem.batch == 1 ? std::string() : std::to_string(problem.batch) + " of ";
  const std::string turns =
      problem.batch_interleave == 1 ? std::string() : " by turns of " + std::to_string(problem.batch_interleave);
  const std::string layout = problem.layout == GemmLayout::nn ? std::string() : " " + std::string(name(problem.layout));
  return "gemm " + batch + std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
         std::to_string(problem.k) + turns + layout + " " + std::string(name(problem.dtype)) + " " +
         std::string(name(plan.tiling.variant)) + " " + to_string(plan.tiling.tile);
}

Schedule schedule_of(const GemmPlan& plan) {
  const GemmProblem& problem = plan.problem;
  Schedule schedule;
  schedule.name = name_of(plan);
  schedule.buffers = gemm_buffers(plan);
  set_walk(plan, schedule);
  if (plan.on_tensor_cores())
    schedule.roles = gemm_roles(plan);
  else
    schedule.roles = {{"worker", plan.compute_warps(), simt_program(plan)}};
  schedule.shared_tiles = tiles_of(plan);
  if (plan.tiling.reserved > 0) schedule.shared_tiles.push_back(reserved_tile(plan.tiling.reserved));
  schedule.barriers = gemm_barriers(plan);
  schedule.registers_per_thread = plan.tiling.registers;
  const double multiply_adds = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                               static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  schedule.work = {2 * multiply_adds, plan.on_tensor_cores() ? Pipe::tensor : Pipe::fma, problem.dtype,
                   problem.accumulate, problem.sparse};
  schedule.choices = gemm_choices(plan);
  return schedule;
}

Schedule checked(Schedule schedule) {
  std::vector<Problem> problems = check(schedule);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return schedule;
}

}  // namespace

void set_walk(const GemmPlan& plan, Schedule& schedule) {
  const GemmTiling& tiling = plan.tiling;
  schedule.grid_m = (plan.problem.m + tiling.tile.m - 1) / tiling.tile.m;
  schedule.grid_n = (plan.problem.n + tiling.tile.n - 1) / tiling.tile.n;
  schedule.grid_z = plan.layers();
  schedule.cluster = tiling.cluster.m * tiling.cluster.n;
  if (schedule.cluster > 1) schedule.cluster_m = tiling.cluster.m;
  schedule.order = tiling.order;
  schedule.group = tiling.group;
  schedule.ctas = tiling.ctas;
  if (plan.persistent() || plan.slices_k()) schedule.k_tiles = plan.k_tiles;
  schedule.splits = tiling.split_k;
  schedule.stream_k = tiling.stream_k;
  schedule.restarts_k = plan.restarts_k();
  schedule.consecutive = tiling.consecutive;
}

std::string to_string(const GemmTile& tile) {
  return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
}

std::string_view name(GemmVariant variant) { return names_of(variant).at(static_cast<std::size_t>(variant)); }

std::optional<GemmVariant> gemm_variant_named(std::string_view text) { return value_named<GemmVariant>(text); }

std::string_view name(GemmLayout layout) { return names_of(layout).at(static_cast<std::size_t>(layout)); }

std::optional<GemmLayout> gemm_layout_named(std::string_view text) { return value_named<GemmLayout>(text); }

GemmProblem tiled_problem(const GemmProblem& problem, const GemmTiling& tiling) {
  if (!tiling.swap_ab) return problem;
  GemmProblem transpose = problem;
  std::swap(transpose.m, transpose.n);
  // Of nt and tn both matrices lie alike, before and after.
  if (problem.layout == GemmLayout::nn) transpose.layout = GemmLayout::tt;
  if (problem.layout == GemmLayout::tt) transpose.layout = GemmLayout::nn;
  return transpose;
}

bool needs_swap(const GemmProblem& problem) {
  GemmTiling swap;
  swap.swap_ab = true;
  return !groups_can_read(problem.dtype, problem.layout) &&
         groups_can_read(problem.dtype, tiled_problem(problem, swap).layout);
}

Schedule gemm(const GemmProblem& problem, const GemmTiling& tiling) {
  return checked(schedule_of(plan_gemm(problem, tiling)));
}

std::vector<Schedule> gemm_kernels(const GemmProblem& problem, const GemmTiling& tiling) {
  const GemmPlan plan = plan_gemm(problem, tiling);
  std::vector<Schedule> kernels{checked(schedule_of(plan))};
  if (plan.to_workspace()) kernels.push_back(checked(reduce_slices(plan)));
  if (plan.fixes_up() && plan.cuts_tiles()) kernels.push_back(checked(fix_up_tiles(plan)));
  return kernels;
}

}  // namespace gpusim::schedules
