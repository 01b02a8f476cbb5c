// Receipts: where the cycles of one memory request went.
//
// A request's receipt follows its last line: at each hop the cycles it had to take (latency) and the cycles it stood in
// a queue (waiting). They sum to end - start, always.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/ids.h"
#include "gpusim/units.h"

namespace gpusim {

/// The stations of a request, in order.
enum class Hop : std::uint8_t {
  sm,       ///< issue to load-store unit or copy engine, coalescer, shared-memory and L1 data banks
  l1,       ///< L1 tags and miss registers
  request,  ///< SM output port and crossbar towards L2
  l2,       ///< slice, tags, data
  dram,     ///< channel and device
  reply,    ///< crossbar towards the SM and its input port
};
inline constexpr std::size_t hop_count = 6;
inline constexpr std::array<std::string_view, hop_count> hop_names{"sm", "l1", "request", "l2", "dram", "reply"};
[[nodiscard]] constexpr std::string_view name(Hop hop) { return hop_names[static_cast<std::size_t>(hop)]; }

struct HopTime {
  Cycles latency;
  Cycles waiting;
  bool operator==(const HopTime&) const = default;
};

struct Receipt {
  Cycle start;
  Cycle end;
  std::array<HopTime, hop_count> hops{};

  HopTime& operator[](Hop hop) { return hops[static_cast<std::size_t>(hop)]; }
  const HopTime& operator[](Hop hop) const { return hops[static_cast<std::size_t>(hop)]; }
  [[nodiscard]] Cycles total() const {
    Cycles sum;
    for (const HopTime& hop : hops) sum += hop.latency + hop.waiting;
    return sum;
  }
};

}  // namespace gpusim
