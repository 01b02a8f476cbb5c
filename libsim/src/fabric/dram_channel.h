// One channel of device memory: banks with an open row each, a data bus, refresh, and writes in batches.
//
// A read waits for its bank: a hit in a row whose turn is not over may go at once, a miss closes one row and opens
// another. Then its bursts take what is free of the bus first, so one that waits for its bank lets later ones pass:
// row hits first, over the gaps the channel remembers. A line's bursts may be interleaved with other banks'. Writes are
// collected and go out together, because turning the bus round costs time both ways. Each of their rows is opened once,
// in the order in which banks can; a bank's row that reads had open is closed for it.
//
// Not modelled: command bus, write recovery, rows that are written to for longer than a row cycle, refreshes that begin
// within a gap. Rows of a batch are opened from the bus' promised end on: no read opens one before that, where the
// channel's rate of opening is limited.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/divisor.h"
#include "gpusim/units.h"

namespace gpusim::fabric {

struct DramConfig {
  Rate rate;                            ///< bytes of a channel's bus
  Cycles latency;                       ///< at channel and device, from a bank with another row open
  std::int64_t banks = 1;               ///< of a channel
  std::int64_t interleaved_groups = 4;  ///< in whose rows neighbouring lines lie by turns
  std::int64_t row_lines = 8;           ///< lines of a row
  Cycles row_miss;                      ///< closing a row and opening another, part of `latency`
  Cycles row_cycle;                     ///< from opening a row to opening the next of the bank
  Rate activate = Rate::unlimited();    ///< rows opened
  std::int64_t column_percent = 100;    ///< from one line of a bank to its next, of a line's bus time
  Cycles turnaround;                    ///< reads to writes and back
  std::int64_t write_batch = 1;         ///< lines
  /// Check bytes in line with the data, of the data's: `rate` has them already. Those of a written line are read,
  /// changed and written.
  std::int64_t check_percent = 0;
  Cycles refresh;
  Cycles refresh_interval;  ///< 0: none
};

class DramChannel {
 public:
  /// Channels refresh in turn: `index` of `channels` says when this one does.
  DramChannel(const DramConfig& config, std::int64_t index, std::int64_t channels);

  struct Served {
    Cycles required;  ///< device and bus, nothing in the way
    Cycles waiting;   ///< for bank, bus and refresh
  };
  /// Reads `bytes` of the channel's line `line`, asked for at `at`.
  Served read(Cycle at, std::uint64_t line, std::int64_t bytes);
  /// Writes `bytes` of the channel's line `line`, known at `at`: when the channel has room for them, which is when the
  /// work before them is done.
  Cycle write(Cycle at, std::uint64_t line, std::int64_t bytes);

  /// The line will soon be read.
  [[gnu::always_inline]] void prefetch(std::uint64_t line) const {
    const Spot spot = spot_of(line);
    __builtin_prefetch(&banks_[spot.bank].rows);
    __builtin_prefetch(&banks_[spot.bank].turns[last_turns_[spot.bank]]);
  }

