// How to run: clock, state of L2 before, and when to stop early.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gpusim/units.h"

namespace gpusim {

/// What L2 holds of a buffer before the run.
enum class L2State : std::uint8_t {
  cold,  ///< nothing
  warm,  ///< it was touched once, in the order of the schedule's buffers; what fits remains
  /// An earlier run of the same schedules wrote it last: as warm, but DRAM has yet to get it. Where the buffers
  /// together do not fit L2, it has its share, by size.
  dirty,
};

[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(L2State) { return {"cold", "warm", "dirty"}; }
/// "cold", "warm" or "dirty".
[[nodiscard]] constexpr std::string_view name(L2State state) {
  return names_of(state)[static_cast<std::size_t>(state)];
}

/// What an SM's instruction caches hold of a kernel when it begins.
enum class CodeState : std::uint8_t {
  warm,  ///< all of it
  cold,  ///< nothing, as when other kernels ran before: the profile's `code` says what that costs
  /// What the kernel before left, and the run came before, too: all of it where that one has the same instructions
  /// (their kinds and counts, loop by loop, wherever they point), else nothing.
  repeated,
};
[[nodiscard]] constexpr std::array<std::string_view, 3> names_of(CodeState) { return {"warm", "cold", "repeated"}; }
/// "warm", "cold" or "repeated".
[[nodiscard]] constexpr std::string_view name(CodeState state) {
  return names_of(state)[static_cast<std::size_t>(state)];
}

/// A point on the way of a run, for progress displays and stop callbacks.
struct Progress {
  Cycle now;
  std::int64_t ctas_done = 0;
  std::int64_t ctas = 0;  ///< of all schedules
};

struct RunOptions {
  bool exact = false;          ///< simulate every cycle; else what repeats is skipped, as KernelResult::skipped says
  L2State l2 = L2State::cold;  ///< for buffers not named in l2_by_buffer
  std::map<std::string, L2State> l2_by_buffer;
  /// Of L2's capacity, what results of other kernels take that DRAM has yet to get: 0 to 100. 0: L2 begins empty but
  /// for what `l2` says. More: it begins full of lines of no buffer of the run, the dirty ones evenly among clean ones,
  /// and what `l2` says comes on top.
  int l2_dirty_percent = 0;
  CodeState code = CodeState::warm;
  std::optional<std::int64_t> clock_mhz;  ///< SM clock, up to fastest_mhz; none: the profile's boost clock
  std::optional<Cycles> max_cycles;       ///< stop here; the Result says so
  std::optional<std::int64_t> max_ctas;   ///< each kernel has its first so many, in whole clusters; the Result says so
  std::function<bool(const Progress&)> stop;  ///< asked now and then; true stops the run
};

}  // namespace gpusim
