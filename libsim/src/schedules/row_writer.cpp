// The steps of programs that work on rows.
#include <algorithm>
#include <iterator>
#include <limits>

#include "schedules/row_plan.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t row_index_instructions = 10;
constexpr std::int64_t row_address_instructions = 2;
constexpr std::int64_t row_trip_instructions = 3;

}  // namespace

void RowWriter::begin(std::int64_t arrays) {
  const int counted = plan_.tiling.beside.begin;
  if (counted > 0)
    append_beside(body(), counted);
  else
    append_overhead(body(), row_index_instructions + row_address_instructions * arrays);
}

void RowWriter::turn_to(const RowPlan& plan) {
  plan_ = plan;
  columns_ = plan.columns;
}

void RowWriter::pass(std::int64_t arrays, const std::function<void(Body&)>& write) {
  const RowPlan whole = plan_;
  const std::int64_t rest = plan_.rest();
  plan_.columns -= rest;
  if (plan_.columns > 0) pass_over_part(arrays, write);
  if (rest > 0) {
    first_ = plan_.columns;
    plan_.columns = rest;
    plan_.tiling.vector = plan_.tiling.rest_vector;
    pass_over_part(arrays, write);
    first_ = 0;
  }
  plan_ = whole;
}

void RowWriter::pass_over_part(std::int64_t arrays, const std::function<void(Body&)>& write) {
  Body piece;
  write(piece);
  if (plan_.trips() == 1) {
    if (const auto busy = busy_warps()) leave_to(*busy, piece);
    std::move(piece.begin(), piece.end(), std::back_inserter(body()));
    return;
  }
  append_overhead(piece, row_trip_instructions + arrays);
  body().emplace_back(Loop{plan_.trips(), std::move(piece), true});
}

/// The others find nothing and reduce nothing, so that they have something to meet with. Of a maximum nothing is not
/// zero: there all do all.
void RowWriter::leave_to(const Bound& warps, Body& piece) {
  const auto is_maximum = [](const Statement& statement) {
    const auto* const reduce = std::get_if<Reduce>(&std::get<Operation>(statement).action);
    return reduce != nullptr && reduce->reduction == Reduction::maximum;
  };
  if (std::any_of(piece.begin(), piece.end(), is_maximum)) return;
  for (Statement& statement : piece) {
    auto& operation = std::get<Operation>(statement);
    const bool finds_nothing =
        std::holds_alternative<LoadGlobal>(operation.action) || std::holds_alternative<Reduce>(operation.action);
    if (!finds_nothing && !operation.guard) operation.guard = warps;
  }
}

std::optional<Bound> RowWriter::busy_warps() const {
  const RowTiling& tiling = plan_.tiling;
  const std::int64_t warps = divided_up(plan_.columns, std::int64_t{lanes_per_warp} * tiling.vector);
  if (tiling.place != RowPlace::memory || tiling.unroll > 1 || warps >= plan_.warps_per_row()) return std::nullopt;
  return Bound{along(Coordinate::warp, 1, 1, plan_.warps_per_row()), warps};
}

/// The row within the CTA's.
Layout RowWriter::row_of_cta() const {
  const RowTiling& tiling = plan_.tiling;
  if (tiling.rows_per_cta == 1) return {};
  if (tiling.threads >= lanes_per_warp) return along(Coordinate::warp, 1, plan_.warps_per_row());
  return along(Coordinate::warp, lanes_per_warp / tiling.threads) + along(Coordinate::lane, 1, tiling.threads);
}

/// Of repeats, `every` load the elements of one access.
Layout RowWriter::column_of_thread(std::int64_t every) const {
  const RowTiling& tiling = plan_.tiling;
  Layout column = along(Coordinate::lane, tiling.vector, 1, plan_.slots()) + first_;
  if (plan_.warps_per_row() > 1)
    column += along(Coordinate::warp, std::int64_t{lanes_per_warp} * tiling.vector, 1, plan_.warps_per_row());
  if (tiling.unroll > 1) column += along(Coordinate::repeat, std::int64_t{tiling.threads} * tiling.vector, every);
  if (plan_.trips() > 1) column += along(Coordinate::loop0, plan_.span() * plan_.splits);
  return column;
}

Layout RowWriter::row() const { return along(Coordinate::block_m, plan_.tiling.rows_per_cta) + row_of_cta(); }

GlobalAccess RowWriter::place(BufferId buffer, bool one_row) const {
  GlobalAccess access;
  access.buffer = buffer;
  if (!one_row) access.row = row();
  access.column = column_of_thread();
  if (plan_.splits > 1) access.column += along(Coordinate::block_n, plan_.span());
  access.vector = plan_.tiling.vector;
  return access;
}

