// L2 slices and DRAM channels: serves the lines of requests.
//
// Each line takes its own place at its slice, and on a miss at its channel. Reads fetch whole sectors; writes go to L2
// chunk by chunk without fetching, and are written back when their line is evicted (a sector written in part is read
// first).
//
// With two partitions every line has a home slice in one of them, the point of coherence. An SM asks its own partition;
// for a line of the other one it finds a copy there or has it fetched from its home. Writes and atomics go home, and
// the copy is given up.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/server.h"
#include "fabric/address_map.h"
#include "fabric/config.h"
#include "fabric/dram_channel.h"
#include "fabric/l2_tags.h"
#include "fabric/request_coalescer.h"
#include "gpusim/receipt.h"
#include "messages.h"

namespace gpusim::fabric {

struct MemoryCounters {
  std::int64_t read_sectors = 0;
  std::int64_t hit_sectors = 0;
  std::int64_t coalesced_sectors = 0;
  std::int64_t far_sectors = 0;
  std::int64_t write_sectors = 0;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;
};

class MemorySide {
 public:
  explicit MemorySide(const FabricConfig& config);

  struct Served {
    Cycle first;    ///< the first line's data leaves the slice
    Cycle last;     ///< the last one's
    Cycle changed;  ///< atomic: the last line's new value is there
    std::int64_t sectors = 0;
    std::int64_t shared_sectors = 0;  ///< that have left L2 for a read of the GPC before
    HopTime l2;                       ///< of the last line
    HopTime dram;
  };
  Served read(const Request& request, Cycle at);
  Served atomic(const Request& request, Cycle at);
  /// When the last line is in L2.
  Cycle write(const Request& request, Cycle at);

  /// How long a load that finds `line` takes when nothing is in the way: to where the value is, and from there on.
  struct Way {
    Cycles to;
    Cycles from;
  };
  [[nodiscard]] Way way(std::uint64_t line, std::int32_t sm) const;

  /// L2 has been given the whole line before the run; when dirty, by a kernel that wrote it.
  void touch(std::uint64_t line, bool is_dirty = false);

  /// `sm` has read what is meant of the lines, at no cost: L2 and the counts of what had to make room know of it.
  void bring(std::span<const LineChunks> lines, std::int32_t sm);

  [[nodiscard]] const MemoryCounters& counters() const { return counters_; }
  /// Counts since the last call.
  MemoryCounters take_counters();
  std::vector<core::Server>& slices() { return slices_; }
  /// What writes take beside their share of slices().
  std::vector<core::Server>& slice_writes() { return slice_writes_; }
  std::vector<core::Server>& links() { return links_; }
  std::vector<core::Server>& atomic_units() { return atomic_units_; }
  std::vector<DramChannel>& channels() { return channels_; }

