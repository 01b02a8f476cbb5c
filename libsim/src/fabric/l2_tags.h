// Tags of the L2 slices: which chunks of a line are there, which are dirty, and when data on its way will be.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/set_array.h"
#include "fabric/address_map.h"
#include "gpusim/units.h"

namespace gpusim::fabric {

struct L2Line {
  Cycle ready_at;          ///< a second miss waits for the first: that is the MSHR merge
  std::uint8_t valid = 0;  ///< chunks present or on their way
  std::uint8_t dirty = 0;  ///< chunks written since they were read
};

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

  /// Whose line an entry holds: one at home in this slice, or a copy of one of the other partition's.
  enum class Kind : std::uint8_t { home, copy };

  /// A search for this line comes soon.
  [[gnu::always_inline]] void prefetch(AddressMap::Place place) const {
    if (!unlimited_) slices_[place.slice].prefetch(AddressMap::set_hash(place.index));
  }
  /// A search for this line comes soon, and the one above was some time ago. Says whether it is likely there.
  [[gnu::always_inline]] bool prefetch_line(AddressMap::Place place, Kind kind) const {
    return unlimited_ ||
           slices_[place.slice].prefetch_entry(AddressMap::set_hash(place.index), key_of(place.index, kind));
  }
  /// The line, made most recent; nullptr when absent.
  L2Line* find(AddressMap::Place place, Kind kind = Kind::home);
  /// A place for a line that is absent.
  L2Line& insert(AddressMap::Place place, Evicted& evicted, Kind kind = Kind::home);

 private:
  static constexpr std::uint64_t copy_bit = std::uint64_t{1} << 62;
  [[nodiscard]] static std::uint64_t key_of(std::uint64_t index, Kind kind) {
    return kind == Kind::copy ? index | copy_bit : index;
  }

  bool unlimited_;
  std::vector<core::SetArray<L2Line>> slices_;
  std::vector<std::unordered_map<std::uint64_t, L2Line>> all_;
};

}  // namespace gpusim::fabric
