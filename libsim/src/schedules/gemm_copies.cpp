#include "schedules/gemm_copies.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gpusim::schedules {
namespace {

/// Lanes without an element go on along the rows.
Access by_all(Access access, int warps) {
  access.lanes.reset();
  access.busy_warps = warps;
  return access;
}

}  // namespace

std::vector<StagedOperand> staged_operands(const GemmPlan& plan) {
  const int element = size_of(plan.problem.dtype);
  const int warps = plan.compute_warps();
  std::vector<StagedOperand> operands;
  const auto add = [&](const OperandPlan& operand, BufferId buffer, TileId tile, Layout outer, const char* name) {
    if (!operand.staged) return;
    const Access load = operand_copy_access(operand, element, warps);
    operands.push_back({&operand, buffer, tile, std::move(outer), name,
                        plan.tiling.overfetch ? by_all(load, warps) : load,
                        operand_store_access(operand, element, warps)});
  };
  add(plan.a, buffer_a, tile_a, block_row(plan), "staged_a");
  add(plan.b, buffer_b, plan.b_tile(), block_column(plan), "staged_b");
  return operands;
}

std::int64_t copies_a_tile(const std::vector<StagedOperand>& operands) {
  std::int64_t copies = 0;
  for (const StagedOperand& operand : operands) copies += operand.load.count;
  return copies;
}

std::int64_t pieces_in_registers(const StagedOperand& operand) {
  constexpr std::int64_t most = 48;  // a program has 128 tokens at most
  std::int64_t pieces = std::min(operand.load.count, most);
  while (operand.load.count % pieces != 0) --pieces;
  return pieces;
}

std::string name_of_piece(const StagedOperand& operand, std::int64_t piece) {
  return std::string(operand.staged_name) + "_" + std::to_string(piece);
}

std::optional<Bound> WarpCopies::guard(const TileStep& step, const Access& access) const {
  const bool all_busy = access.busy_warps >= plan_.compute_warps();
  if (all_busy) return step.guard;
  if (!step.guard) return Bound{along(Coordinate::warp), access.busy_warps};
  // Idle warps are beyond any limit.
  return Bound{step.guard->value + along(Coordinate::warp, beyond_all, access.busy_warps), step.guard->limit};
}

void WarpCopies::for_pieces(bool one_by_one, const WriterOfPiece& write) const {
  for (const StagedOperand& operand : operands_) {
    if (!one_by_one) {
      write(operand, operand.load, operand.store, program_.token(operand.staged_name));
      continue;
    }
    const std::int64_t pieces = pieces_in_registers(operand);
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      write(operand, piece_of(operand.load, pieces, piece), piece_of(operand.store, pieces, piece),
            program_.token(name_of_piece(operand, piece)));
  }
}

void WarpCopies::load(Body& body, const TileStep& step, bool one_by_one) const {
  for_pieces(one_by_one, [&](const StagedOperand& operand, const Access& load, const Access&, Token token) {
    const Layout k = step.number * stored_k(*operand.plan, operand.buffer);
    append(body, LoadGlobal{operand_access(plan_, *operand.plan, operand.buffer, load, operand.outer, k), token},
           load.count, guard(step, load));
    if (plan_.tiling.through_local) append_local_passage(body, plan_, operand.buffer, load, token, guard(step, load));
  });
}

void WarpCopies::store(Body& body, const TileStep& step, bool one_by_one) const {
  for_pieces(one_by_one, [&](const StagedOperand& operand, const Access& load, const Access& store, Token token) {
    append(body, StoreShared{store.shared(operand.tile, step.stage, 0, 0), token}, store.count, guard(step, load));
  });
}

void WarpCopies::pass(Body& body, const TileStep& step, int batch) const {
  for (const StagedOperand& operand : operands_) {
    const Layout k = step.number * stored_k(*operand.plan, operand.buffer);
    const std::int64_t pieces = operand.load.count / std::gcd(operand.load.count, std::int64_t{batch});
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(operand.load, pieces, piece);
      const Access to = store_access(part, operand.plan->store_vector, operand.plan->is_turned());
      append(body,
             LoadGlobal{operand_access(plan_, *operand.plan, operand.buffer, part, operand.outer, k),
                        program_.token(operand.staged_name)},
             part.count, guard(step, operand.load));
      if (plan_.tiling.through_local)
        append_local_passage(body, plan_, operand.buffer, part, program_.token(operand.staged_name),
                             guard(step, operand.load));
      append_overhead(body, loop_overhead + part.count);
      append(body, StoreShared{to.shared(operand.tile, step.stage, 0, 0), program_.token(operand.staged_name)},
             to.count, guard(step, operand.load));
    }
  }
}

void WarpCopies::copy(Body& body, const TileStep& step, bool one_by_one) const {
  for (const StagedOperand& operand : operands_) {
    const Layout k = step.number * stored_k(*operand.plan, operand.buffer);
    const std::int64_t pieces = one_by_one ? operand.load.count : 1;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Access part = piece_of(operand.load, pieces, piece);
      append(body,
             CopyAsync{operand_access(plan_, *operand.plan, operand.buffer, part, operand.outer, k),
                       part.shared(operand.tile, step.stage, 0, 0)},
             part.count, guard(step, part));
    }
  }
}

}  // namespace gpusim::schedules