void RowWriter::load(Body& into, BufferId buffer, Token token, bool one_row) const {
  append_beside(into, std::int64_t{plan_.tiling.beside.load} * plan_.tiling.unroll);
  append(into, LoadGlobal{.from = place(buffer, one_row), .into = token}, plan_.tiling.unroll);
  append_widening(into, plan_.dtype, token, plan_.elements());
}

void RowWriter::load_scalars(Body& into, BufferId buffer, Token token) const {
  const RowTiling& tiling = plan_.tiling;
  GlobalAccess from = place(buffer, true);
  from.vector = 1;
  from.column = column_of_thread(tiling.vector) + along(Coordinate::repeat, 1, 1, tiling.vector);
  append_beside(into, plan_.tiling.beside.load * plan_.elements());
  append(into, LoadGlobal{.from = from, .into = token}, plan_.elements());
  append_widening(into, plan_.dtype, token, plan_.elements());
}

void RowWriter::store(Body& into, BufferId buffer, Token token, DType dtype) const {
  append_narrowing(into, dtype, token, plan_.elements());
  append_beside(into, std::int64_t{plan_.tiling.beside.store} * plan_.tiling.unroll);
  append(into, StoreGlobal{.to = place(buffer), .from = token}, plan_.tiling.unroll);
}

SharedTile RowWriter::row_tile() const {
  constexpr std::int64_t row_step = 16;
  const std::int64_t columns = plan_.span() * plan_.trips();
  return {"row",
          plan_.tiling.rows_per_cta,
          static_cast<int>(columns),
          plan_.dtype,
          1,
          Bytes(divided_up(columns * size_of(plan_.dtype), row_step) * row_step)};
}

void RowWriter::store_row(Body& into, Token token) const {
  const SharedAccess access{
      .tile = TileId(0), .row = row_of_cta(), .column = column_of_thread(), .vector = plan_.tiling.vector};
  append(into, StoreShared{.to = access, .from = token}, plan_.tiling.unroll);
}

void RowWriter::load_row(Body& into, Token token) const {
  const SharedAccess access{
      .tile = TileId(0), .row = row_of_cta(), .column = column_of_thread(), .vector = plan_.tiling.vector};
  append(into, LoadShared{.from = access, .into = token}, plan_.tiling.unroll);
  append_widening(into, plan_.dtype, token, plan_.elements());
}

void RowWriter::mask(Body& into, Token token) const {
  if (!plan_.ragged()) return;
  Map map{.pipe = Pipe::alu, .into = token, .a = token, .columns = Layout(columns_)};
  if (plan_.splits > 1) *map.columns += along(Coordinate::block_n, -plan_.span());
  append(into, map, plan_.elements());
}

void RowWriter::clear(Token value, Reduction reduction) {
  append(body(), Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = value, .overhead = true});
  constexpr double lowest = std::numeric_limits<float>::lowest();
  if (reduction == Reduction::maximum)
    append(body(), Map{.pipe = Pipe::alu, .into = value, .a = value, .term = lowest});
}

void RowWriter::reduce(Body& into, Token from, Token value, Reduction reduction) const {
  append(into,
         Reduce{.pipe = pipe_of(reduction),
                .into = value,
                .from = from,
                .reduction = reduction,
                .dealing = {plan_.tiling.vector, plan_.slots()},
                .keep = true},
         plan_.elements());
}

void RowWriter::with_row(Body& into, Token x, Token value, Combination combination, double alpha, double beta) const {
  append(into,
         Map{.into = x,
             .a = x,
             .b = value,
             .combination = combination,
             .alpha = alpha,
             .beta = beta,
             .b_from = BroadcastFrom::row,
             .dealing = known()},
         plan_.elements());
}

void RowWriter::with_column(Body& into, Token x, Token value, Combination combination) const {
  append(into, Map{.into = x, .a = x, .b = value, .combination = combination, .b_from = BroadcastFrom::column},
         plan_.elements());
}

void RowWriter::on_each(Body& into, Token x, Function function, Pipe pipe) const {
  append(into, Map{.pipe = pipe, .into = x, .a = x, .function = function}, plan_.elements());
}

Bound RowWriter::one_thread() const {
  Layout thread = along(Coordinate::lane, 1, 1, plan_.slots());
  if (plan_.warps_per_row() > 1) thread += along(Coordinate::warp, lanes_per_warp, 1, plan_.warps_per_row());
  return {thread, 1};
}

}  // namespace gpusim::schedules
