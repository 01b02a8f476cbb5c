#include "fabric/dram_channel.h"

#include <algorithm>

namespace gpusim::fabric {
namespace {

/// Gaps of the bus a channel remembers; what later requests may still fill.
constexpr std::size_t most_gaps = 64;
constexpr std::uint64_t bank_groups = 4;

}  // namespace

DramChannel::DramChannel(const DramConfig& config, std::int64_t index, std::int64_t channels)
    : config_(config),
      refresh_offset_(config.refresh_interval * index / channels),
      banks_(static_cast<std::size_t>(config.banks)) {}

DramChannel::Place DramChannel::place_of(std::uint64_t line) {
  // Consecutive lines go to different bank groups, neighbouring rows to different banks of a group, and rows a power of
  // two apart too.
  const std::uint64_t groups = banks_.size() % bank_groups == 0 ? bank_groups : 1;
  const std::uint64_t row = line / groups / static_cast<std::uint64_t>(config_.row_lines);
  const std::uint64_t mixed = row ^ (row >> 4) ^ (row >> 9) ^ (row >> 15);
  return {banks_[mixed % (banks_.size() / groups) * groups + line % groups], row};
}

/// The turn of `row` that a read asked for at `at` can use; a new one, after the last, when there is none.
DramChannel::Turn& DramChannel::turn_of(Bank& bank, std::uint64_t row, Cycle at, bool& hit) const {
  for (std::size_t i = 0; i < turns_known; ++i) {
    hit = bank.turns[i].row == row && (i == 0 || at < bank.turns[i - 1].opened);
    if (hit) return bank.turns[i];
  }
  const Turn& before = bank.turns[0];
  Turn turn;
  turn.row = row;
  turn.opened = before.row == none ? at : std::max({at, before.opened + config_.row_cycle, before.column_last});
  turn.column_from = turn.column_last = turn.opened + config_.row_miss;
  std::copy_backward(bank.turns.begin(), bank.turns.end() - 1, bank.turns.end());
  bank.turns[0] = turn;
  return bank.turns[0];
}

Cycle DramChannel::after_refresh(Cycle at) const {
  if (config_.refresh_interval == Cycles(0)) return at;
  const std::int64_t phase = (at.count() + refresh_offset_.count()) % config_.refresh_interval.count();
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
  if (gaps_.size() > most_gaps) gaps_.erase(gaps_.begin());
}

/// When the bus begins on `bytes`, not before `from`.
Cycle DramChannel::take_bus(Cycle from, std::int64_t bytes) {
  from = after_refresh(from);
  if (config_.rate.is_unlimited()) return from;
  const std::int64_t per_cycle = config_.rate.amount();
  const std::int64_t earliest = from.count() * per_cycle;
  const std::int64_t parts = parts_of(bytes);
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    Gap& gap = gaps_[i];
    const std::int64_t start = std::max(gap.begin, earliest);
    if (start + parts > gap.end) continue;
    const Gap rest{start + parts, gap.end};
    gap.end = start;
    if (gap.begin == gap.end)
      gap = rest;
    else if (rest.begin != rest.end)
      gaps_.insert(gaps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
    if (gaps_[i].begin == gaps_[i].end) gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(i));
    if (gaps_.size() > most_gaps) gaps_.erase(gaps_.begin());
    return Cycle(start / per_cycle);
  }
  // Work that queues up to a refresh waits for its end, and leaves no gap: the bus is not idle then.
  leave_gap(earliest);
  const Cycle free = after_refresh(Cycle(std::max(bus_end_, earliest) / per_cycle));
  const std::int64_t start = std::max({bus_end_, earliest, free.count() * per_cycle});
  bus_end_ = start + parts;
  return Cycle(start / per_cycle);
}

/// Cycles from the first to the last of `bytes` on the bus.
Cycles DramChannel::last_part(std::int64_t bytes) const {
  if (config_.rate.is_unlimited()) return Cycles(0);
  return Cycles((parts_of(bytes) + config_.rate.amount() - 1) / config_.rate.amount() - 1);
}

Cycles DramChannel::column_interval(std::int64_t bytes) const {
  if (config_.rate.is_unlimited()) return Cycles(0);
  return (last_part(bytes) + Cycles(1)) * config_.column_percent / 100;
}

DramChannel::Served DramChannel::read(Cycle at, std::uint64_t line, std::int64_t bytes) {
  const Place place = place_of(line);
  bool hit = false;
  Turn& turn = turn_of(place.bank, place.row, at, hit);
  const Cycle bus = take_bus(std::max(at, turn.column_from), bytes);
  turn.column_last = std::max(turn.column_last, bus);
  turn.column_from = std::max(turn.column_from, bus + column_interval(bytes));
  work_ += bytes;
  ++(hit ? row_hits_ : row_misses_);
  read_since_write_ = true;
  const Cycles opening = hit ? Cycles(0) : config_.row_miss;
  Served served;
  served.required = config_.latency - config_.row_miss + opening;
  served.waiting = bus - at - opening + last_part(bytes);
  waited_ += served.waiting.count();
  return served;
}

Cycle DramChannel::write(Cycle at, std::int64_t bytes) {
  work_ += bytes;
  batch_bytes_ += bytes;
  if (config_.rate.is_unlimited()) return at;
  const std::int64_t per_cycle = config_.rate.amount();
  if (++batch_lines_ == config_.write_batch) {
    const std::int64_t begin = std::max(bus_end_, after_refresh(at).count() * per_cycle);
    leave_gap(at.count() * per_cycle);
    bus_end_ = begin + parts_of(batch_bytes_) + (read_since_write_ ? config_.turnaround.count() * per_cycle : 0);
    bus_end_ += refreshes(Cycle(begin / per_cycle), Cycle(bus_end_ / per_cycle)) * config_.refresh.count() * per_cycle;
    read_since_write_ = false;
    batch_bytes_ = batch_lines_ = 0;
  }
  return std::max(at, Cycle(bus_end_ / per_cycle));
}

}  // namespace gpusim::fabric
