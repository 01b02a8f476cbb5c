#include "validate/gemm_batch.h"

#include <limits>
#include <string>

#include "gpusim/error.h"

namespace gpusim::validate {
namespace {

constexpr BufferId buffer_a{0};
constexpr BufferId buffer_b{1};

std::int64_t round_up(std::int64_t value, std::int64_t granule) { return (value + granule - 1) / granule * granule; }

/// Puts every access to global memory into the part of its buffer that belongs to the CTA's product.
class Spread {
 public:
  Spread(std::int64_t grid_m, std::int64_t a_columns, std::int64_t b_rows, std::int64_t c_columns)
      : grid_m_(grid_m), a_columns_(a_columns), b_rows_(b_rows), c_columns_(c_columns) {}

  void body(std::vector<Statement>& statements) const {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<Loop>(&statement)) {
        body(loop->body);
      } else {
        std::visit([this](auto& action) { visit(action); }, std::get<Operation>(statement).action);
      }
    }
  }

 private:
  void visit(LoadGlobal& load) const { place(load.from); }
  void visit(StoreGlobal& store) const { place(store.to); }
  void visit(CopyAsync& copy) const { place(copy.from); }
  void visit(BulkCopy& copy) const { place(copy); }
  template <class Other>
  void visit(Other&) const {}

  template <class Access>
  void place(Access& access) const {
    if (access.buffer == buffer_b) {
      access.row += product(b_rows_);
      return;
    }
    access.row = within_product(access.row);
    access.column += product(access.buffer == buffer_a ? a_columns_ : c_columns_);
  }

  /// `each` times the number of the CTA's product.
  [[nodiscard]] Layout product(std::int64_t each) const { return along(Coordinate::block_m, each, grid_m_); }

  /// With block_m counted from the product's first tile.
  [[nodiscard]] Layout within_product(const Layout& layout) const {
    Layout within(layout.offset());
    for (Term term : layout.terms()) {
      if (term.source == Coordinate::block_m) term.modulus = grid_m_;
      within.add(term);
    }
    return within;
  }

  std::int64_t grid_m_;
  std::int64_t a_columns_;
  std::int64_t b_rows_;
  std::int64_t c_columns_;
};

}  // namespace

Schedule batched_gemm(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling, std::int64_t batch) {
  Schedule schedule = gemm(problem, tiling);
  if (batch == 1) return schedule;
  const std::int64_t a_columns = round_up(problem.k, tiling.tile.k);
  const std::int64_t c_columns = round_up(problem.n, tiling.tile.n);
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t each : {a_columns, problem.k, c_columns, schedule.grid_m})
    if (batch > most / each)
      throw ScheduleError({Problem{"batch", std::to_string(batch) + " products are too large for one kernel"}});

  const Spread spread(schedule.grid_m, a_columns, problem.k, c_columns);
  for (Role& role : schedule.roles) spread.body(role.program.body);
  const std::int64_t granule = 16 / size_of(problem.dtype);
  Buffer& a = schedule.buffers[0];
  Buffer& b = schedule.buffers[1];
  Buffer& c = schedule.buffers[2];
  a.columns = batch * a_columns;
  a.pitch = round_up(a.columns, granule);
  b.rows = batch * problem.k;
  c.columns = batch * c_columns;
  c.pitch = round_up(c.columns, granule);
  schedule.grid_m *= batch;
  schedule.work.flops *= static_cast<double>(batch);
  schedule.name += " x " + std::to_string(batch);
  schedule.choices.emplace_back("batch", std::to_string(batch));
  return schedule;
}

}  // namespace gpusim::validate
