// What L2 holds before a run.
#include <algorithm>
#include <limits>
#include <utility>

#include "machine/machine.h"
#include "sizes.h"

namespace gpusim::machine {

namespace {

/// Bytes without a gap: the whole buffer, or of each row its layers where others lie beside them.
struct Stretches {
  std::int64_t count = 1;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
};
Stretches stretches_of(const Buffer& buffer) {
  if (size_of(buffer) == span_of(buffer)) return {1, size_of(buffer).count(), 0};
  const std::int64_t element = size_of(buffer.dtype);
  return {buffer.rows, buffer.layers * buffer.layer_pitch * element, buffer.pitch * element};
}

}  // namespace

/// What others left lies behind all buffers. Sets fill unevenly: twice as many lines as L2 holds leave no way empty.
void Machine::fill_l2(const MemoryMap& memory) {
  if (options_.l2_dirty_percent == 0) return;
  const std::int64_t held = profile_.l2->capacity.value().count() / line_bytes;
  const std::int64_t first = (memory.bytes() + line_bytes - 1) / line_bytes;
  constexpr int whole = 100;
  int owed = 0;
  for (std::int64_t line = first; line < first + 2 * held; ++line) {
    owed += options_.l2_dirty_percent;
    const bool is_dirty = owed >= whole;
    if (is_dirty) owed -= whole;
    fabric_.memory().touch(static_cast<std::uint64_t>(line), is_dirty);
  }
}

void Machine::warm_l2(const MemoryMap& memory) {
  if (!profile_.l2) return;
  for (const MemoryMap::Region& region : memory.regions()) {
    if (region.before == L2State::cold) continue;
    const bool is_dirty = region.before == L2State::dirty;
    if (const auto row_address = memory.row_address(region)) {
      const std::int64_t bytes = region.shape.columns * size_of(region.shape.dtype);
      for (std::int64_t row = 0; row < region.shape.rows; ++row)
        for (std::int64_t byte = row_address(row), end = byte + bytes; byte < end; byte += line_bytes)
          fabric_.memory().touch(static_cast<std::uint64_t>(byte / line_bytes), is_dirty);
      continue;
    }
    const Stretches all = stretches_of(region.shape);
    const auto lines = [&](std::int64_t stretch) {
      const std::int64_t begin = region.address + stretch * all.step;
      return std::pair(begin / line_bytes, (begin + all.bytes + line_bytes - 1) / line_bytes);
    };
    std::int64_t left_out = 0;
    for (std::int64_t i = 0; i < all.count; ++i) left_out += lines(i).second - lines(i).first;
    left_out -= lines_kept(region, memory);
    for (std::int64_t i = 0; i < all.count; ++i) {
      const auto [first, last] = lines(i);
      for (std::int64_t line = first + std::clamp(left_out, std::int64_t{0}, last - first); line < last; ++line)
        fabric_.memory().touch(static_cast<std::uint64_t>(line), is_dirty);
      left_out -= last - first;
    }
  }
}

/// How many lines of a buffer may be left in L2. Of one many times larger than L2 the beginning is gone again; one that
/// was written among reads of the others has its share.
std::int64_t Machine::lines_kept(const MemoryMap::Region& region, const MemoryMap& memory) const {
  if (profile_.l2->capacity.is_unlimited()) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t capacity = profile_.l2->capacity.value().count();
  if (region.before != L2State::dirty) return capacity / line_bytes * 4;
  const auto share = static_cast<double>(capacity) / static_cast<double>(std::max(memory.used_bytes(), capacity));
  return static_cast<std::int64_t>(share * static_cast<double>(size_of(region.shape).count())) / line_bytes;
}

}  // namespace gpusim::machine
