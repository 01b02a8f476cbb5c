// Programs: what one warp does, as runs of actions (action.h).
//
// A Program is not PTX. An Operation is a run of `count` like warp instructions (64 FFMAs, 4 LDG.128s), and loop bodies
// are stored once: addresses are Layouts of lane, warp, repeat, block and loop indices. Registers appear as tokens,
// each standing for one fragment of the warp; the scoreboard follows tokens.
//
// The same Program is timed by the engine and executed on real numbers by the functional twin (functional.h), so every
// operation also has a meaning, given with each action. Timing contract (docs/timing.md): an operation of `count`
// instructions that starts at `s` on a pipe of interval `i` and latency `l` is complete at s + (count - 1) * i + l.
//
// Not modelled: register values inside the engine, divergence within a warp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpusim/action.h"

namespace gpusim {

/// A run of `count` like warp instructions. With a guard, the run happens only where the bound holds (the guard may
/// depend on warp, block and loop indices, not on lanes); skipping costs nothing.
struct Operation {
  Action action;
  std::int64_t count = 1;
  std::optional<Bound> guard;
};

struct Statement;

/// What decides how often a loop runs.
enum class Walk : std::uint8_t {
  none,     ///< its trips
  items,    ///< the CTA's work items (schedule.h): each trip sets block_m, block_n, block_z, k_begin and partial
  k_tiles,  ///< the k tiles of the work item; the index goes on counting where it ended in the item before
};
/// `body`, `trips` times, or as its walk says. Loops nest three deep; the innermost index is the highest loopN in use.
/// Over an item's k tiles, loop index + k_begin is the number of the k tile.
struct Loop {
  std::int64_t trips = 0;  ///< of a walk: no CTA makes more
  std::vector<Statement> body;
  bool steps_tiles = false;  ///< each trip finishes one k tile: Result's steady_cycles_per_tile counts these
  Walk walk = Walk::none;
  /// Over work items, where several roles take them in turns: this one has every `turns`-th, `turn` (0 to turns - 1)
  /// the first. The index is the item's number, and k tiles of all items count on. `trips` stays the items of all.
  /// At most 64 turns, and one in other walks; else the schedule is refused (ScheduleError).
  std::int64_t turns = 1;
  std::int64_t turn = 0;
};

struct Statement : std::variant<Operation, Loop> {
  using std::variant<Operation, Loop>::variant;
};

/// What one warp does, from its first instruction to its exit.
struct Program {
  std::vector<std::string> tokens;  ///< the fragments' names
  std::vector<Statement> body;

  /// A new fragment.
  Token token(std::string name);
};

/// Warp instructions one warp executes where every guard holds only as it does for `block_m`, `block_n`, `warp`: loops
/// and counts expanded, walks to their `trips`.
[[nodiscard]] std::int64_t instruction_count(const Program& program, const Coordinates& at = {});

/// The program as a listing, like assembly: one operation a line, loops indented.
[[nodiscard]] std::string to_string(const Program& program);

}  // namespace gpusim
