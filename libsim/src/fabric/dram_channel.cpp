#include "fabric/dram_channel.h"

#include <algorithm>
#include <iterator>

#include "messages.h"

namespace gpusim::fabric {
namespace {

/// Gaps of the bus a channel remembers; what later requests may still fill.
constexpr std::size_t most_gaps = 64;

}  // namespace

DramChannel::DramChannel(const DramConfig& config, std::int64_t index, std::int64_t channels)
    : config_(config),
      refresh_offset_(config.refresh_interval * index / channels),
      banks_(static_cast<std::size_t>(config.banks)),
      last_turns_(banks_.size()),
      groups_(config.banks % bank_groups == 0 ? bank_groups : 1),
      side_by_side_(std::min(groups_, static_cast<std::uint64_t>(config.interleaved_groups))),
      scattered_(side_by_side_ < groups_ ? groups_ - 1 : 0),
      by_rows_(side_by_side_ * static_cast<std::uint64_t>(config.row_lines)),
      by_turn_(groups_ / side_by_side_),
      by_group_banks_(banks_.size() / groups_),
      by_refresh_(static_cast<std::uint64_t>(std::max(config.refresh_interval, Cycles(1)).count())),
      by_cycle_(static_cast<std::uint64_t>(config.rate.amount())),
      by_burst_(static_cast<std::uint64_t>(std::max(parts_of(sector_bytes), std::int64_t{1}))),
      by_activation_(static_cast<std::uint64_t>(config.activate.amount())) {}

/// The turn of a row that a read asked for at `at`, or a batch of writes from then on, can use; a new one, after the
/// last, when there is none.
DramChannel::Turn& DramChannel::turn_of(Spot spot, Cycle at, bool& hit) {
  Bank& bank = banks_[spot.bank];
  std::uint8_t& last = last_turns_[spot.bank];
  for (std::size_t back = 0; back < turns_known; ++back) {
    const std::size_t place = place_before(last, back);
    hit = bank.rows[place] == spot.row && (back == 0 || at < bank.turns[place_before(last, back - 1)].opened);
    if (hit) return bank.turns[place];
  }
  const Turn& before = bank.turns[last];
  Turn turn;
  const Cycle allowed = activation(at);
  turn.opened =
      bank.rows[last] == none ? allowed : std::max({allowed, before.opened + config_.row_cycle, before.column_last});
  turn.column_from = turn.column_last = turn.opened + config_.row_miss;
  last = static_cast<std::uint8_t>((last + 1) % turns_known);
  bank.rows[last] = spot.row;
  bank.turns[last] = turn;
  return bank.turns[last];
}

/// The first time from `at` on at which the channel may open a row, in order of asking: one that has to wait for its
/// bank besides holds up no other.
Cycle DramChannel::activation(Cycle at) {
  if (config_.activate.is_unlimited()) return at;
  const std::int64_t period = config_.activate.period();
  const std::int64_t per_cycle = config_.activate.amount();
  activated_ = std::max(activated_, at.count() * per_cycle);
  const Cycle start(
      static_cast<std::int64_t>(by_activation_.quotient(static_cast<std::uint64_t>(activated_ + per_cycle - 1))));
  activated_ += period;
  return start;
}

Cycle DramChannel::after_refresh(Cycle at) const {
  if (config_.refresh_interval == Cycles(0)) return at;
  const auto phase =
      static_cast<std::int64_t>(by_refresh_.remainder(static_cast<std::uint64_t>((at + refresh_offset_).count())));
  return phase < config_.refresh.count() ? at + Cycles(config_.refresh.count() - phase) : at;
}

/// Refreshes that begin in (from, to].
std::int64_t DramChannel::refreshes(Cycle from, Cycle to) const {
  if (config_.refresh_interval == Cycles(0)) return 0;
  const auto before = [&](Cycle at) {
    return (at.count() + refresh_offset_.count()) / config_.refresh_interval.count();
  };
  return before(to) - before(from);
}

/// The bus idles from its end so far to `until`.
void DramChannel::leave_gap(std::int64_t until) {
  if (until <= bus_end_) return;
  gaps_.push_back({bus_end_, until});
  forget_old_gaps();
}

/// Gaps are forgotten from the front; the places before first_gap_ are given back many at a time.
void DramChannel::forget_old_gaps() {
  first_gap_ = std::max(first_gap_, gaps_.size() - std::min(gaps_.size(), most_gaps));
  if (first_gap_ < most_gaps) return;
  gaps_.erase(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(first_gap_));
  first_gap_ = 0;
}

/// Takes the first whole bursts that are free in gaps from `earliest` on, at most `wanted` parts.
DramChannel::Taken DramChannel::take_gaps(std::int64_t earliest, std::int64_t wanted) {
  const std::int64_t burst = parts_of(sector_bytes);
  Taken taken;
  // Gaps lie one after another: those that end too soon come first, and most of those that are remembered do.
  const auto first = gaps_.begin() + static_cast<std::ptrdiff_t>(first_gap_);
  auto gap = gaps_.end();
  while (gap != first && std::prev(gap)->end - earliest >= burst) --gap;
  while (taken.parts < wanted && gap != gaps_.end()) {
    const std::int64_t start = std::max(gap->begin, earliest);
    const std::int64_t room = gap->end - start;
    if (room < burst) {
      ++gap;
      continue;
    }
    const auto beyond = static_cast<std::int64_t>(by_burst_.remainder(static_cast<std::uint64_t>(room)));
    const std::int64_t parts = std::min(wanted - taken.parts, room - beyond);
    if (taken.parts == 0) taken.begin = start;
    taken.end = start + parts;
    taken.parts += parts;
    const Gap rest{taken.end, gap->end};
    const bool before = gap->begin < start;
    const bool after = rest.begin < rest.end;
    if (before) {
      gap->end = start;
      ++gap;
      if (after) gap = gaps_.insert(gap, rest) + 1;
    } else if (after) {
      *gap++ = rest;
    } else {
      gap = gaps_.erase(gap);
    }
  }
  return taken;
}

/// When the bus carries `bytes`, not before `from`: the first bursts of its gaps that are free, and what is left after
/// all it has promised.
DramChannel::Transfer DramChannel::take_bus(Cycle from, std::int64_t bytes) {
  from = after_refresh(from);
  if (config_.rate.is_unlimited()) return {from, from};
  const std::int64_t per_cycle = config_.rate.amount();
  const std::int64_t earliest = from.count() * per_cycle;
  const std::int64_t wanted = parts_of(bytes);
  Taken taken = take_gaps(earliest, wanted);
  const std::int64_t left = wanted - taken.parts;
  if (left > 0) {
    // Work that queues up to a refresh waits for its end, and leaves no gap: the bus is not idle then.
    leave_gap(earliest);
    const Cycle free = after_refresh(cycle_of(std::max(bus_end_, earliest)));
    const std::int64_t start = std::max({bus_end_, earliest, free.count() * per_cycle});
    if (taken.parts == 0) taken.begin = start;
    taken.end = bus_end_ = start + left;
  }
  forget_old_gaps();
  const Cycle begin = cycle_of(taken.begin);
  return {begin, std::max(begin, cycle_of(taken.end + per_cycle - 1) - Cycles(1))};
}

/// From one column access of a bank to its next.
Cycles DramChannel::column_interval(std::int64_t bytes) const {
  if (config_.rate.is_unlimited()) return Cycles(0);
  const std::int64_t transfer = cycle_of(parts_of(bytes) + config_.rate.amount() - 1).count();
  return Cycles(transfer * config_.column_percent / 100);
}

DramChannel::Served DramChannel::read(Cycle at, std::uint64_t line, std::int64_t bytes) {
  bool hit = false;
  Turn& turn = turn_of(spot_of(line), at, hit);
  const Transfer bus = take_bus(std::max(at, turn.column_from), bytes);
  turn.column_last = std::max(turn.column_last, bus.begin);
  turn.column_from = std::max(turn.column_from, bus.begin + column_interval(bytes));
  work_ += bytes;
  ++(hit ? row_hits_ : row_misses_);
  read_since_write_ = true;
  const Cycles opening = hit ? Cycles(0) : config_.row_miss;
  Served served;
  served.required = config_.latency - config_.row_miss + opening;
  served.waiting = bus.last - at - opening;
  waited_ += served.waiting.count();
  return served;
}

Cycle DramChannel::write(Cycle at, std::uint64_t line, std::int64_t bytes) {
  work_ += written_as(bytes);
  if (config_.rate.is_unlimited()) return at;
  collected_.push_back({line, bytes});
  if (static_cast<std::int64_t>(collected_.size()) == config_.write_batch) {
    write_out(at);
    collected_.clear();
  }
  return std::max(at, cycle_of(bus_end_));
}

/// All that was collected goes out after what the bus has promised, and after the turn if there is one. Rows are opened
/// from then on as banks and power allow; a row's opening is taken to hide behind the turn, or behind what was written
/// before it.
void DramChannel::write_out(Cycle at) {
  const std::int64_t per_cycle = config_.rate.amount();
  const std::int64_t begin = std::max(bus_end_, after_refresh(at).count() * per_cycle);
  leave_gap(at.count() * per_cycle);
  const Cycle from(begin / per_cycle);
  open_rows(from);
  std::int64_t end = begin + (read_since_write_ ? config_.turnaround.count() * per_cycle : 0);
  for (const Written& row : rows_)
    end = std::max(end, row.opened.count() * per_cycle) + parts_of(written_as(row.bytes));
  bus_end_ = end + refreshes(from, Cycle(end / per_cycle)) * config_.refresh.count() * per_cycle;
  read_since_write_ = false;
}

/// The rows of what was collected, in the order in which they can be open.
void DramChannel::open_rows(Cycle from) {
  rows_.clear();
  for (const Collected& each : collected_) {
    const Spot spot = spot_of(each.line);
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Written& row) { return row.spot == spot; });
    if (same != rows_.end())
      same->bytes += each.bytes;
    else
      rows_.push_back({spot, each.bytes, {}});
  }
  for (Written& row : rows_) {
    bool hit = false;
    row.opened = turn_of(row.spot, from, hit).column_from - config_.row_miss;
    ++(hit ? row_hits_ : row_misses_);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Written& a, const Written& b) { return a.opened < b.opened; });
}

}  // namespace gpusim::fabric