  [[nodiscard]] Rate rate() const { return config_.rate; }
  [[nodiscard]] std::int64_t work() const { return work_; }
  [[nodiscard]] std::int64_t waited() const { return waited_; }
  /// Rows that reads, each for itself, and batches of writes, once for all their lines, had to open; and found open.
  [[nodiscard]] std::int64_t row_misses() const { return row_misses_; }
  [[nodiscard]] std::int64_t row_hits() const { return row_hits_; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// Where a line of the channel lies.
  struct Spot {
    std::size_t bank;
    std::uint64_t row;
    bool operator==(const Spot&) const = default;
  };
  /// A row's turn in its bank, which may lie ahead: it ends when the next row is opened.
  struct Turn {
    Cycle opened;
    Cycle column_from;  ///< the next possible column access
    Cycle column_last;  ///< the last one so far
  };
  static constexpr std::size_t turns_known = 8;
  /// Its last turns, in a ring. Rows lie together, in one line of the host's cache: most searches look at nothing else.
  struct alignas(turns_known * sizeof(std::uint64_t)) Bank {
    std::array<std::uint64_t, turns_known> rows;
    std::array<Turn, turns_known> turns;
    Bank() { rows.fill(none); }
  };
  static std::size_t place_before(std::size_t last, std::size_t back) {
    return (last + turns_known - back) % turns_known;
  }
  /// A stretch of bus time, in parts of a cycle.
  struct Gap {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  /// A line that waits to be written.
  struct Collected {
    std::uint64_t line;
    std::int64_t bytes;
  };
  /// What a batch writes to one row.
  struct Written {
    Spot spot;
    std::int64_t bytes;
    Cycle opened;  ///< or would have been, if it was open before
  };
  [[nodiscard]] Spot spot_of(std::uint64_t line) const {
    // Neighbouring lines lie in rows of different bank groups by turns, the next rows in other groups, if there are
    // more. Rows behind those lie in different banks of a group, and so do rows a power of two apart.
    const std::uint64_t rows = by_rows_.quotient(line);
    const std::uint64_t turn = by_turn_.quotient(rows);
    const std::uint64_t mixed = turn ^ (turn >> 4) ^ (turn >> 9) ^ (turn >> 15);
    const std::uint64_t place = by_turn_.remainder(rows) * side_by_side_ + (line & (side_by_side_ - 1));
    const std::uint64_t group = place ^ (by_group_banks_.quotient(mixed) & scattered_);
    return {by_group_banks_.remainder(mixed) * groups_ + group, rows};
  }
  void write_out(Cycle at);
  void open_rows(Cycle from);
  Turn& turn_of(Spot spot, Cycle at, bool& hit);
  Cycle activation(Cycle at);
  /// A line's time on the bus, gaps between its bursts included.
  struct Transfer {
    Cycle begin;
    Cycle last;  ///< cycle of its last part
  };
  Transfer take_bus(Cycle from, std::int64_t bytes);
  /// Parts of the bus taken from its gaps.
  struct Taken {
    std::int64_t parts = 0;
    std::int64_t begin = 0;  ///< of the first
    std::int64_t end = 0;    ///< of the last
  };
  Taken take_gaps(std::int64_t earliest, std::int64_t wanted);
  void leave_gap(std::int64_t until);
  void forget_old_gaps();
  [[nodiscard]] Cycles column_interval(std::int64_t bytes) const;
  [[nodiscard]] Cycle after_refresh(Cycle at) const;
  [[nodiscard]] std::int64_t refreshes(Cycle from, Cycle to) const;
  /// The one that a part of the bus' time lies in.
  [[nodiscard]] Cycle cycle_of(std::int64_t part) const {
    return Cycle(static_cast<std::int64_t>(by_cycle_.quotient(static_cast<std::uint64_t>(part))));
  }
  [[nodiscard]] std::int64_t parts_of(std::int64_t bytes) const { return bytes * config_.rate.period(); }
  /// Bytes of `rate` that take as long as writing so many.
  [[nodiscard]] std::int64_t written_as(std::int64_t bytes) const {
    return bytes * (100 + 2 * config_.check_percent) / (100 + config_.check_percent);
  }

  DramConfig config_;
  Cycles refresh_offset_;
  std::vector<Bank> banks_;
  std::vector<std::uint8_t> last_turns_;  ///< places of banks' last turns; apart, as who looks ahead reads them
  std::uint64_t groups_;                  ///< of banks; a power of two
  std::uint64_t side_by_side_;            ///< of them, in whose rows neighbouring lines lie; a power of two
  std::uint64_t scattered_;               ///< of a group's number, what higher bits of an address change
  core::Divisor by_rows_;                 ///< lines of rows that lie side by side
  core::Divisor by_turn_;                 ///< such rows, until each group has had its turn
  core::Divisor by_group_banks_;          ///< banks of a group
  core::Divisor by_refresh_;              ///< cycles from one refresh to the next, 1 without
  core::Divisor by_cycle_;                ///< parts of a cycle of the bus
  core::Divisor by_burst_;                ///< parts of a burst
  core::Divisor by_activation_;           ///< parts of a cycle of activated_
  std::vector<Gap> gaps_;                 ///< by time; those before first_gap_ are forgotten
  std::size_t first_gap_ = 0;
  std::int64_t bus_end_ = 0;    ///< parts
  std::int64_t activated_ = 0;  ///< when the next row may be opened, in parts of a cycle
  std::vector<Collected> collected_;
  std::vector<Written> rows_;  ///< of what goes out
  bool read_since_write_ = false;
  std::int64_t work_ = 0;
  std::int64_t waited_ = 0;
  std::int64_t row_hits_ = 0;
  std::int64_t row_misses_ = 0;
};

}  // namespace gpusim::fabric
