// Which slice and channel a line belongs to.
//
// Lines are dealt to slices in blocks of `lines_per_slice` times as many lines as there are slices; in every block each
// slice gets its share, so a footprint fills all slices alike. Either in a pseudo-random order: no stride camps on a
// slice, and yet a few lines side by side meet at a slice as often as chance has it. Or in stripes: each slice gets one
// of as many neighbouring stripes as there are slices, in an order that is the same for all such rounds of a block, and
// has them one behind the other. Rows of a matrix that lie a power of two apart then share a slice, and rows of DRAM.
// Of stripes, each block begins one seat further than the one before; after as many blocks as there are seats the first
// seat jumps by a hash, so that no stride camps on a slice for long.
// Slices and channels are spread evenly over each other. With two partitions the first half of the slices, and their
// channels, make the first; pieces of 4 KiB lie in one of them, half of a block's in each, at random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/divisor.h"
#include "sizes.h"

namespace gpusim::fabric {

class AddressMap {
 public:
  static constexpr std::uint64_t lines_per_slice = lines_a_block;  ///< of a block

  /// One or two partitions. Stripes of so many lines, a power of two and at most lines_per_slice; 0: none.
  AddressMap(std::int64_t slices, std::int64_t channels, std::int64_t partitions = 1, std::int64_t stripe_lines = 0)
      : slices_(static_cast<std::uint64_t>(slices)),
        channels_(static_cast<std::uint64_t>(channels)),
        seats_(static_cast<std::uint64_t>(slices / partitions)),
        stripe_lines_(static_cast<std::uint64_t>(stripe_lines)),
        block_lines_(slices_ * lines_per_slice),
        by_block_(block_lines_),
        by_seats_(seats_),
        by_slices_(slices_),
        by_channel_slices_(std::max(slices_ / channels_, std::uint64_t{1})),
        by_slice_channels_(std::max(channels_ / slices_, std::uint64_t{1})) {
    for (std::uint64_t order = 0; order < orders; ++order) deal(order, static_cast<std::uint64_t>(partitions));
  }

  [[nodiscard]] std::int64_t slices() const { return static_cast<std::int64_t>(slices_); }
  /// Lines of a block, in which every slice has lines_per_slice.
  [[nodiscard]] std::int64_t block_lines() const { return static_cast<std::int64_t>(block_lines_); }

  struct Place {
    std::size_t slice = 0;
    std::uint64_t index = 0;  ///< within the slice: lines of one slice that differ have different ones
  };
  /// What lines of a block have in common. Lines of a request are seldom of many blocks: kept from one to the next, it
  /// need not be worked out again.
  struct Block {
    std::uint64_t first = std::uint64_t{1} << 63;  ///< its first line; lines have 56 bits, so no block has this one
    std::uint64_t index = 0;                       ///< of its first line in each slice
    std::uint64_t rotation = 0;
    const std::uint32_t* dealt = nullptr;
  };
  [[nodiscard]] Place place_of(std::uint64_t line, Block& block) const {
    if (line - block.first >= block_lines_) block = block_of(line);
    const Dealt dealt(block.dealt[line - block.first]);
    const std::uint64_t seat = dealt.seat() + block.rotation;
    return {(seat < seats_ ? seat : seat - seats_) + (dealt.is_upper() ? seats_ : 0), block.index + dealt.row()};
  }
  [[nodiscard]] Place place_of(std::uint64_t line) const {
    Block block;
    return place_of(line, block);
  }
  /// The line of slice `slice` with this index: the inverse of place_of.
  [[nodiscard]] std::uint64_t line_of(std::size_t slice, std::uint64_t index) const {
    const std::uint64_t block = index / lines_per_slice;
    const std::uint64_t hash = mix(block);
    const std::uint64_t partition = static_cast<std::uint64_t>(slice) / seats_;
    const std::uint64_t seat =
        (static_cast<std::uint64_t>(slice) % seats_ + seats_ - rotation_of(block, hash)) % seats_;
    const std::uint64_t row = partition * lines_per_slice + index % lines_per_slice;
    return block * block_lines_ + line_dealt_[order_of(hash) + row * seats_ + seat];
  }

  /// A line's place in device memory.
  struct DramPlace {
    std::size_t channel = 0;
    std::uint64_t line = 0;  ///< within the channel: consecutive ones share a row
  };
  [[nodiscard]] DramPlace dram_place_of(Place place) const {
    const std::uint64_t slice = place.slice;
    if (channels_ <= slices_) {
      const std::uint64_t channel = by_slices_.quotient(slice * channels_);
      return {static_cast<std::size_t>(channel),
              place.index * by_channel_slices_.value() + by_channel_slices_.remainder(slice)};
    }
    const std::uint64_t line = by_slice_channels_.quotient(place.index);
    const std::uint64_t which = by_slice_channels_.remainder(place.index + (mix(line) >> 40));
    return {static_cast<std::size_t>(slice * by_slice_channels_.value() + which), line};
  }

  /// Scatters consecutive indices over a slice's sets.
  [[nodiscard]] static std::uint64_t set_hash(std::uint64_t index) { return index ^ (index >> 7) ^ (index >> 15); }

