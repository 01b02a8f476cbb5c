#include "schedules/gemm_epilogue_staging.h"

#include <algorithm>
#include <bit>

#include "schedules/gemm_copies.h"

namespace gpusim::schedules {
namespace {

constexpr int meetings_a_piece = 2;
constexpr BarrierId barrier_turn{3};  ///< behind the one they meet at

/// The same for the warps of each team, counted within it.
Layout within_team(const Layout& layout, int team_warps) {
  Layout result(layout.offset());
  for (Term term : layout.terms()) {
    if (term.source == Coordinate::warp && term.modulus == 0) term.modulus = team_warps / term.divisor;
    result.add(term);
  }
  return result;
}

}  // namespace

Staging::Staging(const GemmPlan& plan)
    : plan_(plan),
      teams_(plan.tiling.variant == GemmVariant::wgmma && !overlaps() ? plan.tiling.consumers : 1),
      team_warps_(plan.compute_warps() / teams_),
      team_rows_(plan.tiling.tile.m / teams_) {}

int Staging::turned_columns() const { return std::min(wgmma_rows, widest_swizzle / size_of(plan_.result_type())); }

int Staging::group_rows() const {
  return plan_.tiling.pingpong ? plan_.tiling.tile.m : plan_.tiling.tile.m / plan_.tiling.consumers;
}

SharedTile Staging::turned_tile() const {
  const DType dtype = plan_.result_type();
  const int columns = turned_columns();
  const int row = columns * size_of(dtype);
  SharedTile turned{"C",       plan_.leaving_columns() * (plan_.tiling.tile.m / columns), columns, dtype, buffers(),
                    Bytes(row)};
  turned.swizzle = static_cast<Swizzle>(row);
  turned.overlaps = overlaps();
  return turned;
}

SharedTile Staging::tile() const {
  if (plan_.tiling.swap_ab) return turned_tile();
  const GemmTile& tile = plan_.tiling.tile;
  const DType dtype = plan_.result_type();
  const int columns = plan_.leaving_columns();
  const int row = (columns * size_of(dtype) + vector_bytes - 1) / vector_bytes * vector_bytes;
  SharedTile staged{"C", tile.m, columns, dtype, buffers(), Bytes(row), Swizzle::none, overlaps()};
  if (plan_.tiling.epilogue == Epilogue::staged) {
    if (row / vector_bytes % 2 == 0) staged.pitch += Bytes(vector_bytes);
    return staged;
  }
  // Bulk stores know swizzles and no padding.
  const int width = std::min(widest_swizzle, row & -row);
  if (width > vector_bytes) staged.swizzle = static_cast<Swizzle>(width);
  return staged;
}

std::optional<Barrier> Staging::barrier() const {
  if (!plan_.tiling.specialize) return std::nullopt;
  return Barrier{"staged", plan_.tiling.pingpong ? pingpong_groups : teams_, team_warps_};
}

std::optional<Barrier> Staging::turn_barrier() const {
  if (!plan_.tiling.pingpong || plan_.tiling.epilogue == Epilogue::direct) return std::nullopt;
  return Barrier{"C free", 1, 1};
}

void Staging::meet(GemmProgram& program, Body& body, int number) const {
  if (!plan_.tiling.specialize) return append(body, CtaBarrier{});
  constexpr BarrierId barrier_staged{2};
  const BarrierSlot at{barrier_staged, several_teams() ? along(Coordinate::warp, 1, team_warps_) : Layout()};
  append(body, BarrierArrive{at, Bytes(), std::nullopt});
  append(body, BarrierWait{at, program.walker.own_item() * std::int64_t{meetings()} + number});
}

bool Staging::carries_source() const {
  return plan_.tiling.epilogue == Epilogue::staged && plan_.problem.beta != 0 && plan_.scales() &&
         !plan_.adds_atomically();
}

int Staging::meetings() const { return meetings_a_piece * plan_.leaving_pieces() + (carries_source() ? 1 : 0); }

Access Staging::rows() const {
  Access access = copy_access({team_rows_, plan_.tiling.tile.n}, size_of(plan_.result_type()), team_warps_);
  if (teams_ == 1) return access;
  access.row = within_team(access.row, team_warps_);
  access.column = within_team(access.column, team_warps_);
  if (access.lanes) access.lanes->value = access.row;
  access.row += along(Coordinate::warp, team_rows_, team_warps_);
  return access;
}

std::optional<Bound> Staging::busy(const Access& rows) const {
  if (rows.busy_warps >= team_warps_) return std::nullopt;
  return Bound{along(Coordinate::warp, 1, 1, team_warps_), rows.busy_warps};
}

void Staging::append_fill(GemmProgram& program, Body& body, const ResultAccess& result) const {
  append_fill_piece(program, body, result, 0);
}

void Staging::append_fill_piece(GemmProgram& program, Body& body, const ResultAccess& result, int piece) const {
  if (!carries_source()) meet(program, body, meetings_a_piece * piece);
  if (plan_.tiling.swap_ab) {
    append_turned_piece(program, body, piece);
  } else if (plan_.tiling.stmatrix) {
    append_matrices(program, body, result, piece);
  } else {
    const Access part = piece_of(result.c, plan_.leaving_pieces(), piece);
    const Layout before(-std::int64_t{piece} * plan_.leaving_columns());
    append(body,
           StoreShared{.to = part.shared(plan_.c_tile(), piece % buffers(), result.row, result.column + before),
                       .from = program.c(),
                       .origin_row = {},
                       .origin_column = before},
           part.count);
  }
  meet(program, body, carries_source() ? meetings() - 1 : meetings_a_piece * piece + 1);
}

void Staging::append_matrices(GemmProgram& program, Body& body, const ResultAccess& result, int piece) const {
  const int columns = plan_.leaving_columns();
  const Access rows = matrix_access({fragment_rows, columns}, size_of(plan_.result_type()));
  for (int first = 0; first < group_rows(); first += wgmma_rows)
    append(body,
           StoreShared{.to = rows.shared(plan_.c_tile(), piece % buffers(), result.row + Layout(first), {}),
                       .from = program.c(),
                       .origin_row = {},
                       .origin_column = Layout(-std::int64_t{piece} * columns)},
           rows.count);
}

void Staging::append_turned_piece(GemmProgram& program, Body& body, int piece) const {
  const int rows = plan_.leaving_columns();
  const int columns = turned_columns();
  const int warps_a_row = columns / fragment_rows;
  const Access access = plan_.tiling.stmatrix ? matrix_access({rows, fragment_rows}, size_of(plan_.result_type()))
                                              : store_access(mma_store_access({fragment_rows, rows}), 1, true);
  for (int first = 0; first < group_rows(); first += wgmma_rows) {
    Layout block(first / columns);
    if (group_rows() < plan_.tiling.tile.m) block += along(Coordinate::warp, group_rows() / columns, warps_per_group);
    if (columns < wgmma_rows) block += along(Coordinate::warp, 1, warps_a_row, wgmma_rows / columns);
    const Layout row = block * rows;
    append(body,
           StoreShared{.to = access.shared(plan_.c_tile(), piece % buffers(), row,
                                           along(Coordinate::warp, fragment_rows, 1, warps_a_row)),
                       .from = program.c(),
                       .origin_row = row + Layout(-std::int64_t{piece} * rows),
                       .origin_column = block * -columns},
           access.count);
  }
}

void Staging::append_bulk(GemmProgram& program, Body& body, const ResultAccess& result) const {
  for (int piece = 0; piece < plan_.leaving_pieces(); ++piece) {
    // The buffer's last piece was stored two pieces ago; of an odd number the item before ended with this one.
    const bool just_used = piece == 0 && plan_.leaving_pieces() % buffers() != 0;
    if (plan_.tiling.pingpong && piece == 0)
      append(body, BarrierWait{{barrier_turn, {}}, program.walker.item() + -1}, 1, one_of_team());
    else if ((plan_.persistent() && !plan_.tiling.pingpong) || piece >= buffers())
      append_bulk_wait(body, just_used ? 0 : buffers() - 1);
    append_fill_piece(program, body, result, piece);
    append_bulk_stores(body, piece);
  }
  if (!plan_.tiling.pingpong) return;
  append_bulk_wait(body, 0);
  append(body, BarrierArrive{{barrier_turn, {}}, Bytes(), std::nullopt}, 1, one_of_team());
}

void Staging::append_leave(GemmProgram& program, Body& body) const {
  if (plan_.persistent() && overlaps()) meet(program, body, 0);
}

Bound Staging::one_of_team() const { return {along(Coordinate::warp, 1, 1, several_teams() ? team_warps_ : 0), 1}; }

void Staging::append_bulk_wait(Body& body, int pending) const { append(body, BulkWait{pending}, 1, one_of_team()); }

void Staging::append_turned_bulk_stores(Body& body, int piece) const {
  const std::int64_t rows = plan_.leaving_columns();
  const std::int64_t columns = turned_columns();
  const std::int64_t blocks = team_rows_ / columns;
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t row = 0; row < rows; row += widest_box) {
      BulkStore store;
      store.tile = plan_.c_tile();
      store.stage = Layout(piece % buffers());
      store.tile_row = Layout(block * rows + row);
      store.column = block_row(plan_) + Layout(block * columns);
      if (teams_ > 1) {
        store.tile_row += along(Coordinate::warp, blocks * rows, team_warps_);
        store.column += along(Coordinate::warp, team_rows_, team_warps_);
      }
      store.rows = static_cast<int>(std::min<std::int64_t>(rows - row, widest_box));
      store.columns = turned_columns();
      store.buffer = buffer_c;
      store.row = block_column(plan_) + Layout(piece * rows + row);
      store.layer = result_layer(plan_);
      store.reduce = plan_.adds_atomically();
      append(body, store, 1, one_of_team());
    }
  append(body, BulkCommit{}, 1, one_of_team());
}

