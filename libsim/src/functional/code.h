// Programs prepared for execution: flattened, with the tables of their accesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "functional/access_table.h"
#include "functional/shared_memory.h"
#include "gpusim/schedule.h"

namespace gpusim::functional {

struct Instruction {
  enum class Kind : std::uint8_t { operation, loop_begin, loop_end, exit };
  Kind kind = Kind::exit;
  const Operation* operation = nullptr;
  AccessTable global;    ///< of an operation's access to global memory, if it has one
  AccessTable fragment;  ///< of an access to global memory: where its elements are in the fragment
  AccessTable shared;
  Cells cells;           ///< elements a load reads, or a warp-group multiply as b
  AccessTable shared_a;  ///< of a warp-group multiply that reads a from shared memory
  Cells cells_a;
  std::int64_t trips = 0;
  Walk walk = Walk::none;
  std::int64_t turns = 1;  ///< of a walk over items: as in Loop
  std::int64_t turn = 0;
  std::size_t depth = 0;  ///< of a loop: the index of its coordinate, counted from loop0
  std::size_t jump = 0;   ///< loop_begin: past the end; loop_end: first of the body
};

/// One role. Refers into its Schedule.
struct Code {
  std::string role;
  std::size_t tokens = 0;
  bool stores_by_lane = false;            ///< it has a store of values as lanes loaded them
  std::vector<Instruction> instructions;  ///< the last one is an exit
};

/// A whole schedule.
struct Kernel {
  const Schedule* schedule = nullptr;
  std::vector<Code> roles;
  std::vector<std::size_t> role_of_warp;
  std::vector<TileMap> tiles;
  bool meets_grid = false;  ///< it has a GridBarrier
};

/// `schedule` must be sound (check() finds nothing) and outlive the result.
[[nodiscard]] Kernel prepare(const Schedule& schedule);

}  // namespace gpusim::functional
