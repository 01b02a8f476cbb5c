#include "gpusim/schedules/reduce.h"

#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId reduced_source{0};
constexpr BufferId reduced_result{1};

Program reducing_program(const ReduceProblem& problem, const RowPlan& plan, std::vector<SharedTile>& tiles) {
  const Reduction reduction = problem.operation == ReduceOperation::maximum ? Reduction::maximum : Reduction::sum;
  RowWriter rows(plan);
  const Token x = rows.token("x");
  const Token value = rows.token("value");
  if (plan.warps_per_row() > 1) tiles.push_back(rows.meeting_tile(1, TileId(0)));
  rows.begin(1);
  rows.clear(value, reduction);
  rows.pass(1, [&](Body& body) {
    rows.load(body, reduced_source, x);
    if (reduction == Reduction::maximum) rows.mask(body, x);
    rows.reduce(body, x, value, reduction);
  });
  rows.meet(value, reduction, 0);
  GlobalAccess to{.buffer = reduced_result};
  to.row = along(Coordinate::block_m);
  to.lanes = rows.one_thread();
  const Bound first_warp{along(Coordinate::warp), 1};
  if (plan.splits > 1)
    append(rows.body(), AtomicAdd{.to = to, .from = value, .into = {}}, 1, first_warp);
  else
    append(rows.body(), StoreGlobal{.to = to, .from = value}, 1, first_warp);
  return rows.take();
}

}  // namespace

Schedule reduce(const ReduceProblem& problem, const ReduceTiling& tiling) {
  KernelCollector collect;
  RowTiling rows;
  rows.place = RowPlace::memory;
  rows.vector = tiling.vector;
  rows.threads = tiling.threads;
  rows.unroll = tiling.unroll;
  rows.registers = tiling.registers;
  rows.meeting = tiling.meeting;
  collect.threads(tiling.threads);
  collect.require(tiling.splits == 1 || problem.operation == ReduceOperation::sum, "splits",
                  "CTAs that share a row add up at L2, which has no maximum; 1 would do");
  const RowPlan plan = plan_rows(problem.rows, problem.columns, problem.dtype, rows, collect, tiling.splits);
  collect.refuse();
  std::vector<SharedTile> tiles;
  Program program = reducing_program(problem, plan, tiles);
  const std::string name = std::string(problem.operation == ReduceOperation::sum ? "sum " : "maximum ") +
                           std::to_string(problem.rows) + "x" + std::to_string(problem.columns) + " " +
                           std::string(gpusim::name(problem.dtype));
  std::vector<Buffer> buffers{matrix_buffer("X", problem.rows, problem.columns, problem.dtype),
                              matrix_buffer("Y", problem.rows, 1, DType::fp32)};
  return row_kernel(plan, name, std::move(buffers), std::move(tiles), std::move(program),
                    static_cast<double>(problem.rows) * static_cast<double>(problem.columns));
}

}  // namespace gpusim::schedules
