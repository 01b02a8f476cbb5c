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
  [[nodiscard]] unsigned valid() const { return static_cast<unsigned>(valid_); }
  [[nodiscard]] unsigned dirty() const { return static_cast<unsigned>(dirty_); }
  /// A second miss waits for the first: that is the MSHR merge.
  [[nodiscard]] Cycle ready_at() const { return Cycle(static_cast<std::int64_t>(ready_at_)); }

  /// These chunks are present or on their way.
  void add(unsigned chunks) { valid_ = (valid_ | chunks) & all; }
  void add_dirty(unsigned chunks) { dirty_ = (dirty_ | chunks) & all; }
  void wait_for(Cycle at) {
    if (at > ready_at()) ready_at_ = static_cast<std::uint64_t>(at.count()) & latest;
  }

 private:
  static constexpr unsigned all = 0xFF;
  static constexpr std::uint64_t latest = (std::uint64_t{1} << 48) - 1;  ///< a day of any GPU's cycles

  std::uint64_t ready_at_ : 48 = 0;
  std::uint64_t valid_ : 8 = 0;  ///< chunks present or on their way
  std::uint64_t dirty_ : 8 = 0;  ///< chunks written since they were read
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
    return {home.set + static_cast<std::size_t>(slices_away) * slice_sets_.value(), home.key | copy_bit};
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
  static constexpr std::uint64_t copy_bit = std::uint64_t{1} << 62;

  bool unlimited_;
  core::Divisor slice_sets_{1};
  core::SetArray<L2Line> lines_;  ///< a slice's sets lie together
  std::vector<std::unordered_map<std::uint64_t, L2Line>> all_;
};

}  // namespace gpusim::fabric
