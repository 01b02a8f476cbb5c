#include "gpusim/schedules/reduce.h"

#include <utility>

#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId reduced_source{0};
constexpr BufferId reduced_result{1};
constexpr BufferId reduced_parts{2};

class ReduceWriter {
 public:
  ReduceWriter(const ReduceProblem& problem, const RowPlan& plan, ReduceFinish finish)
      : plan_(plan),
        finish_(finish),
        reduction_(problem.operation == ReduceOperation::maximum ? Reduction::maximum : Reduction::sum),
        rows_(plan),
        x_(rows_.token("x")),
        value_(rows_.token("value")) {}

  Program write(std::vector<SharedTile>& tiles) {
    if (plan_.warps_per_row() > 1) tiles.push_back(rows_.meeting_tile(1, TileId(0)));
    rows_.begin(1);
    pass_over_row(reduced_source);
    if (plan_.splits > 1 && finish_ == ReduceFinish::last_cta)
      leave_to_last_cta();
    else
      store_result();
    return rows_.take();
  }

 private:
  void pass_over_row(BufferId source) {
    rows_.clear(value_, reduction_);
    rows_.pass(1, [&](Body& body) {
      rows_.load(body, source, x_);
      if (reduction_ == Reduction::maximum) rows_.mask(body, x_);
      rows_.reduce(body, x_, value_, reduction_);
    });
    rows_.meet(value_, reduction_, 0);
  }

  void store_result() {
    append_beside(rows_.body(), plan_.tiling.beside.store);
    GlobalAccess to = one_number(reduced_result);
    to.row = rows_.row();
    if (plan_.splits > 1 && finish_ == ReduceFinish::atomics)
      append(rows_.body(), AtomicAdd{.to = to, .from = value_, .into = {}}, 1, rows_first_warp());
    else
      append(rows_.body(), StoreGlobal{.to = to, .from = value_}, 1, rows_first_warp());
  }

  /// A threadfence reduction: the CTA's number, a fence, an atomic that counts; who is last reads all. Here that is the
  /// CTA that began last, once all have been counted.
  void leave_to_last_cta() {
    const Layout from_end = along(Coordinate::block_n, -1) + (plan_.splits - 1);
    const Bound last{from_end, 1};
    const Bound not_last{along(Coordinate::block_n), plan_.splits - 1};
    append_beside(rows_.body(), plan_.tiling.beside.store);
    GlobalAccess part = one_number(reduced_parts);
    part.column = along(Coordinate::block_n);
    append(rows_.body(),
           StoreGlobal{.to = part, .from = value_, .origin_row = {}, .origin_column = along(Coordinate::block_n)}, 1,
           rows_first_warp());
    append(rows_.body(), GridBarrier{.waits = false}, 1, not_last);
    append(rows_.body(), GridBarrier{}, 1, last);
    Body before = std::exchange(rows_.body(), {});
    rows_.turn_to(of_parts());
    pass_over_row(reduced_parts);
    store_result();
    Body finish = std::exchange(rows_.body(), std::move(before));
    // Its guards are on warps. One of 2^40 times the CTA's number would not be a layout any more.
    append_where(rows_.body(), std::move(finish), last, most_cta_threads);
  }

  /// The parts, a number a thread at a time, one after another.
  [[nodiscard]] RowPlan of_parts() const {
    RowPlan parts = plan_;
    parts.columns = plan_.splits;
    parts.dtype = DType::fp32;
    parts.splits = 1;
    parts.tiling.vector = parts.tiling.unroll = 1;
    return parts;
  }

  [[nodiscard]] GlobalAccess one_number(BufferId buffer) const {
    GlobalAccess to{.buffer = buffer};
    to.lanes = rows_.one_thread();
    return to;
  }

  /// The one whose first thread knows the row's number.
  [[nodiscard]] std::optional<Bound> rows_first_warp() const {
    if (plan_.tiling.rows_per_cta == 1) return Bound{along(Coordinate::warp), 1};
    if (plan_.warps_per_row() == 1) return std::nullopt;
    return Bound{along(Coordinate::warp, 1, 1, plan_.warps_per_row()), 1};
  }

  const RowPlan& plan_;
  ReduceFinish finish_;
  Reduction reduction_;
  RowWriter rows_;
  Token x_, value_;
};

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
  rows.rows_per_cta = tiling.rows_per_cta;
  rows.beside = tiling.beside;
  collect.threads(tiling.threads);
  collect.require(tiling.splits == 1 || problem.operation == ReduceOperation::sum, "splits",
                  "CTAs that share a row add up at L2, which has no maximum; 1 would do");
  const bool by_last_cta = tiling.splits > 1 && tiling.finish == ReduceFinish::last_cta;
  collect.require(tiling.splits > 1 || tiling.finish == ReduceFinish::atomics, "finish",
                  "with one CTA a row there is nothing to add up; splits beyond 1 would do");
  collect.require(!by_last_cta || problem.rows == 1, "finish",
                  "the last CTA finishes one row, not " + std::to_string(problem.rows) + "; atomics would do");
  collect.require(!by_last_cta || tiling.rows_per_cta == 1, "rows_per_cta",
                  "the last CTA finishes one row; 1 would do");
  const RowPlan plan = plan_rows(problem.rows, problem.columns, problem.dtype, rows, collect, tiling.splits);
  collect.require(tiling.beside.element == 0, "beside.element", "sums have no exponentials");
  collect.refuse();
  std::vector<SharedTile> tiles;
  Program program = ReduceWriter(problem, plan, tiling.finish).write(tiles);
  const std::string name = std::string(problem.operation == ReduceOperation::sum ? "sum " : "maximum ") +
                           std::to_string(problem.rows) + "x" + std::to_string(problem.columns) + " " +
                           std::string(gpusim::name(problem.dtype));
  std::vector<Buffer> buffers{matrix_buffer("X", problem.rows, problem.columns, problem.dtype),
                              matrix_buffer("Y", problem.rows, 1, DType::fp32)};
  if (by_last_cta) buffers.push_back(matrix_buffer("parts", 1, plan.splits, DType::fp32));
  Schedule schedule = row_kernel(plan, name, std::move(buffers), std::move(tiles), std::move(program),
                                 static_cast<double>(problem.rows) * static_cast<double>(problem.columns));
  if (by_last_cta) schedule.choices.emplace_back("finish", "last_cta");
  return schedule;
}

}  // namespace gpusim::schedules
