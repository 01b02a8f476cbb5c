#include "sm/bulk.h"

#include <algorithm>
#include <span>

namespace gpusim::sm {

BulkEngine::BulkEngine(const SmConfig& config, Border& border)
    : config_(config),
      border_(border),
      begins_(config.bulk_rate),
      bytes_(config.bulk_bytes_rate),
      rows_(config.bulk_rows_rate),
      queue_(config.bulk_queue),
      stored_lines_(config.bulk_stored_lines) {}

Cycles BulkEngine::overhead(int rank) const {
  if (rank == 0) return config_.bulk_overhead;
  return config_.bulk_overhead + config_.bulk_tensor_overhead + config_.bulk_dimension_overhead * (rank - 1);
}

BulkEngine::Accepted BulkEngine::accept(Cycle now, const Task& task) {
  BoxPlan& box = task.box;
  queue_.take(1);
  const core::Grant begin = begins_.take(now, 1);
  box_lines(box, task.at, lines_);
  departures_.clear();
  const std::int32_t transaction = border_.open(task.owner);
  if (lines_.empty()) return {transaction, begin.start + overhead(box.rank)};

  const auto total = static_cast<std::int32_t>(lines_.size());
  const std::int64_t rows = box.rows * box.planes;
  const Cycles before = carries_data(task.kind) ? overhead(box.rank) : Cycles(0);
  const std::int64_t bytes = task.owner.bytes;
  core::Server own(box.rank == 0 ? config_.bulk_copy_rate : Rate::unlimited());  // boxes go by rows
  std::int64_t rows_before = 0;
  std::int64_t bytes_before = 0;
  for (std::int32_t first = 0; first < total; first += config_.burst) {
    const std::int32_t count = std::min(config_.burst, total - first);
    const auto part =
        std::span<const LineChunks>(lines_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const Extent asked = extent_of(part);
    Border::Terms terms;
    terms.issued = now;
    const std::int64_t rows_until = rows * (first + count) / total;
    const core::Grant walk = rows_.take(begin.start, rows_until - rows_before);
    rows_before = rows_until;
    const core::Grant of_copy = own.take(begin.start, asked.bytes);
    terms.at = std::max({bytes_.take(begin.start, asked.bytes).start, of_copy.start + of_copy.spread(),
                         walk.start + walk.spread()}) +
               before;
    terms.kind = task.kind;
    terms.waits = true;
    terms.ranks = task.ranks;
    const std::int64_t bytes_until = bytes * (first + count) / total;
    terms.completes = {task.cta, task.owner.index, static_cast<std::int32_t>(bytes_until - bytes_before),
                       task.owner.overhead};
    bytes_before = bytes_until;
    departures_.push_back({terms.at, border_.request(transaction, part, asked, terms)});
  }
  return {transaction, Cycle::never()};
}

bool BulkEngine::take_or_hold(std::uint32_t handle) {
  if (border_.in_flight(handle).holds_stored_lines || (held_.empty() && take_lines(handle))) return true;
  held_.push_back(handle);
  return false;
}

bool BulkEngine::take_lines(std::uint32_t handle) {
  InFlight& flight = border_.in_flight(handle);
  if (!stored_lines_.ask(flight.request.count)) return false;
  stored_lines_.take(flight.request.count);
  flight.holds_stored_lines = true;
  return true;
}

std::span<const std::uint32_t> BulkEngine::acknowledge(std::int64_t lines) {
  stored_lines_.release(lines);
  released_.clear();
  for (; !held_.empty() && take_lines(held_.front()); held_.pop_front()) released_.push_back(held_.front());
  return released_;
}

}  // namespace gpusim::sm
