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
      : sets_(places >= ways ? places / ways : 1), ways_(ways) {
    slots_.resize(static_cast<std::size_t>(sets_ * ways_));
  }

  [[nodiscard]] std::int64_t places() const { return sets_ * ways_; }

  /// The entry of `key` in set `set % sets`, made most recent; nullptr when absent.
  Entry* find(std::uint64_t set, std::uint64_t key) {
    Slot* first = begin(set);
    for (Slot* slot = first; slot != first + ways_; ++slot)
      if (slot->key == key) {
        slot->used = ++clock_;
        return &slot->entry;
      }
    return nullptr;
  }

  struct Place {
    Entry* entry = nullptr;       ///< nullptr when every candidate is held
    std::uint64_t old_key = free;  ///< whose entry is replaced; `free` when none
    Entry old{};
  };
  static constexpr std::uint64_t free = std::numeric_limits<std::uint64_t>::max();

  /// Puts `key`, which must be absent, in place of the least recently used entry for which held(entry) is false.
  template <class Held>
  Place insert(std::uint64_t set, std::uint64_t key, Held&& held) {
    Slot* first = begin(set);
    Slot* victim = nullptr;
    for (Slot* slot = first; slot != first + ways_; ++slot) {
      if (slot->key != free && held(slot->entry)) continue;
      if (victim == nullptr || slot->used < victim->used) victim = slot;
    }
    if (victim == nullptr) return {};
    Place place{&victim->entry, victim->key, victim->entry};
    victim->key = key;
    victim->used = ++clock_;
    victim->entry = Entry{};
    return place;
  }

  void clear() {
    for (Slot& slot : slots_) slot = Slot{};
  }

 private:
  struct Slot {
    std::uint64_t key = free;
    std::uint64_t used = 0;
    Entry entry{};
  };
  Slot* begin(std::uint64_t set) {
    return slots_.data() + static_cast<std::size_t>(set % static_cast<std::uint64_t>(sets_)) * static_cast<std::size_t>(ways_);
  }

  std::int64_t sets_ = 1;
  std::int64_t ways_ = 1;
  std::uint64_t clock_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace gpusim::core
