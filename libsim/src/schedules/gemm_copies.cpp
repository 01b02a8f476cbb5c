#include "schedules/gemm_copies.h"

#include <numeric>
#include <utility>

namespace gpusim::schedules {
namespace {

Access access_of(const OperandPlan& operand, const GemmPlan& plan) {
  return copy_access(operand.memory, size_of(plan.problem.dtype), plan.compute_warps(), operand.copy_vector);
}

/// Of registers, as they lie in shared memory.
Access stored(const OperandPlan& operand, const Access& access) {
  return store_access(access, operand.store_vector, operand.is_turned());
}

}  // namespace

WarpCopies::WarpCopies(const GemmPlan& plan, GemmProgram& program) : plan_(plan), program_(program) {
  const auto add = [&](const OperandPlan& operand, BufferId buffer, TileId tile, Layout outer, const char* name) {
    if (operand.staged) operands_.push_back({operand, buffer, tile, std::move(outer), access_of(operand, plan), name});
  };
  add(plan.a, buffer_a, tile_a, block_row(plan), "staged_a");
  add(plan.b, buffer_b, plan.b_tile(), block_column(plan), "staged_b");
}

std::int64_t WarpCopies::per_tile() const {
  std::int64_t copies = 0;
  for (const Operand& operand : operands_) copies += operand.access.count;
  return copies;
}

std::optional<Bound> WarpCopies::guard(const TileStep& step, const Access& access) const {
  const bool all_busy = access.busy_warps >= plan_.compute_warps();
  if (all_busy) return step.guard;
  if (!step.guard) return Bound{along(Coordinate::warp), access.busy_warps};
  // Idle warps are beyond any limit.
  return Bound{step.guard->value + along(Coordinate::warp, beyond_all, access.busy_warps), step.guard->limit};
}

void WarpCopies::load(Body& body, const TileStep& step) const {
  for (const Operand& operand : operands_) {
    const Layout k = step.number * stored_k(operand.plan, operand.buffer);
    append(body,
           LoadGlobal{operand_access(plan_, operand.plan, operand.buffer, operand.access, operand.outer, k),
                      program_.token(operand.staged_name)},
           operand.access.count, guard(step, operand.access));
    if (plan_.tiling.through_local)
      append_local_passage(body, plan_, operand.buffer, operand.access, program_.token(operand.staged_name),
                           guard(step, operand.access));
  }
}

void WarpCopies::store(Body& body, const TileStep& step) const {
  for (const Operand& operand : operands_) {
    const Access to = stored(operand.plan, operand.access);
    append(body, StoreShared{to.shared(operand.tile, step.stage, 0, 0), program_.token(operand.staged_name)}, to.count,
           guard(step, operand.access));
  }
}

void WarpCopies::pass(Body& body, const TileStep& step, int batch) const {
  for (const Operand& operand : operands_) {
    const Layout k = step.number * stored_k(operand.plan, operand.buffer);
    const std::int64_t pieces = operand.access.count / std::gcd(operand.access.count, std::int64_t{batch});
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(operand.access, pieces, piece);
      const Access to = stored(operand.plan, part);
      append(body,
             LoadGlobal{operand_access(plan_, operand.plan, operand.buffer, part, operand.outer, k),
                        program_.token(operand.staged_name)},
             part.count, guard(step, operand.access));
      if (plan_.tiling.through_local)
        append_local_passage(body, plan_, operand.buffer, part, program_.token(operand.staged_name),
                             guard(step, operand.access));
      append_overhead(body, loop_overhead + part.count);
      append(body, StoreShared{to.shared(operand.tile, step.stage, 0, 0), program_.token(operand.staged_name)},
             to.count, guard(step, operand.access));
    }
  }
}

void WarpCopies::copy(Body& body, const TileStep& step, bool one_by_one) const {
  for (const Operand& operand : operands_) {
    const Layout k = step.number * stored_k(operand.plan, operand.buffer);
    const std::int64_t pieces = one_by_one ? operand.access.count : 1;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(operand.access, pieces, piece);
      append(body,
             CopyAsync{operand_access(plan_, operand.plan, operand.buffer, part, operand.outer, k),
                       part.shared(operand.tile, step.stage, 0, 0)},
             part.count, guard(step, part));
    }
  }
}

}  // namespace gpusim::schedules
