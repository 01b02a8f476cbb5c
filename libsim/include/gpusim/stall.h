// Why a warp did not issue, cycle by cycle.
//
// Every cycle of every resident warp, from its CTA's start to its own exit, is charged to exactly one reason; there is
// no bucket "other". Names follow Nsight Compute's warp states where one exists.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gpusim {

enum class Reason : std::uint8_t {
  selected,            ///< issuing
  not_selected,        ///< ready, but the scheduler issued another warp
  wait,                ///< a fixed-latency result (FFMA, mma, index arithmetic) is not there yet
  math_pipe_throttle,  ///< the pipe it needs is taken
  short_scoreboard,    ///< data from shared memory is not there yet
  long_scoreboard,     ///< data from global memory is not there yet (loads and cp.async groups)
  mio_throttle,        ///< the queue to shared memory is full
  lg_throttle,         ///< the queue to L1 and global memory is full
  barrier,             ///< other warps have not reached bar.sync, or it is completing
  mbarrier,            ///< a phase of an mbarrier is not complete (bulk copies, or buffers not yet free)
  tma_throttle,        ///< the copy engine accepts no further copy
  no_instruction,      ///< its next instruction is not in the SM's instruction caches yet
};
inline constexpr std::size_t reason_count = 12;
inline constexpr std::array<std::string_view, reason_count> reason_names{
    "selected",     "not_selected", "wait",    "math_pipe_throttle", "short_scoreboard", "long_scoreboard",
    "mio_throttle", "lg_throttle",  "barrier", "mbarrier",           "tma_throttle",     "no_instruction"};
[[nodiscard]] constexpr std::string_view name(Reason reason) { return reason_names[static_cast<std::size_t>(reason)]; }

/// Warp-cycles by reason.
struct StallCycles {
  std::array<std::int64_t, reason_count> by_reason{};

  std::int64_t& operator[](Reason reason) { return by_reason[static_cast<std::size_t>(reason)]; }
  std::int64_t operator[](Reason reason) const { return by_reason[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t cycles : by_reason) sum += cycles;
    return sum;
  }
  StallCycles& operator+=(const StallCycles& other) {
    for (std::size_t i = 0; i < reason_count; ++i) by_reason[i] += other.by_reason[i];
    return *this;
  }
  bool operator==(const StallCycles&) const = default;
};

}  // namespace gpusim
