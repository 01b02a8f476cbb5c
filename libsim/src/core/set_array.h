// A set-associative array with least-recently-used replacement: keys to entries, a fixed number of places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpusim::core {

template <class Entry>
class SetArray {
 public:
  SetArray() = default;
  /// `places` are rounded down to whole sets of `ways`, at least one set.
  SetArray(std::int64_t places, std::int64_t ways)
      : sets_(static_cast<std::uint64_t>(places >= ways ? places / ways : 1)), ways_(static_cast<std::size_t>(ways)) {
    const std::size_t slots = static_cast<std::size_t>(sets_) * ways_;
    keys_.assign(slots, free);
    used_.assign(slots, 0);
    entries_.resize(slots);
  }

  /// A search of this set comes soon.
  void prefetch(std::uint64_t set) const {
    const std::size_t first = begin(set);
    for (std::size_t slot = first; slot < first + ways_; slot += keys_per_host_line) __builtin_prefetch(&keys_[slot]);
  }

  /// The entry of `key` in set `set % sets`, made most recent; nullptr when absent.
  Entry* find(std::uint64_t set, std::uint64_t key) {
    const std::size_t first = begin(set);
    for (std::size_t slot = first; slot != first + ways_; ++slot)
      if (keys_[slot] == key) {
        used_[slot] = ++clock_;
        return &entries_[slot];
      }
    return nullptr;
  }

  /// Calls visit(entry) for every place, whether or not it is taken.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Entry& entry : entries_) visit(entry);
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
    const std::size_t first = begin(set);
    std::size_t victim = first + ways_;
    for (std::size_t slot = first; slot != first + ways_; ++slot) {
      if (keys_[slot] != free && held(entries_[slot])) continue;
      if (victim == first + ways_ || used_[slot] < used_[victim]) victim = slot;
    }
    if (victim == first + ways_) return {};
    Place place{&entries_[victim], keys_[victim], entries_[victim]};
    keys_[victim] = key;
    used_[victim] = ++clock_;
    entries_[victim] = Entry{};
    return place;
  }

 private:
  [[nodiscard]] std::size_t begin(std::uint64_t set) const { return static_cast<std::size_t>(set % sets_) * ways_; }

  static constexpr std::size_t keys_per_host_line = 64 / sizeof(std::uint64_t);

  std::uint64_t sets_ = 1;
  std::size_t ways_ = 1;
  std::uint64_t clock_ = 0;
  // Apart, because a search reads only the keys.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> used_;
  std::vector<Entry> entries_;
};

}  // namespace gpusim::core
