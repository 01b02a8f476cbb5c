// What crosses the border between SMs and the fabric. Plain values; each takes at least the run's window to arrive.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/ids.h"
#include "gpusim/receipt.h"
#include "gpusim/units.h"

namespace gpusim {

inline constexpr std::int64_t line_bytes = 128;
inline constexpr std::int64_t sector_bytes = 32;
inline constexpr std::int64_t chunk_bytes = 16;
inline constexpr int max_burst = 16;

/// A line of memory and which of its eight 16-byte chunks are meant.
struct LineChunks {
  std::uint64_t line : 56;
  std::uint64_t chunks : 8;
};

/// The four sectors that hold any of the eight chunks.
[[nodiscard]] constexpr unsigned sectors_of(unsigned chunks) {
  const unsigned low = (chunks | (chunks >> 1)) & 0x55U;
  return (low & 1U) | ((low >> 1) & 2U) | ((low >> 2) & 4U) | ((low >> 3) & 8U);
}
/// All chunks of the sectors that hold any of `chunks`.
[[nodiscard]] constexpr unsigned whole_sectors(unsigned chunks) {
  const unsigned low = (chunks | (chunks >> 1)) & 0x55U;
  return low | (low << 1);
}
/// How many of a mask's eight bits are set. Without an instruction for it a table is the quickest.
[[nodiscard]] constexpr std::int64_t count_bits(unsigned mask) {
  constexpr std::array<std::uint8_t, 16> counts{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return counts[mask & 15U] + counts[(mask >> 4) & 15U];
}

/// SM to fabric: read or write up to max_burst lines.
struct Request {
  Cycle arrives;
  std::int32_t sm = 0;
  std::uint32_t handle = 0;  ///< the SM's name for it, given back in the reply
  bool write = false;
  std::int32_t count = 0;
  std::array<LineChunks, max_burst> lines;
};

/// Fabric to SM: the data of a read begins to arrive, or a write is accepted.
struct Reply {
  Cycle arrives;  ///< first line at the SM's input port
  Cycle last;     ///< last line there, when the port is idle
  std::uint32_t handle = 0;
  std::int32_t bytes = 0;  ///< through the input port
  HopTime l2;              ///< of the last line
  HopTime dram;
};

/// Fabric to SM: run this CTA.
struct CtaStart {
  Cycle arrives;
  std::int64_t cta = 0;
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;
};

/// SM to fabric: it is done.
struct CtaExit {
  Cycle arrives;
  std::int32_t sm = 0;
  std::int64_t cta = 0;
  Cycle exited;  ///< its last warp's exit
};

/// How long messages and accesses take when nothing is in the way: public end-to-end latencies split over the hops.
struct BorderLatency {
  Cycles request;  ///< SM to fabric
  Cycles reply;    ///< fabric to SM
  Cycles cta_start;
  Cycles cta_exit;
};

}  // namespace gpusim
