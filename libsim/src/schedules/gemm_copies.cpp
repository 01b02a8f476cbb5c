#include "schedules/gemm_copies.h"

#include <numeric>

namespace gpusim::schedules {
namespace {

Access access_of(const OperandPlan& operand, const GemmPlan& plan) {
  return copy_access(operand.memory, size_of(plan.problem.dtype), plan.compute_warps(), operand.copy_vector);
}

/// Of registers, as they lie in shared memory.
Access stored(const OperandPlan& operand, const Access& access) {
  return store_access(access, operand.store_vector, operand.is_turned());
}

/// Where the tile begins along k: of a sparse A, half of it is there.
Layout begin_of(const OperandPlan& operand, BufferId buffer, const TileStep& step) {
  const bool k_along_rows = (buffer == buffer_a) != operand.transposed;
  return step.number * (k_along_rows ? operand.memory.columns : operand.memory.rows);
}

}  // namespace

WarpCopies::WarpCopies(const GemmPlan& plan) : plan_(plan), a_(access_of(plan.a, plan)), b_(access_of(plan.b, plan)) {}

std::optional<Bound> WarpCopies::guard(const TileStep& step, const Access& access) const {
  const bool all_busy = access.busy_warps >= plan_.compute_warps();
  if (all_busy) return step.guard;
  if (!step.guard) return Bound{along(Coordinate::warp), access.busy_warps};
  // Idle warps are beyond any limit.
  return Bound{step.guard->value + along(Coordinate::warp, beyond_all, access.busy_warps), step.guard->limit};
}

void WarpCopies::load(Body& body, const TileStep& step, Token a, Token b) const {
  const Layout k_a = begin_of(plan_.a, buffer_a, step);
  const Layout k_b = begin_of(plan_.b, buffer_b, step);
  append(body, LoadGlobal{operand_access(plan_, plan_.a, buffer_a, a_, block_row(plan_), k_a), a}, a_.count,
         guard(step, a_));
  append(body, LoadGlobal{operand_access(plan_, plan_.b, buffer_b, b_, block_column(plan_), k_b), b}, b_.count,
         guard(step, b_));
}

void WarpCopies::store(Body& body, const TileStep& step, Token a, Token b) const {
  const Access to_a = stored(plan_.a, a_);
  const Access to_b = stored(plan_.b, b_);
  append(body, StoreShared{to_a.shared(tile_a, step.stage, 0, 0), a}, to_a.count, guard(step, a_));
  append(body, StoreShared{to_b.shared(tile_b, step.stage, 0, 0), b}, to_b.count, guard(step, b_));
}

void WarpCopies::pass(Body& body, const TileStep& step, Token a, Token b, int batch) const {
  const auto pass_operand = [&](const OperandPlan& operand, BufferId buffer, TileId tile, const Access& access,
                                const Layout& outer, Token token) {
    const Layout k = begin_of(operand, buffer, step);
    const std::int64_t pieces = access.count / std::gcd(access.count, std::int64_t{batch});
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(access, pieces, piece);
      const Access to = stored(operand, part);
      append(body, LoadGlobal{operand_access(plan_, operand, buffer, part, outer, k), token}, part.count,
             guard(step, access));
      append_overhead(body, loop_overhead + part.count);
      append(body, StoreShared{to.shared(tile, step.stage, 0, 0), token}, to.count, guard(step, access));
    }
  };
  pass_operand(plan_.a, buffer_a, tile_a, a_, block_row(plan_), a);
  pass_operand(plan_.b, buffer_b, tile_b, b_, block_column(plan_), b);
}

void WarpCopies::copy(Body& body, const TileStep& step, bool one_by_one) const {
  const auto append_copies = [&](const OperandPlan& operand, BufferId buffer, TileId tile, const Access& access,
                                 const Layout& outer) {
    const Layout k = begin_of(operand, buffer, step);
    const std::int64_t pieces = one_by_one ? access.count : 1;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(access, pieces, piece);
      append(body,
             CopyAsync{operand_access(plan_, operand, buffer, part, outer, k), part.shared(tile, step.stage, 0, 0)},
             part.count, guard(step, part));
    }
  };
  append_copies(plan_.a, buffer_a, tile_a, a_, block_row(plan_));
  append_copies(plan_.b, buffer_b, tile_b, b_, block_column(plan_));
}

}  // namespace gpusim::schedules
