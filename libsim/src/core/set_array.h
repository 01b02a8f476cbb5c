// A set-associative array with least-recently-used replacement: keys to entries, a fixed number of places.
//
// What a search reads lies together: of each set 16 bits of every key, and the order in which its places were used.
// With 16 ways that is one line of the host's cache. The whole key lies beside its entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/divisor.h"

namespace gpusim::core {

template <class Entry>
class SetArray {
 public:
  SetArray() = default;
  /// `places` are rounded down to whole sets of `ways`, at least one set.
  SetArray(std::int64_t places, std::int64_t ways)
      : sets_(static_cast<std::uint64_t>(places >= ways ? places / ways : 1)),
        ways_(static_cast<std::size_t>(ways)),
        blocks_((ways_ + block_ways - 1) / block_ways) {
    const auto sets = static_cast<std::size_t>(sets_.value());
    slots_.resize(sets * ways_);
    index_.resize(sets * blocks_);
    if (blocks_ > 1) order_.resize(sets * ways_);
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t way = 0; way < ways_; ++way) append_to_order(set, ways_ - 1 - way, way);
  }

  /// The set that numbers are dealt to in turn.
  [[nodiscard]] std::size_t set_of(std::uint64_t number) const {
    return static_cast<std::size_t>(sets_.remainder(number));
  }
  /// A search of this set comes soon. (Always inlined: gcc takes a function that only prefetches for one without
  /// effect, and drops the call.)
  [[gnu::always_inline]] void prefetch(std::size_t set) const { __builtin_prefetch(&index_[set * blocks_]); }
  /// Where a key is likely to be.
  struct Guess {
    bool is_there = false;
    std::uint16_t way = 0;  ///< its place, or the one that would make room
  };
  /// A search for `key` comes soon, and the set has been prefetched: so is the entry it may end at.
  [[gnu::always_inline]] Guess prefetch_entry(std::size_t set, std::uint64_t key) const {
    const unsigned matches = index_[set * blocks_].matches(tag_of(key));
    const std::size_t way = matches != 0 ? first_way(matches) : used(set, ways_ - 1);
    __builtin_prefetch(&slots_[set * ways_ + way]);
    return {matches != 0, static_cast<std::uint16_t>(way)};
  }

  /// The entry of `key`, made most recent, if it is where it was guessed to be; nullptr when it is not. The guess is
  /// one of this set that is there.
  Entry* find_guessed(std::size_t set, std::uint64_t key, Guess guess) {
    Slot& slot = slots_[set * ways_ + guess.way];
    if (slot.key != key) return nullptr;
    use(set, guess.way);
    return &slot.entry;
  }
  /// The entry of `key` in this set, made most recent; nullptr when absent.
  Entry* find(std::size_t set, std::uint64_t key) {
    const std::uint16_t tag = tag_of(key);
    for (std::size_t block = 0; block < blocks_; ++block) {
      const Index& index = index_[set * blocks_ + block];
      for (unsigned matches = index.matches(tag); matches != 0; matches &= matches - 1) {
        const std::size_t way = block * block_ways + first_way(matches);
        Slot& slot = slots_[set * ways_ + way];
        if (slot.key != key) continue;
        use(set, way);
        return &slot.entry;
      }
    }
    return nullptr;
  }

  /// Calls visit(entry) for every place, whether or not it is taken.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Slot& slot : slots_) visit(slot.entry);
  }

  struct Place {
    Entry* entry = nullptr;        ///< nullptr when every candidate is held
    std::uint64_t old_key = free;  ///< whose entry is replaced; `free` when none
    Entry old{};
  };
  static constexpr std::uint64_t free = std::numeric_limits<std::uint64_t>::max();

  /// Puts `key`, which must be absent, in place of the least recently used entry for which held(entry) is false.
  template <class Held>
  Place insert(std::size_t set, std::uint64_t key, Held&& held) {
    for (std::size_t rank = ways_; rank-- > 0;) {
      const std::size_t way = used(set, rank);
      Slot& slot = slots_[set * ways_ + way];
      if (slot.key != free && held(slot.entry)) continue;
      Place place{&slot.entry, slot.key, slot.entry};
      slot = {key, Entry{}};
      index_[set * blocks_ + way / block_ways].tags[way % block_ways] = tag_of(key);
      use(set, way);
      return place;
    }
    return {};
  }

 private:
  static constexpr std::size_t block_ways = 16;
  static constexpr std::uint64_t nibble_ones = 0x1111111111111111U;

  struct alignas(64) Index {
    std::array<std::uint16_t, block_ways> tags{};  ///< 16 bits of each key; 0: none
    std::uint64_t order = 0;  ///< ways of a set that is one block, 4 bits each, the last used lowest

    /// Ways whose key may be the one of `tag`, a bit each.
    [[nodiscard]] unsigned matches(std::uint16_t tag) const {
#ifdef __SSE2__
      const __m128i wanted = _mm_set1_epi16(static_cast<std::int16_t>(tag));
      const auto equal = [&](std::size_t first) {
        __m128i some;
        std::memcpy(&some, &tags[first], sizeof(some));
        return _mm_cmpeq_epi16(some, wanted);
      };
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(equal(0), equal(block_ways / 2))));
#else
      unsigned found = 0;
      for (std::size_t way = 0; way < block_ways; ++way) found |= unsigned{tags[way] == tag} << way;
      return found;
#endif
    }
  };
  static std::size_t first_way(unsigned matches) { return static_cast<std::size_t>(std::countr_zero(matches)); }
  struct Slot {
    std::uint64_t key = free;
    Entry entry{};
  };

  /// 16 bits that differ where keys do, as far as 16 bits can; never 0.
  static std::uint16_t tag_of(std::uint64_t key) {
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
    return static_cast<std::uint16_t>((key * golden_ratio) >> 48 | 1U);
  }
  /// The way that was used `rank` ways ago.
  [[nodiscard]] std::size_t used(std::size_t set, std::size_t rank) const {
    return blocks_ == 1 ? index_[set].order >> (4 * rank) & 15U : order_[set * ways_ + rank];
  }
  void append_to_order(std::size_t set, std::size_t rank, std::size_t way) {
    if (blocks_ == 1)
      index_[set].order |= std::uint64_t{way} << (4 * rank);
    else
      order_[set * ways_ + rank] = static_cast<std::uint16_t>(way);
  }
  /// `way` becomes the last one used.
  void use(std::size_t set, std::size_t way) {
    if (blocks_ == 1) {
      std::uint64_t& order = index_[set].order;
      order = moved_to_front(order, way);
      return;
    }
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
    const auto place = std::find(first, first + static_cast<std::ptrdiff_t>(ways_), static_cast<std::uint16_t>(way));
    std::rotate(first, place, place + 1);
  }
  /// In the same time wherever it was: which one is used is not to be foreseen, and a loop's end would be.
  static std::uint64_t moved_to_front(std::uint64_t order, std::uint64_t way) {
    const std::uint64_t differs = order ^ (way * nibble_ones);
    const std::uint64_t equal = (differs - nibble_ones) & ~differs & (nibble_ones << 3);
    const std::uint64_t top = equal & (~equal + 1);  // the highest bit of the first that is equal
    const std::uint64_t moved = (top << 1) - 1;      // it and those before it
    return (order & ~moved) | (order & (moved >> 4)) << 4 | way;
  }

  Divisor sets_{1};
  std::size_t ways_ = 1;
  std::size_t blocks_ = 1;
  std::vector<Index> index_;
  std::vector<std::uint16_t> order_;  ///< of sets of more blocks: ways, the last used first
  std::vector<Slot> slots_;
};

}  // namespace gpusim::core
