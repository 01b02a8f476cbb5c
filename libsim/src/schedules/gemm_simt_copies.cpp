#include <algorithm>
#include <string>

#include "schedules/gemm_simt_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int whole_chunk = 16;  ///< bytes: what cp.async moves past L1
/// Four words of four rows become four of four columns in eight PRMTs, as CUTLASS's igemm does it.
constexpr std::int64_t permutations_of_a_word = 2;

}  // namespace

/// What a step's guard says, and that the warp has a part of the tile at all.
std::optional<Bound> SimtCopies::guard(const TileStep& step, const Access& access) const {
  if (access.busy_warps >= plan_.compute_warps()) return step.guard;
  if (!step.guard) return Bound{along(Coordinate::warp), access.busy_warps};
  return Bound{step.guard->value + along(Coordinate::warp, step.guard->limit, access.busy_warps), step.guard->limit};
}

void SimtCopies::load(Body& body, const TileStep& step) {
  const Layout k = step.number * plan_.tiling.tile.k;
  for (const StagedOperand& operand : operands_) {
    LoadGlobal load{.from = operand_access(plan_, *operand.plan, operand.buffer, operand.load, operand.outer, k),
                    .into = program_.token(operand.staged_name)};
    if (makes_words(operand)) load.origin_row = k;
    append(body, load, operand.load.count, guard(step, operand.load));
    if (plan_.tiling.through_local)
      append_local_passage(body, plan_, operand.buffer, operand.load, program_.token(operand.staged_name),
                           guard(step, operand.load));
  }
}

void SimtCopies::store(Body& body, const TileStep& step) {
  for (const StagedOperand& operand : operands_) {
    StoreShared store{.to = operand.store.shared(operand.tile, step.stage, 0, 0),
                      .from = program_.token(operand.staged_name)};
    const std::optional<Bound> busy = guard(step, operand.store);
    if (makes_words(operand)) {
      append(body, Arithmetic{.pipe = Pipe::alu, .reads = {store.from}, .writes = store.from},
             permutations_of_a_word * operand.store.count, busy);
      store.packs = true;
    }
    append(body, store, operand.store.count, busy);
  }
}

void SimtCopies::append_copies(Body& body, const TileStep& step, const StagedOperand& operand, const Access& load,
                               const Access& store) const {
  const GlobalAccess from =
      operand_access(plan_, *operand.plan, operand.buffer, load, operand.outer, step.number * plan_.tiling.tile.k);
  const bool through_l1 = from.vector * size_of(plan_.problem.dtype) < whole_chunk;
  append(body, CopyAsync{from, store.shared(operand.tile, step.stage, 0, 0), through_l1}, load.count,
         guard(step, load));
}

void SimtCopies::copy(Body& body, const TileStep& step) const {
  for (const StagedOperand& operand : operands_) append_copies(body, step, operand, operand.load, operand.store);
}

void SimtCopies::for_share(const PiecesOf& pieces_of, int share, int shares, const WriterOfPiece& write) const {
  std::int64_t all = 0;
  for (const StagedOperand& operand : operands_) all += pieces_of(operand);
  std::int64_t number = 0;
  for (const StagedOperand& operand : operands_) {
    const std::int64_t pieces = pieces_of(operand);
    for (std::int64_t piece = 0; piece < pieces; ++piece, ++number)
      if (number * shares / all == share)
        write(operand, piece_of(operand.load, pieces, piece), piece_of(operand.store, pieces, piece),
              name_of_piece(operand, piece));
  }
}

void SimtCopies::load_share(Body& body, const TileStep& step, int share, int shares) {
  const Layout k = step.number * plan_.tiling.tile.k;
  for_share(pieces_in_registers, share, shares,
            [&](const StagedOperand& operand, const Access& load, const Access&, const std::string& token) {
              append(body,
                     LoadGlobal{.from = operand_access(plan_, *operand.plan, operand.buffer, load, operand.outer, k),
                                .into = program_.token(token)},
                     load.count, guard(step, load));
            });
}

void SimtCopies::store_share(Body& body, const TileStep& step, int share, int shares) {
  for_share(pieces_in_registers, share, shares,
            [&](const StagedOperand& operand, const Access&, const Access& store, const std::string& token) {
              append(body,
                     StoreShared{.to = store.shared(operand.tile, step.stage, 0, 0), .from = program_.token(token)},
                     store.count, guard(step, store));
            });
}

void SimtCopies::copy_share(Body& body, const TileStep& step, int share, int shares) const {
  const auto each = [](const StagedOperand& operand) { return operand.load.count; };
  for_share(each, share, shares,
            [&](const StagedOperand& operand, const Access& load, const Access& store, const std::string&) {
              append_copies(body, step, operand, load, store);
            });
}

}  // namespace gpusim::schedules