void Staging::append_bulk_stores(Body& body, int piece) const {
  if (plan_.tiling.swap_ab) return append_turned_bulk_stores(body, piece);
  const SharedTile from = tile();
  const int columns = from.swizzle == Swizzle::none
                          ? std::min(from.columns, widest_box)
                          : std::min(from.columns, static_cast<int>(from.swizzle) / size_of(from.dtype));
  const auto append_all = [&](bool reduce, const Bound& guard) {
    for (int column = 0; column < from.columns; column += columns)
      for (int row = 0; row < team_rows_; row += widest_box) {
        BulkStore store;
        store.tile = plan_.c_tile();
        store.stage = Layout(piece % buffers());
        store.tile_row = Layout(row);
        if (teams_ > 1) store.tile_row += along(Coordinate::warp, team_rows_, team_warps_);
        store.tile_column = Layout(column);
        store.rows = std::min(team_rows_ - row, widest_box);
        store.columns = std::min(from.columns - column, columns);
        store.buffer = buffer_c;
        store.row = block_row(plan_) + store.tile_row;
        store.column = block_column(plan_) + store.tile_column + Layout(std::int64_t{piece} * from.columns);
        store.layer = result_layer(plan_);
        store.reduce = reduce;
        append(body, store, 1, guard);
      }
  };
  const Layout others = along(Coordinate::warp, beyond_all, 1, several_teams() ? team_warps_ : 0);
  if (!plan_.adds_atomically()) {
    append_all(false, one_of_team());
  } else if (!plan_.tiling.stream_k) {
    append_all(true, one_of_team());
  } else {
    append_all(false, {others + along(Coordinate::partial), 1});
    append_all(true, {others + along(Coordinate::partial, -1), 0});
  }
  append(body, BulkCommit{}, 1, one_of_team());
}

}  // namespace gpusim::schedules
