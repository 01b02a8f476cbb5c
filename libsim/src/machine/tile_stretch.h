// What a stretch of k tiles took and moved, to be compared with another.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/result.h"

namespace gpusim::machine {

/// Sectors asked of L2, misses, and sectors read from device memory. What is written there is of CTAs long gone, comes
/// in bursts, and is counted line by line when tiles are skipped.
using Reads = std::array<std::int64_t, 3>;

struct TileStretch {
  std::int64_t cycles = 0;  ///< of all CTAs
  std::int64_t tiles = 0;
  std::int64_t instructions = 0;
  Reads reads{};

  TileStretch& operator+=(const TileStretch& other);
};

[[nodiscard]] std::int64_t instructions_of(const KernelResult& kernel);

/// Between two counts of a kernel, in which its CTAs took `cycles` for `tiles`.
[[nodiscard]] TileStretch stretch_between(const KernelResult& from, const KernelResult& to, std::int64_t cycles,
                                          std::int64_t tiles);

/// Whether as many tiles take as long, but for so much, and as many instructions read as much.
[[nodiscard]] bool alike(const TileStretch& a, const TileStretch& b, std::int64_t of_cycles_ppm);

}  // namespace gpusim::machine
