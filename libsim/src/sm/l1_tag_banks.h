// Tag lookups of one access: each bank of the tags looks up one line a cycle, and lines are spread over banks by a
// hash.
//
// The hash is linear over the line's bits. Which bits enter was fitted to the tag wavefronts that hardware counts for 2
// to 9 neighbouring lines (te42kyfo/gpu-benches gpu-strides, A100 and H200): two neighbours collide a quarter of the
// time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "messages.h"

namespace gpusim::sm {

inline constexpr int max_tag_banks = 32;

[[nodiscard]] constexpr unsigned tag_bank(std::uint64_t line, unsigned banks) {
  const unsigned low = static_cast<unsigned>(std::popcount(line & 0xADCU)) & 1U;
  const unsigned high = static_cast<unsigned>(std::popcount(line & 0xEB7U)) & 1U;
  const auto rest = static_cast<unsigned>(line ^ (line >> 3)) & 7U;
  return (low | high << 1 | rest << 2) % banks;
}

/// Cycles the tags are busy with these lines.
[[nodiscard]] inline std::int64_t tag_wavefronts(const std::vector<LineChunks>& lines, int banks) {
  std::array<std::uint8_t, max_tag_banks> wanted{};
  std::uint8_t most = 1;
  for (const LineChunks& line : lines)
    most = std::max(most, ++wanted[tag_bank(line.line, static_cast<unsigned>(banks))]);
  return most;
}

}  // namespace gpusim::sm
