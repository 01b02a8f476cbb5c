// Bulk tensor copies: boxes, and who of a cluster brings what for whom.
#include <algorithm>

#include "schedules/gemm_block_scales.h"
#include "schedules/gemm_copies.h"

namespace gpusim::schedules {
namespace {

/// Columns of a box: a swizzled tile is filled by the swizzle's width.
int box_columns(const OperandPlan& operand, int element_bytes) {
  const int most = operand.swizzle == Swizzle::none ? widest_box : static_cast<int>(operand.swizzle) / element_bytes;
  return std::min(most, operand.shared.columns);
}

}  // namespace

int BulkCopies::parts(int sharers) const { return plan_.tiling.multicast_by == MulticastBy::first ? 1 : sharers; }

BulkCopies::Operand BulkCopies::operand_a() const {
  const GemmTiling& tiling = plan_.tiling;
  const int sharers = tiling.multicast ? tiling.cluster.n : 1;
  return {plan_.a,
          buffer_a,
          tile_a,
          !plan_.a.transposed,
          block_row(plan_),
          Coordinate::block_n,
          sharers,
          parts(sharers),
          sharers > 1 ? Multicast::along_n : Multicast::none};
}

BulkCopies::Operand BulkCopies::operand_b() const {
  const GemmTiling& tiling = plan_.tiling;
  const int sharers = tiling.multicast ? tiling.cluster.m : 1;
  return {plan_.b,
          buffer_b,
          tile_b,
          plan_.b.transposed,
          block_column(plan_),
          Coordinate::block_m,
          sharers,
          parts(sharers),
          sharers > 1 ? Multicast::along_m : Multicast::none};
}

bool BulkCopies::shared_by_cluster() const { return operand_a().sharers > 1 || operand_b().sharers > 1; }

/// Where the first of those who share an operand brings it, the others do not.
void BulkCopies::leave_to_first(const Operand& operand, std::optional<Bound>& guard) {
  if (operand.parts == operand.sharers) return;
  if (guard)
    guard->value += along(operand.block, beyond_all, 1, operand.sharers);
  else
    guard = Bound{along(operand.block, 1, 1, operand.sharers), 1};
}

void BulkCopies::copy(Body& body, const TileStep& step, bool one_of_several) const {
  std::optional<Bound> guard = step.guard;
  if (one_of_several) {
    if (guard)
      guard->value += along(Coordinate::warp, beyond_all);
    else
      guard = Bound{along(Coordinate::warp), 1};
  }
  const Operand a = operand_a();
  const Operand b = operand_b();
  std::int64_t elements = 0;
  for (const Operand* operand : {&a, &b})
    elements += std::int64_t{operand->plan.shared.rows} * operand->plan.shared.columns;
  Bytes bytes(elements * size_of(plan_.problem.dtype));
  if (plan_.has_metadata()) bytes += plan_.metadata.pitch * plan_.metadata.shared.rows;
  if (plan_.has_block_scales()) bytes += Bytes(std::int64_t{plan_.tiling.tile.m} * size_of(DType::fp32));
  append(body, BarrierArrive{{barrier_full, step.stage}, bytes, std::nullopt}, 1, guard);
  copy(body, a, step, guard);
  if (plan_.has_metadata()) copy_metadata(body, step, guard);
  if (plan_.has_block_scales()) copy_scales(body, step, guard);
  copy(body, b, step, guard);
}

void BulkCopies::copy(Body& body, const Operand& operand, const TileStep& step, std::optional<Bound> guard) const {
  const Extent& shared = operand.plan.shared;
  const int columns = box_columns(operand.plan, size_of(plan_.problem.dtype));
  const int share = shared.rows / operand.parts;
  leave_to_first(operand, guard);
  const Layout k = step.number * (operand.k_along_rows ? shared.columns : shared.rows);
  for (int column = 0; column < shared.columns; column += columns)
    for (int row = 0; row < share; row += widest_box) {
      BulkCopy copy;
      copy.buffer = operand.buffer;
      copy.tile_row = Layout(row);
      if (operand.parts > 1) copy.tile_row += along(operand.block, share, 1, operand.parts);
      copy.tile_column = Layout(column);
      copy.row = (operand.k_along_rows ? operand.outer : k) + copy.tile_row;
      copy.column = (operand.k_along_rows ? k : operand.outer) + copy.tile_column;
      copy.rows = std::min(share - row, widest_box);
      copy.columns = std::min(shared.columns - column, columns);
      copy.tile = operand.tile;
      copy.stage = step.stage;
      copy.done = {barrier_full, step.stage};
      copy.layer = batch_layer(plan_);
      copy.multicast = operand.multicast;
      append(body, copy, 1, guard);
    }
}

void BulkCopies::copy_with_a(Body& body, const BulkCopy& first, int columns, std::optional<Bound> guard) const {
  const Operand a = operand_a();
  const int share = columns / a.parts;
  leave_to_first(a, guard);
  for (int column = 0; column < share; column += widest_box) {
    BulkCopy copy = first;
    copy.tile_column = Layout(column);
    if (a.parts > 1) copy.tile_column += along(a.block, share, 1, a.parts);
    copy.column += copy.tile_column;
    copy.columns = std::min(share - column, widest_box);
    copy.layer = batch_layer(plan_);
    copy.multicast = a.multicast;
    append(body, copy, 1, guard);
  }
}

/// There is often a single row of them.
void BulkCopies::copy_metadata(Body& body, const TileStep& step, std::optional<Bound> guard) const {
  const Extent& shared = plan_.metadata.shared;
  BulkCopy copy;
  copy.buffer = plan_.metadata_buffer();
  copy.row = step.number * shared.rows;
  copy.column = block_row(plan_) * plan_.metadata_words;
  copy.rows = shared.rows;
  copy.tile = plan_.metadata_tile();
  copy.stage = step.stage;
  copy.done = {barrier_full, step.stage};
  copy_with_a(body, copy, shared.columns, std::move(guard));
}

/// A's: a k tile is a block deep.
void BulkCopies::copy_scales(Body& body, const TileStep& step, std::optional<Bound> guard) const {
  BulkCopy copy;
  copy.buffer = scales_buffer_a(plan_);
  copy.row = step.number;
  copy.column = block_row(plan_);
  copy.rows = 1;
  copy.tile = scales_tile_a;
  copy.stage = step.stage;
  copy.done = {barrier_full, step.stage};
  copy_with_a(body, copy, plan_.tiling.tile.m, std::move(guard));
}

int BulkCopies::releases() const { return plan_.compute_warps() * (operand_a().sharers + operand_b().sharers - 1); }

void BulkCopies::release(Body& body, const Layout& stage, const std::optional<Bound>& guard) const {
  const BarrierSlot empty{barrier_empty, stage};
  append(body, BarrierArrive{empty, Bytes(), std::nullopt}, 1, guard);
  const int m = plan_.tiling.cluster.m;
  const int n = plan_.tiling.cluster.n;
  // Ranks go along m first. Those who bring B lie along m, those who bring A along n.
  for (int ahead = 1; ahead < operand_b().sharers; ++ahead) {
    const Layout rank = along(Coordinate::block_m, 1, 1, m, ahead) + along(Coordinate::block_n, m, 1, n);
    append(body, BarrierArrive{empty, Bytes(), rank}, 1, guard);
  }
  for (int ahead = 1; ahead < operand_a().sharers; ++ahead) {
    const Layout rank = along(Coordinate::block_m, 1, 1, m) + along(Coordinate::block_n, m, 1, n, ahead);
    append(body, BarrierArrive{empty, Bytes(), rank}, 1, guard);
  }
}

}  // namespace gpusim::schedules
