#include "schedules/gemm_reduce.h"

#include <algorithm>
#include <string>

#include "schedules/gemm_buffers.h"
#include "schedules/gemm_finish.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId from_workspace{0};
constexpr BufferId to_c{1};
constexpr BufferId from_bias{2};

constexpr int rows = 8;  ///< of C, a CTA's: one for each warp
constexpr int vector = 4;
constexpr int columns = lanes_per_warp * vector;
/// Loads of a thread that are on their way together.
constexpr std::int64_t slices_at_once = 4;
constexpr std::int64_t prologue_instructions = 16;
/// Loads' counter, comparison, branch and pointer.
constexpr std::int64_t loop_instructions = 4;
constexpr int registers = 40;

GlobalAccess place(BufferId buffer, const Layout& layer) {
  return {buffer,
          along(Coordinate::block_m, rows) + along(Coordinate::warp),
          along(Coordinate::block_n, columns) + along(Coordinate::lane, vector),
          vector,
          std::nullopt,
          std::nullopt,
          false,
          layer};
}

/// Sums of one row's slices, four columns a lane.
class ReducingWarp {
 public:
  explicit ReducingWarp(const GemmPlan& plan) : plan_(plan), c_(program_.token("c")) {}

  Program write() {
    append_overhead(program_.body, prologue_instructions);
    append(program_.body, LoadGlobal{.from = place(from_workspace, slice(0)), .into = c_});
    const std::int64_t others = plan_.tiling.split_k - 1;
    const std::int64_t rounds = others / slices_at_once;
    if (rounds > 0) {
      Loop loop{rounds, {}, false};
      append_overhead(loop.body, loop_instructions);
      add_slices(loop.body, along(Coordinate::loop0, slices_at_once) + 1, slices_at_once);
      program_.body.emplace_back(std::move(loop));
    }
    add_slices(program_.body, rounds * slices_at_once + 1, others % slices_at_once);
    FinishedSums sums{c_, place(to_c, along(Coordinate::block_z)), place(from_bias, {}), 1};
    sums.bias.row = {};
    append_finish(program_, program_.body, plan_, sums);
    return std::move(program_);
  }

 private:
  [[nodiscard]] Layout slice(const Layout& number) const {
    return along(Coordinate::block_z, plan_.tiling.split_k) + number;
  }

  void add_slices(Body& body, const Layout& first, std::int64_t count) {
    while (static_cast<std::int64_t>(parts_.size()) < count)
      parts_.push_back(program_.token("part" + std::to_string(parts_.size())));
    for (std::int64_t i = 0; i < count; ++i)
      append(body, LoadGlobal{.from = place(from_workspace, slice(first + i)), .into = part(i)});
    for (std::int64_t i = 0; i < count; ++i) append(body, Scale{.c = c_, .source = part(i), .beta = 1}, vector);
  }

  [[nodiscard]] Token part(std::int64_t index) const { return parts_[static_cast<std::size_t>(index)]; }

  const GemmPlan& plan_;
  Program program_;
  Token c_;
  std::vector<Token> parts_;
};

}  // namespace

Schedule reduce_slices(const GemmPlan& plan) {
  const GemmProblem& problem = plan.posed;
  Schedule schedule;
  schedule.name = "reduce " + std::to_string(plan.tiling.split_k) + " slices of " + std::to_string(problem.m) + "x" +
                  std::to_string(problem.n) + " " + std::string(name(result_type(problem)));
  schedule.buffers = {workspace_buffer(plan), result_buffer(plan)};
  if (problem.bias) schedule.buffers.push_back(bias_buffer(plan));
  schedule.grid_m = (problem.m + rows - 1) / rows;
  schedule.grid_n = (problem.n + columns - 1) / columns;
  schedule.grid_z = problem.batch;
  schedule.roles = {{"worker", rows, ReducingWarp(plan).write()}};
  schedule.registers_per_thread = registers;
  schedule.work = {0, Pipe::fma, result_type(problem), DType::fp32};
  schedule.choices = {{"reduction", "kernel"}, {"split_k", std::to_string(plan.tiling.split_k)}};
  return schedule;
}

}  // namespace gpusim::schedules
