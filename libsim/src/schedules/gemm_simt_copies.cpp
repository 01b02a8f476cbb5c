#include "schedules/gemm_simt_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int whole_chunk = 16;  ///< bytes: what cp.async moves past L1

}  // namespace

SimtCopies::SimtCopies(const GemmPlan& plan, GemmProgram& program) : plan_(plan), program_(program) {
  const auto add = [&](const OperandPlan& operand, BufferId buffer, TileId tile, Layout outer, const char* name) {
    if (!operand.staged) return;
    const Access load = operand_copy_access(operand, size_of(plan.problem.dtype), plan.compute_warps());
    const bool turned = operand.shared_transposed != operand.transposed;
    operands_.push_back(
        {&operand, buffer, tile, std::move(outer), name, load, store_access(load, operand.store_vector, turned)});
  };
  add(plan.a, buffer_a, tile_a, block_row(plan), "staged_a");
  add(plan.b, buffer_b, plan.b_tile(), block_column(plan), "staged_b");
}

std::int64_t SimtCopies::per_tile() const {
  std::int64_t copies = 0;
  for (const Operand& operand : operands_) copies += operand.load.count;
  return copies;
}

/// What a step's guard says, and that the warp has a part of the tile at all.
std::optional<Bound> SimtCopies::guard(const TileStep& step, const Access& access) const {
  if (access.busy_warps >= plan_.compute_warps()) return step.guard;
  if (!step.guard) return Bound{along(Coordinate::warp), access.busy_warps};
  return Bound{step.guard->value + along(Coordinate::warp, step.guard->limit, access.busy_warps), step.guard->limit};
}

void SimtCopies::load(Body& body, const TileStep& step) {
  for (const Operand& operand : operands_)
    append(body,
           LoadGlobal{.from = operand_access(plan_, *operand.plan, operand.buffer, operand.load, operand.outer,
                                             step.number * plan_.tiling.tile.k),
                      .into = program_.token(operand.staged_name)},
           operand.load.count, guard(step, operand.load));
}

void SimtCopies::store(Body& body, const TileStep& step) {
  for (const Operand& operand : operands_)
    append(body, StoreShared{operand.store.shared(operand.tile, step.stage, 0, 0), program_.token(operand.staged_name)},
           operand.store.count, guard(step, operand.store));
}

void SimtCopies::copy(Body& body, const TileStep& step) const {
  for (const Operand& operand : operands_) {
    const GlobalAccess from = operand_access(plan_, *operand.plan, operand.buffer, operand.load, operand.outer,
                                             step.number * plan_.tiling.tile.k);
    const bool through_l1 = from.vector * size_of(plan_.problem.dtype) < whole_chunk;
    append(body, CopyAsync{from, operand.store.shared(operand.tile, step.stage, 0, 0), through_l1}, operand.load.count,
           guard(step, operand.load));
  }
}

}  // namespace gpusim::schedules
