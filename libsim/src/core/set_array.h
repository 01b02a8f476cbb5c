// A set-associative array with least-recently-used replacement: keys to entries, a fixed number of places.
//
// What a search reads lies together: of each set 16 bits of every key, and the places in the order they were used. With
// 16 ways that is one line of the host's cache. The whole key lies beside its entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t rank = 0; rank < ways_; ++rank) used(set * blocks_, rank) = narrow(ways_ - 1 - rank);
  }

  /// A search of this set comes soon. (Always inlined: gcc takes a function that only prefetches for one without
  /// effect, and drops the call.)
  [[gnu::always_inline]] void prefetch(std::uint64_t set) const { __builtin_prefetch(&index_[set_of(set) * blocks_]); }
  /// A search for `key` comes soon, and the set has been prefetched: so are the entries it may end at, the key's own or
  /// the one that would make room. Says whether the key is likely there.
  [[gnu::always_inline]] bool prefetch_entry(std::uint64_t set, std::uint64_t key) const {
    const std::size_t home = set_of(set);
    const Index& index = index_[home * blocks_];
    const std::uint64_t matches = index.matches(tag_of(key));
    const std::size_t way = matches != 0 ? Index::way_of(matches) : index.used[std::min(ways_, block_ways) - 1];
    __builtin_prefetch(&slots_[home * ways_ + way]);
    return matches != 0;
  }

  /// The entry of `key` in set `set % sets`, made most recent; nullptr when absent.
  Entry* find(std::uint64_t set, std::uint64_t key) {
    const std::size_t home = set_of(set);
    const std::uint16_t tag = tag_of(key);
    for (std::size_t block = 0; block < blocks_; ++block) {
      const Index& index = index_[home * blocks_ + block];
      for (std::uint64_t matches = index.matches(tag); matches != 0; matches &= matches - 1) {
        const std::size_t way = block * block_ways + Index::way_of(matches);
        Slot& slot = slots_[home * ways_ + way];
        if (slot.key != key) continue;
        use(home, narrow(way));
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
  Place insert(std::uint64_t set, std::uint64_t key, Held&& held) {
    const std::size_t home = set_of(set);
    for (std::size_t rank = ways_; rank-- > 0;) {
      const std::uint16_t way = used(home * blocks_, rank);
      Slot& slot = slots_[home * ways_ + way];
      if (slot.key != free && held(slot.entry)) continue;
      Place place{&slot.entry, slot.key, slot.entry};
      slot = {key, Entry{}};
      index_[home * blocks_ + way / block_ways].set_tag(way % block_ways, tag_of(key));
      use(home, way);
      return place;
    }
    return {};
  }

 private:
  static constexpr std::size_t block_ways = 16;
  static constexpr std::size_t word_tags = 4;

  struct alignas(64) Index {
    std::array<std::uint64_t, block_ways / word_tags> tags{};  ///< 16 bits of each key; 0: none
    std::array<std::uint16_t, block_ways> used{};  ///< ways, the last used first; goes on in the set's next block

    void set_tag(std::size_t way, std::uint16_t tag) {
      std::uint64_t& word = tags[way / word_tags];
      const std::size_t shift = way % word_tags * 16;
      word = (word & ~(std::uint64_t{0xFFFF} << shift)) | std::uint64_t{tag} << shift;
    }
    /// Ways whose key may be the one of `tag`: all that have it, and now and then one beside it. Bit 16 * i + j is of
    /// way 4 * j + i.
    [[nodiscard]] std::uint64_t matches(std::uint16_t tag) const {
      constexpr std::uint64_t ones = 0x0001000100010001U;
      std::uint64_t found = 0;
      for (std::size_t word = 0; word < tags.size(); ++word) {
        const std::uint64_t differs = tags[word] ^ (tag * ones);
        const std::uint64_t equal = (differs - ones) & ~differs & (ones << 15);  // the borrow of a 0
        found |= equal >> (15 - word);
      }
      return found;
    }
    static std::size_t way_of(std::uint64_t matches) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(matches));
      return bit % 16 * word_tags + bit / 16;
    }
  };
  struct Slot {
    std::uint64_t key = free;
    Entry entry{};
  };

  [[nodiscard]] std::size_t set_of(std::uint64_t set) const { return static_cast<std::size_t>(sets_.remainder(set)); }
  static std::uint16_t narrow(std::size_t way) { return static_cast<std::uint16_t>(way); }
  /// 16 bits that differ where keys do, as far as 16 bits can; never 0.
  static std::uint16_t tag_of(std::uint64_t key) {
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
    return static_cast<std::uint16_t>((key * golden_ratio) >> 48 | 1U);
  }
  /// The way that was used `rank` ways ago, in the set whose index begins at block `first`.
  std::uint16_t& used(std::size_t first, std::size_t rank) {
    return index_[first + rank / block_ways].used[rank % block_ways];
  }
  /// `way` becomes the last one used.
  void use(std::size_t home, std::uint16_t way) {
    std::uint16_t before = way;
    for (Index* index = &index_[home * blocks_];; ++index)
      for (std::uint16_t& place : index->used) {
        std::swap(before, place);
        if (before == way) return;
      }
  }

  Divisor sets_{1};
  std::size_t ways_ = 1;
  std::size_t blocks_ = 1;
  std::vector<Index> index_;
  std::vector<Slot> slots_;
};

}  // namespace gpusim::core
