// Tags of the L2 slices: which chunks of a line are there, which are dirty, and when data on its way will be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/set_array.h"
#include "fabric/address_map.h"
#include "gpusim/units.h"

namespace gpusim::fabric {

/// Of 8 bytes, so that with its key four lie in a line of the host's cache.
class L2Line {
 public:
  [[nodiscard]] unsigned valid() const { return static_cast<unsigned>(word_ >> valid_shift) & all; }
  [[nodiscard]] unsigned dirty() const { return static_cast<unsigned>(word_ >> dirty_shift); }
  /// A second miss waits for the first: that is the MSHR merge.
  [[nodiscard]] Cycle ready_at() const { return Cycle(static_cast<std::int64_t>(word_ & latest)); }

  /// These chunks are present or on their way.
  void add(unsigned chunks) { word_ |= std::uint64_t{chunks & all} << valid_shift; }
  void add_dirty(unsigned chunks) { word_ |= std::uint64_t{chunks & all} << dirty_shift; }
  void wait_for(Cycle at) {
    if (at > ready_at()) word_ = (word_ & ~latest) | (static_cast<std::uint64_t>(at.count()) & latest);
  }

 private:
  static constexpr unsigned all = 0xFF;
  static constexpr unsigned valid_shift = 48;
  static constexpr unsigned dirty_shift = 56;
  static constexpr std::uint64_t latest = (std::uint64_t{1} << valid_shift) - 1;  ///< a day of any GPU's cycles

  /// When what is on its way is there, chunks present or on their way, and chunks written since they were read. One
  /// word, read and written whole: the host waits where a part was written just before.
  std::uint64_t word_ = 0;
};

static_assert(sizeof(L2Line) == sizeof(std::uint64_t));

/// A line that had to make room.
struct Evicted {
  bool any = false;
  std::uint64_t index = 0;  ///< within its slice
  L2Line line;
};

class L2Tags {
 public:
  /// Unlimited capacity keeps every line.
  L2Tags(Limited<Bytes> capacity, std::int64_t ways, std::int64_t slices);

  /// Sets of each slice; 1 when capacity is unlimited.
  [[nodiscard]] std::size_t sets_of_slice() const { return slice_sets_.value(); }
  /// Where a line is searched for.
  struct Spot {
    std::size_t set = 0;  ///< of all slices; the slice when capacity is unlimited
    std::uint64_t key = 0;
  };
  [[nodiscard]] Spot spot_of(AddressMap::Place place) const {
    return {place.slice * slice_sets_.value() + slice_sets_.remainder(AddressMap::set_hash(place.index)), place.index};
  }
  /// The copy of a line, as many slices away.
  [[nodiscard]] Spot copy_of(Spot home, std::ptrdiff_t slices_away) const {
    return {home.set + static_cast<std::size_t>(slices_away) * slice_sets_.value(), key_of(home.key, true)};
  }

  /// The key of a line, or of its copy.
  [[nodiscard]] static std::uint64_t key_of(std::uint64_t index, bool is_copy) {
    return index | static_cast<std::uint64_t>(is_copy) << copy_shift;
  }

  /// A search there comes soon.
  [[gnu::always_inline]] void prefetch(Spot spot) const {
    if (!unlimited_) lines_.prefetch(spot.set);
  }
  using Guess = core::SetArray<L2Line>::Guess;
  /// A search there comes soon, and the one above was some time ago.
  [[gnu::always_inline]] Guess prefetch_line(Spot spot) const {
    return unlimited_ ? Guess{} : lines_.prefetch_entry(spot.set, spot.key);
  }
  /// The line, made most recent; nullptr when absent.
  L2Line* find(Spot spot, Guess guess = {}) {
    L2Line* const guessed = guess.is_there ? lines_.find_guessed(spot.set, spot.key, guess) : nullptr;
    return guessed != nullptr ? guessed : search(spot);
  }
  /// A place for a line that is absent.
  L2Line& insert(Spot spot, Evicted& evicted);

 private:
  L2Line* search(Spot spot);

  /// Of keys: the line is at home in the other partition.
  static constexpr unsigned copy_shift = 62;
  static constexpr std::uint64_t copy_bit = std::uint64_t{1} << copy_shift;

  bool unlimited_;
  core::Divisor slice_sets_{1};
  core::SetArray<L2Line> lines_;  ///< a slice's sets lie together
  std::vector<std::unordered_map<std::uint64_t, L2Line>> all_;
};

}  // namespace gpusim::fabric