 private:
  static constexpr std::uint64_t orders = 16;
  static constexpr std::uint64_t lines_per_piece = piece_bytes / line_bytes;

  /// Where an order puts a line: in a row of seats, a seat a slice; rows of the second partition are the upper ones.
  class Dealt {
   public:
    explicit Dealt(std::uint32_t bits) : bits_(bits) {}
    Dealt(std::uint64_t row, std::uint64_t seat) : bits_(static_cast<std::uint32_t>(seat * rows + row)) {}
    [[nodiscard]] std::uint32_t bits() const { return bits_; }
    [[nodiscard]] std::uint64_t seat() const { return bits_ / rows; }
    [[nodiscard]] std::uint64_t row() const { return bits_ % lines_per_slice; }
    [[nodiscard]] bool is_upper() const { return bits_ % rows >= lines_per_slice; }

   private:
    static constexpr std::uint32_t rows = 2 * lines_per_slice;

    std::uint32_t bits_;
  };

  [[nodiscard]] Block block_of(std::uint64_t line) const {
    const std::uint64_t block = by_block_.quotient(line);
    const std::uint64_t hash = mix(block);
    return {block * block_lines_, block * lines_per_slice, rotation_of(block, hash), &dealt_[order_of(hash)]};
  }

  /// One order of a block: its pieces to partitions, and of each partition the lines to rows of seats, a seat a slice.
  void deal(std::uint64_t order, std::uint64_t partitions) {
    Shuffler shuffler{order << 32};
    const std::uint64_t piece = std::gcd(block_lines_ / partitions, lines_per_piece);
    std::vector<std::uint64_t> pieces(block_lines_ / piece);
    std::iota(pieces.begin(), pieces.end(), std::uint64_t{0});
    if (partitions > 1) shuffler.shuffle(pieces);
    const std::uint64_t share = block_lines_ / partitions;
    for (std::uint64_t partition = 0; partition < partitions; ++partition) {
      const std::vector<std::uint64_t> places = stripe_lines_ == 0
                                                    ? places_at_random(partition * share, share, shuffler)
                                                    : places_of_stripes(partition, share);
      for (std::uint64_t i = 0; i < share; ++i) {
        const std::uint64_t line = pieces[(partition * share + i) / piece] * piece + i % piece;
        dealt_[order * block_lines_ + line] = Dealt(places[i] / seats_, places[i] % seats_).bits();
        line_dealt_[order * block_lines_ + places[i]] = static_cast<std::uint32_t>(line);
      }
    }
  }

  /// A sequence of pseudo-random numbers, and orders by it.
  struct Shuffler {
    std::uint64_t random;

    void shuffle(std::vector<std::uint64_t>& items) {
      for (std::uint64_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[mix(++random) % i]);
    }
  };

  /// Places in rows of seats, counted row by row, of one line of a partition after another.
  [[nodiscard]] static std::vector<std::uint64_t> places_at_random(std::uint64_t first, std::uint64_t share,
                                                                   Shuffler& shuffler) {
    std::vector<std::uint64_t> places(share);
    std::iota(places.begin(), places.end(), first);
    shuffler.shuffle(places);
    return places;
  }
  [[nodiscard]] std::vector<std::uint64_t> places_of_stripes(std::uint64_t partition, std::uint64_t share) const {
    std::vector<std::uint64_t> seats(seats_);
    std::iota(seats.begin(), seats.end(), std::uint64_t{0});
    Shuffler{(orders + partition) << 32}.shuffle(seats);
    std::vector<std::uint64_t> places(share);
    for (std::uint64_t i = 0; i < share; ++i) {
      const std::uint64_t stripe = i / stripe_lines_;
      const std::uint64_t row = stripe / seats_ * stripe_lines_ + i % stripe_lines_;
      places[i] = (partition * lines_per_slice + row) * seats_ + seats[stripe % seats_];
    }
    return places;
  }

  [[nodiscard]] std::uint64_t order_of(std::uint64_t hash) const { return (hash >> 8) % orders * block_lines_; }
  /// How many seats on a block begins.
  [[nodiscard]] std::uint64_t rotation_of(std::uint64_t block, std::uint64_t hash) const {
    if (stripe_lines_ == 0) return ((hash >> 32) * seats_) >> 32;
    const std::uint64_t jump = mix(by_seats_.quotient(block)) >> 32;
    return by_seats_.remainder(block + ((jump * seats_) >> 32));
  }
  /// Finaliser of the SplitMix64 generator (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31);
  }

  std::uint64_t slices_;
  std::uint64_t channels_;
  std::uint64_t seats_;  ///< slices of a partition
  std::uint64_t stripe_lines_;
  std::uint64_t block_lines_;
  core::Divisor by_block_;
  core::Divisor by_seats_;
  core::Divisor by_slices_;
  core::Divisor by_channel_slices_;  ///< slices of a channel
  core::Divisor by_slice_channels_;  ///< channels of a slice, where it has several
  // Of each order: where a line of the block goes (Dealt), and back.
  std::vector<std::uint32_t> dealt_ = std::vector<std::uint32_t>(orders * block_lines_);
  std::vector<std::uint32_t> line_dealt_ = std::vector<std::uint32_t>(orders * block_lines_);
};

}  // namespace gpusim::fabric
