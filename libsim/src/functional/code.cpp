#include "functional/code.h"

#include <algorithm>

namespace gpusim::functional {
namespace {

AccessTable table_of(const GlobalAccess& access, std::int64_t count) {
  return {access.row, access.column, access.lanes, access.vector, count, access.layer};
}
/// Of a transposed operand, rows are columns.
AccessTable table_of(const SharedAccess& access, std::int64_t count, bool transposed = false) {
  if (transposed) return {access.column, access.row, access.lanes, access.vector, count};
  return {access.row, access.column, access.lanes, access.vector, count};
}

/// Where the elements of what is moved are in its fragment.
template <class Moved>
GlobalAccess less_origin(GlobalAccess access, const Moved& moved) {
  access.row += moved.origin_row * -1;
  access.column += moved.origin_column * -1;
  return access;
}

/// Fills in the tables that the operation's action needs.
struct Preparer {
  Instruction& instruction;
  std::int64_t count;

  void operator()(const LoadGlobal& load) const {
    instruction.global = table_of(load.from, count);
    instruction.fragment = table_of(less_origin(load.from, load), count);
    instruction.cells = Cells(instruction.fragment);
  }
  void operator()(const LoadShared& load) const {
    instruction.shared = table_of(load.from, count);
    instruction.cells = Cells(instruction.shared);
  }
  void operator()(const StoreGlobal& store) const {
    instruction.global = table_of(store.to, count);
    instruction.fragment = table_of(less_origin(store.to, store), count);
  }
  void operator()(const StoreShared& store) const { instruction.shared = table_of(store.to, count); }
  void operator()(const AtomicAdd& atomic) const {
    instruction.global = table_of(atomic.to, count);
    if (atomic.into) instruction.cells = Cells(instruction.global);
  }
  void operator()(const WarpgroupMultiply& multiply) const {
    instruction.shared = table_of(multiply.b, count, multiply.b_transposed);
    instruction.cells = Cells(instruction.shared);
    if (const auto* a = std::get_if<SharedAccess>(&multiply.a)) {
      instruction.shared_a = table_of(*a, count, multiply.a_transposed);
      instruction.cells_a = Cells(instruction.shared_a);
    }
  }
  void operator()(const CopyAsync& copy) const {
    instruction.global = table_of(copy.from, count);
    instruction.shared = table_of(copy.to, count);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

void flatten(const std::vector<Statement>& body, std::size_t depth, std::vector<Instruction>& instructions) {
  for (const Statement& statement : body) {
    Instruction instruction;
    if (const auto* operation = std::get_if<Operation>(&statement)) {
      instruction.kind = Instruction::Kind::operation;
      instruction.operation = operation;
      std::visit(Preparer{instruction, operation->count}, operation->action);
      instructions.push_back(std::move(instruction));
      continue;
    }
    const auto& loop = std::get<Loop>(statement);
    instruction.trips = loop.trips;
    instruction.walk = loop.walk;
    instruction.turns = loop.turns;
    instruction.turn = loop.turn;
    instruction.depth = depth;
    const std::size_t begin = instructions.size();
    instruction.kind = Instruction::Kind::loop_begin;
    instructions.push_back(instruction);
    flatten(loop.body, depth + 1, instructions);
    instruction.kind = Instruction::Kind::loop_end;
    instruction.jump = begin + 1;
    instructions.push_back(instruction);
    instructions[begin].jump = instructions.size();
  }
}

bool meets_grid(const Instruction& instruction) {
  return instruction.operation != nullptr && std::holds_alternative<GridBarrier>(instruction.operation->action);
}

bool stores_by_lane(const Instruction& instruction) {
  const auto* store =
      instruction.operation == nullptr ? nullptr : std::get_if<StoreGlobal>(&instruction.operation->action);
  return store != nullptr && store->by_lane;
}

}  // namespace

Kernel prepare(const Schedule& schedule) {
  Kernel kernel;
  kernel.schedule = &schedule;
  for (const Role& role : schedule.roles) {
    Code code{role.name, role.program.tokens.size(), false, {}};
    flatten(role.program.body, 0, code.instructions);
    code.stores_by_lane = std::any_of(code.instructions.begin(), code.instructions.end(), stores_by_lane);
    code.instructions.emplace_back();
    kernel.meets_grid =
        kernel.meets_grid || std::any_of(code.instructions.begin(), code.instructions.end(), meets_grid);
    kernel.role_of_warp.insert(kernel.role_of_warp.end(), static_cast<std::size_t>(role.warps), kernel.roles.size());
    kernel.roles.push_back(std::move(code));
  }
  for (const SharedTile& tile : schedule.shared_tiles) kernel.tiles.emplace_back(tile);
  return kernel;
}

}  // namespace gpusim::functional
