// Bank conflicts of an access, counted without the simulator.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "schedules/gemm_access.h"

namespace gpusim::testing {

/// Most distinct 4-byte words that one bank has to give in one instruction of warp 0.
inline std::int64_t worst_bank(const schedules::Access& access, const SharedTile& tile, std::int64_t repeat) {
  std::vector<std::set<std::int64_t>> words(32);
  Coordinates at{};
  at[static_cast<std::size_t>(Coordinate::repeat)] = repeat;
  for (std::int64_t& lane = at[static_cast<std::size_t>(Coordinate::lane)]; lane < 32; ++lane)
    for (int element = 0; element < access.vector; ++element) {
      const std::int64_t word = offset_of(tile, access.row(at), access.column(at) + element).count() / 4;
      words[static_cast<std::size_t>(word % 32)].insert(word);
    }
  std::size_t worst = 0;
  for (const auto& bank : words) worst = std::max(worst, bank.size());
  return static_cast<std::int64_t>(worst);
}

}  // namespace gpusim::testing
