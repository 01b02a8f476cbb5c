// L1 tags: 128-byte lines of four sectors. A miss fetches the sectors it needs; a second miss to a sector already on
// its way joins the first request.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/set_array.h"
#include "messages.h"

namespace gpusim::sm {

struct L1Line {
  std::uint8_t valid = 0;                  ///< sectors present
  std::uint8_t pending = 0;                ///< sectors on their way
  std::array<std::uint32_t, 4> handles{};  ///< of the request that brings each
};

class L1Tags {
 public:
  L1Tags() = default;
  L1Tags(std::int64_t bytes, std::int64_t ways) : lines_(bytes / line_bytes, ways) {}

  /// Searches for `lines` come soon: their sets are far from the processor.
  [[gnu::always_inline]] void prefetch(std::span<const LineChunks> lines) const {
    for (const LineChunks& line : lines) lines_.prefetch(lines_.set_of(line.line));
  }
  /// The same later, for the entries that the searches will end at, or that will make room.
  [[gnu::always_inline]] void prefetch_entries(std::span<const LineChunks> lines) const {
    for (const LineChunks& line : lines) lines_.prefetch_entry(lines_.set_of(line.line), line.line);
  }
  [[nodiscard]] L1Line* find(std::uint64_t line) { return lines_.find(lines_.set_of(line), line); }
  /// A place for `line`, which is absent; nullptr when every candidate is waiting for data (the load then passes L1
  /// by).
  [[nodiscard]] L1Line* insert(std::uint64_t line) {
    return lines_.insert(lines_.set_of(line), line, [](const L1Line& held) { return held.pending != 0; }).entry;
  }
  /// Request `handle` brings `sectors`.
  static void expect(L1Line& entry, unsigned sectors, std::uint32_t handle) {
    entry.pending = static_cast<std::uint8_t>(entry.pending | sectors);
    for (unsigned sector = 0; sector < 4; ++sector)
      if ((sectors >> sector & 1U) != 0) entry.handles[sector] = handle;
  }
  /// The sectors of `line` that request `handle` brings are there.
  void fill(std::uint64_t line, std::uint32_t handle) {
    L1Line* const entry = lines_.find(lines_.set_of(line), line);
    if (entry == nullptr) return;
    for (unsigned sector = 0; sector < 4; ++sector) {
      const unsigned bit = 1U << sector;
      if ((entry->pending & bit) == 0 || entry->handles[sector] != handle) continue;
      entry->pending = static_cast<std::uint8_t>(entry->pending & ~bit);
      entry->valid = static_cast<std::uint8_t>(entry->valid | bit);
    }
  }
  /// What is there is forgotten; what is on its way comes.
  void invalidate() {
    lines_.for_each([](L1Line& line) { line.valid = 0; });
  }

 private:
  core::SetArray<L1Line> lines_;
};

}  // namespace gpusim::sm
