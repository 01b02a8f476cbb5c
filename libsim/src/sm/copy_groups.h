// Groups of asynchronous copies of a warp, as cp.async and cp.async.bulk commit them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpusim::sm {

class CopyGroups {
 public:
  /// No group but the open one, which is empty.
  void reset() {
    pending_.assign(1, 0);
    first_ = 0;
  }
  /// The open group's number.
  [[nodiscard]] std::int64_t open() const { return first_ + std::ssize(pending_) - 1; }
  /// A copy joins it.
  void add() { ++pending_.back(); }
  void commit() { pending_.push_back(0); }
  void complete(std::int64_t group) { --pending_[static_cast<std::size_t>(group - first_)]; }

  /// Whether all committed groups but the `recent` last ones are complete.
  [[nodiscard]] bool done(std::int32_t recent) const {
    const std::ptrdiff_t asked = std::max<std::ptrdiff_t>(std::ssize(pending_) - 1 - recent, 0);
    return std::all_of(pending_.begin(), pending_.begin() + asked, [](std::int32_t copies) { return copies == 0; });
  }
  /// Committed groups that are complete, up to the first that is not, need not be remembered.
  void forget_complete() {
    const auto incomplete =
        std::find_if(pending_.begin(), pending_.end() - 1, [](std::int32_t copies) { return copies != 0; });
    first_ += incomplete - pending_.begin();
    pending_.erase(pending_.begin(), incomplete);
  }

 private:
  std::vector<std::int32_t> pending_{0};  ///< copies, of committed groups and the open one
  std::int64_t first_ = 0;                ///< the number of the first that is remembered
};

}  // namespace gpusim::sm
