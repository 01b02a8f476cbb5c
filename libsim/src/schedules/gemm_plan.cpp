#include "schedules/gemm_plan.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "schedules/gemm_mma.h"
#include "schedules/gemm_operands.h"
#include "schedules/gemm_registers.h"

namespace gpusim::schedules {
namespace {

constexpr int default_stages = 4;
constexpr int warpgroup_columns = 256;

int default_stages_of(GemmVariant variant) { return variant >= GemmVariant::async ? default_stages : 1; }

int default_fragment_k(const GemmPlan& plan) {
  if (plan.tiling.variant != GemmVariant::simt) return plan.slice_k();
  return std::gcd(vector_bytes / size_of(plan.problem.dtype), plan.slice_k());
}

/// wgmma's own shape where mma.sync's default was left: the widest that the tile is a multiple of.
MmaShape warpgroup_instruction(const GemmPlan& plan) {
  MmaShape shape = plan.tiling.instruction;
  if (shape == MmaShape{}) shape = {wgmma_rows, 0, wgmma_k(plan.problem)};
  if (shape.n != 0) return shape;
  constexpr int step = 8;
  shape.n = std::min(plan.tiling.tile.n, warpgroup_columns) / step * step;
  while (shape.n > step && plan.tiling.tile.n % shape.n != 0) shape.n -= step;
  return shape;
}

/// What does not depend on how threads share the tile.
void resolve(GemmPlan& plan) {
  GemmTiling& tiling = plan.tiling;
  if (tiling.stages == 0) tiling.stages = default_stages_of(tiling.variant);
  if (tiling.fragment_k == 0) tiling.fragment_k = default_fragment_k(plan);
  if (tiling.variant == GemmVariant::simt) {
    const bool m_along_rows = plan.has_dot_products() || tiling.transpose_a || is_a_transposed(plan.problem.layout);
    if (tiling.order_m == ElementOrder::automatic)
      tiling.order_m = m_along_rows ? ElementOrder::vectors : ElementOrder::strided;
    if (tiling.order_n == ElementOrder::automatic) tiling.order_n = ElementOrder::vectors;
  }
  if (tiling.variant == GemmVariant::wgmma) tiling.instruction = warpgroup_instruction(plan);
  if (tiling.variant < GemmVariant::simt) tiling.stage_a = tiling.stage_b = false;
  plan.k_tiles = (plan.problem.k + tiling.tile.k - 1) / tiling.tile.k;
  plan.slice_tiles = (plan.k_tiles + tiling.split_k - 1) / tiling.split_k;
}

}  // namespace

bool GemmPlan::fixes_up() const {
  const DType result = schedules::result_type(problem);
  const bool takes_parts = (result == DType::fp32 || result == DType::tf32) && problem.beta == 0 && !problem.bias &&
                           problem.activation == Activation::none;
  return tiling.stream_k && !takes_parts;
}

bool GemmPlan::cuts_tiles() const {
  if (!tiling.stream_k || k_tiles == 1) return false;
  const std::int64_t all =
      pieces(problem.m, tiling.tile.m) * pieces(problem.n, tiling.tile.n) * problem.batch * k_tiles;
  return all % tiling.ctas != 0 || all / tiling.ctas % k_tiles != 0;
}

namespace {

/// How the grid is walked and what comes after the tile: the tile can be shared out whatever is wrong with these.
bool is_beside_the_tile(const Problem& problem) {
  constexpr std::array beside{"split_k",      "reduction",        "stream_k",   "ctas",
                              "persistent",   "consecutive",      "order",      "group",
                              "cluster",      "cluster.m",        "cluster.n",  "multicast",
                              "epilogue",     "stages",           "matrices_a", "matrices_b",
                              "ldmatrix",     "carry_over",       "promote",    "unroll",
                              "multicast_by", "consumers_arrive", "interleave", "epilogue_columns",
                              "pingpong",     "stmatrix"};
  return std::find(beside.begin(), beside.end(), problem.where) != beside.end();
}

/// Iterations of the loop over a tile's steps are alike, and have a next step to read ahead.
void check_unroll(const GemmPlan& plan, std::vector<Problem>& problems) {
  const int unroll = plan.tiling.unroll;
  const int steps = plan.fragment_steps();
  if (unroll == 0 || steps == 1 || (unroll > 1 && steps % unroll == 0)) return;
  int nearest = steps;
  for (int part = 2; part < steps; ++part)
    if (steps % part == 0 && std::abs(part - unroll) < std::abs(nearest - unroll)) nearest = part;
  problems.push_back({"unroll", "the " + std::to_string(steps) +
                                    " steps through a tile are not shared out among iterations of " +
                                    std::to_string(unroll) + " with fragments read ahead; " + std::to_string(nearest) +
                                    " is the nearest"});
}

void check_interleave(const GemmPlan& plan, std::vector<Problem>& problems) {
  if (!plan.tiling.interleave || !plan.on_tensor_cores() || interleaved_strips(plan) > 1) return;
  const int rows = plan.warp_tile.rows / plan.tiling.instruction.m;
  problems.push_back({"interleave", "a warp's " + std::to_string(plan.warp_tile.rows) + "x" +
                                        std::to_string(plan.warp_tile.columns) + " of the tile, " +
                                        std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                                        " of instructions, cannot be cut into two to five equal strips of four "
                                        "multiplications and more; the nearest choice is not to interleave"});
}

/// Loads of simt are issued among the products of the first half of a tile's steps, stores among the others' but the
/// last's.
void check_steps_among(const GemmPlan& plan, std::vector<Problem>& problems) {
  constexpr int least = 4;
  const int steps = plan.fragment_steps();
  if (plan.tiling.variant != GemmVariant::simt || !plan.tiling.interleave || !plan.tiling.prefetch) return;
  if (steps >= least && steps % 2 == 0) return;
  problems.push_back(
      {"interleave", "loads and stores are shared out among the steps through a tile, an even number of " +
                         std::to_string(least) + " and more, not " + std::to_string(steps) +
                         "; another fragment_k would do"});
}

/// Everything but registers. What cannot be planned after a problem is not.
GemmPlan plan_sharing(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given,
                      std::vector<Problem>& problems) {
  GemmPlan plan;
  problems = range_problems(problem, tiling);
  if (!problems.empty()) return plan;
  problems = gemm_problems(problem, tiling, given);
  if (!std::all_of(problems.begin(), problems.end(), is_beside_the_tile)) return plan;

  plan.problem = tiled_problem(problem, tiling);
  plan.posed = problem;
  plan.asked = tiling;
  plan.tiling = tiling;
  resolve(plan);
  if (tiling.double_buffer && tiling.variant != GemmVariant::wgmma && plan.fragment_steps() == 1)
    problems.push_back({"double_buffer",
                        "fragments of the whole tile have no next step; fragment_k must be less than the "
                        "tile's k of " +
                            std::to_string(plan.slice_k()) + (tiling.cta_slices > 1 ? " for each slice" : "")});
  check_unroll(plan, problems);
  plan_threads(plan, problems);
  if (problems.empty()) check_steps_among(plan, problems);
  if (problems.empty()) check_interleave(plan, problems);
  plan_operands(plan, problems);
  return plan;
}

}  // namespace

std::vector<Problem> planning_problems(const GemmProblem& problem, const GemmTiling& tiling, const GemmRequest& given) {
  std::vector<Problem> problems;
  static_cast<void>(plan_sharing(problem, tiling, given, problems));
  return problems;
}

GemmPlan plan_gemm(const GemmProblem& problem, const GemmTiling& tiling) {
  std::vector<Problem> problems;
  GemmPlan plan = plan_sharing(problem, tiling, {}, problems);
  if (problems.empty()) plan_registers(plan, problems);
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return plan;
}

}  // namespace gpusim::schedules
