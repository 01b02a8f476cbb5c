// Which slice and channel a line belongs to.
//
// Any run of as many consecutive lines as there are slices visits each once; from one such run to the next the order is
// rotated by a hash of the upper address, so that no stride camps on a slice. Slices are spread evenly over channels.
#pragma once

#include <cstdint>

namespace gpusim::fabric {

class AddressMap {
 public:
  AddressMap(std::int64_t slices, std::int64_t channels)
      : slices_(static_cast<std::uint64_t>(slices)), channels_(static_cast<std::uint64_t>(channels)) {}

  struct Place {
    std::size_t slice = 0;
    std::uint64_t index = 0;  ///< within the slice: lines of one slice that differ have different ones
  };
  [[nodiscard]] Place place_of(std::uint64_t line) const {
    const std::uint64_t index = line / slices_;
    const std::uint64_t rotation = ((mix(index) >> 32) * slices_) >> 32;
    const std::uint64_t slice = line - index * slices_ + rotation;
    return {static_cast<std::size_t>(slice < slices_ ? slice : slice - slices_), index};
  }
  [[nodiscard]] std::size_t channel_of(std::size_t slice) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(slice) * channels_ / slices_);
  }
  /// Scatters consecutive indices over a slice's sets.
  [[nodiscard]] static std::uint64_t set_hash(std::uint64_t index) { return index ^ (index >> 7) ^ (index >> 15); }

 private:
  /// Finaliser of the SplitMix64 generator (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31);
  }

  std::uint64_t slices_;
  std::uint64_t channels_;
};

}  // namespace gpusim::fabric