 private:
  struct LineTime {
    Cycle ready;
    HopTime l2;
    HopTime dram;
  };
  /// What is read of a line: whole sectors; all of it unless told otherwise.
  struct Wanted {
    unsigned chunks = whole_line;
    unsigned fetched = whole_line;  ///< with what is missing of `chunks`
    std::int64_t sectors = line_bytes / sector_bytes;
    [[nodiscard]] std::int64_t bytes() const { return sectors * sector_bytes; }
  };
  [[nodiscard]] Wanted wanted_of(const LineChunks& line, bool fetches_line = false) const {
    const unsigned chunks = whole_sectors(static_cast<unsigned>(line.chunks));
    return {chunks, fetches_line ? whole_line : fetched_with(chunks), count_bits(chunks) * chunk_bytes / sector_bytes};
  }
  /// What comes from DRAM with these sectors.
  [[nodiscard]] unsigned fetched_with(unsigned chunks) const {
    if (config_.fetch_bytes <= sector_bytes) return chunks;
    if (config_.fetch_bytes >= line_bytes) return whole_line;
    return ((chunks & 0x0FU) != 0 ? 0x0FU : 0U) | ((chunks & 0xF0U) != 0 ? 0xF0U : 0U);
  }
  LineTime share_line(const Wanted& wanted, Cycle at, RequestCoalescer::Answer answer);
  /// A line of a request: where it is looked for, and where it is likely to be.
  struct Target {
    AddressMap::Place home;
    L2Tags::Spot at_home;
    L2Tags::Spot copy;  ///< in the other partition
    L2Tags::Guess guess_at_home;
    L2Tags::Guess guess_copy;
  };
  /// A line that is read: first where its SM's partition has it, at home or a copy of it. What differs between the two
  /// is worked out without a branch, for no host foresees which of them a line is.
  struct ReadTarget {
    AddressMap::Place home;
    std::size_t home_set = 0;
    L2Tags::Spot here;
    std::uint32_t slice_here = 0;
    bool is_far = false;  ///< at home in the other partition
    L2Tags::Guess guess_here;
    L2Tags::Guess guess_at_home;                      ///< of lines that are far, and seem to have no copy
    RequestCoalescer::Place* in_coalescer = nullptr;  ///< where there is one
    [[nodiscard]] L2Tags::Spot at_home() const { return {home_set, home.index}; }
  };
  /// Where an SM reads: what leads from the home of a line that is far to its like here.
  struct Reader {
    std::size_t partition = 0;
    std::size_t slices_away = 0;  ///< both are added modulo 2^64, as they may lead down
    std::size_t sets_away = 0;
  };
  [[nodiscard]] Reader reader_in(std::size_t partition) const {
    const std::size_t slices = partition == 0 ? std::size_t{0} - slices_per_partition_ : slices_per_partition_;
    return {partition, slices, slices * tags_.sets_of_slice()};
  }
  inline void locate(ReadTarget& target, std::uint64_t line, const Reader& reader, AddressMap::Block& block) const;
  void locate_late(ReadTarget& target, std::uint64_t line, const Reader& reader) const;
  void look_ahead_to_read(std::span<const LineChunks> lines, const Reader& reader, unsigned spared);
  /// Whose copies are looked for by those who write lines or bring them: of lines that are far, or of all, to give them
  /// up.
  enum class Copies : std::uint8_t { of_far, of_all };
  void look_ahead(std::span<const LineChunks> lines, std::size_t partition, Copies copies);
  /// `whole`: all of every line is wanted.
  template <bool whole>
  Served read_lines(const Request& request, Cycle at);
  unsigned find_in(RequestCoalescer& coalescer, const Request& request, Cycle at, bool whole);
  inline LineTime read_line(const Wanted& wanted, const ReadTarget& target, const Reader& reader, Cycle at);
  LineTime read_near(const Wanted& wanted, const ReadTarget& target, L2Line* found, Cycle at);
  LineTime read_far(const Wanted& wanted, const ReadTarget& target, L2Line* copy, std::size_t partition, Cycle at);
  LineTime read_home(const Wanted& wanted, AddressMap::Place home, Cycle reached, Cycles far, L2Line& entry);
  LineTime read_dram(AddressMap::Place home, Cycle asked, std::int64_t bytes);
  L2Line& entry_of(L2Tags::Spot spot, L2Tags::Guess guess, std::size_t slice, Cycle at, Cycle* room = nullptr);
  core::Grant take_slice(std::size_t slice, Cycle at, std::int64_t bytes);
  L2Line& make_entry(L2Tags::Spot spot, std::size_t slice, Cycle at, Cycle* room = nullptr);
  Cycle write_line(const LineChunks& line, const Target& target, std::size_t partition, Cycle at);
  Cycle write_back(std::size_t slice, std::uint64_t index, const L2Line& line, Cycle at);
  /// When DRAM has taken so many bytes of the line.
  Cycle write_dram(AddressMap::Place home, Cycle at, std::int64_t bytes);
  void give_up_copy(const Target& target);
  void bring(L2Tags::Spot spot, L2Tags::Guess guess, unsigned chunks);

  /// From a slice on, on a hit; `far` is the way to it and back.
  [[nodiscard]] Cycles from_slice(Cycles far) const { return config_.l2_hit + far - far / 2; }
  /// There are two at most.
  [[nodiscard]] std::size_t partition_of(std::size_t slice) const { return slice < slices_per_partition_ ? 0 : 1; }
  /// From a slice of this partition to its like in the other.
  [[nodiscard]] std::ptrdiff_t to_other(std::size_t partition) const {
    const auto slices = static_cast<std::ptrdiff_t>(slices_per_partition_);
    return partition == 0 ? slices : -slices;
  }
  [[nodiscard]] std::size_t partition_of_sm(std::int32_t sm) const {
    return partition_of_sm_[static_cast<std::size_t>(sm)];
  }

  FabricConfig config_;
  AddressMap map_;
  L2Tags tags_;
  std::size_t slices_per_partition_;
  std::vector<std::uint8_t> partition_of_sm_;
  std::vector<RequestCoalescer> coalescers_;  ///< by GPC
  std::vector<core::Server> slices_;
  std::vector<core::Server> slice_writes_;
  std::vector<core::Server> links_;  ///< into each partition
  std::vector<core::Server> atomic_units_;
  std::vector<DramChannel> channels_;
  MemoryCounters counters_;
  std::array<Target, max_burst> targets_;      ///< scratch
  std::array<ReadTarget, max_burst> to_read_;  ///< scratch
};

}  // namespace gpusim::fabric
