// A sub-partition: its issue port, pipes, memory queues, and the warps ready to issue.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/server.h"
#include "gpusim/program.h"
#include "gpusim/units.h"
#include "sm/config.h"

namespace gpusim::sm {

/// Memory instructions between a sub-partition and the load-store unit, in order. A place is held from issue until the
/// unit has served the instruction, which may not be known yet (a global access that finds no miss register).
class MemoryQueue {
 public:
  explicit MemoryQueue(Limited<std::int64_t> capacity = Limited<std::int64_t>::unlimited()) : capacity_(capacity) {}

  /// Places that a run of `instructions` asks for at once: what there is, at most.
  [[nodiscard]] std::int64_t wanted(std::int64_t instructions) const {
    return std::min(instructions, capacity_.value_or(instructions));
  }

  /// Places free at `now`.
  [[nodiscard]] std::int64_t free(Cycle now) {
    if (capacity_.is_unlimited()) return std::int64_t{1} << 30;
    while (head_ < leaves_.size() && leaves_[head_] <= now) ++head_;
    if (head_ == leaves_.size()) {
      leaves_.clear();
      head_ = 0;
    } else if (head_ >= most_left_behind) {
      leaves_.erase(leaves_.begin(), leaves_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return capacity_.value() - static_cast<std::int64_t>(leaves_.size() - head_);
  }
  /// When `places` will be free, which they are not now: Cycle::never() while that is not known.
  [[nodiscard]] Cycle free_at(std::int64_t places) const {
    const auto last = leaves_.end() + (places - capacity_.value());
    return *std::max_element(leaves_.begin() + static_cast<std::ptrdiff_t>(head_), last);
  }
  /// A place is taken, and known to be left at `at`, or not yet known (Cycle::never()).
  void enter(Cycle at) {
    enter(1, [at] { return at; });
  }
  /// So many are taken; leaves() says of one after another when it is left.
  template <class Leaves>
  void enter(std::int64_t places, Leaves leaves) {
    taken_ += places;
    if (capacity_.is_unlimited()) return;
    for (std::int64_t i = 0; i < places; ++i) leaves_.push_back(leaves());
    peak_ = std::max(peak_, static_cast<std::int64_t>(leaves_.size() - head_));
  }
  /// The first place not known to be left is left at `at`.
  void leave_unknown(Cycle at) {
    for (std::size_t i = head_; i < leaves_.size(); ++i)
      if (leaves_[i] == Cycle::never()) {
        leaves_[i] = at;
        return;
      }
  }
  void refuse() { ++refused_; }

  [[nodiscard]] std::int64_t taken() const { return taken_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  [[nodiscard]] std::int64_t refused() const { return refused_; }

 private:
  /// Places that were left are forgotten many at a time.
  static constexpr std::size_t most_left_behind = 64;

  Limited<std::int64_t> capacity_;
  std::vector<Cycle> leaves_;
  std::size_t head_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t refused_ = 0;
};

struct SubPartition {
  core::Server port;
  std::array<core::Server, pipe_count> pipes;
  core::Server address;         ///< address generation
  core::Server register_banks;  ///< operands of the busier one; instructions that say nothing of it take none
  MemoryQueue shared_queue;
  MemoryQueue global_queue;
  std::vector<std::int32_t> ready;  ///< warp slots
  std::int32_t last = -1;           ///< issued last
  Cycle evaluates_at = Cycle::never();
  Cycle wgmma_begins;  ///< the last one issued: the next is queued behind it, and no more
};

}  // namespace gpusim::sm
