// Groups of operations that go on beside the warp, to be waited for in order.
#pragma once

#include <deque>
#include <utility>

#include "estimate/path.h"

namespace gpusim::estimate {

class Groups {
 public:
  /// An operation of the open group is complete then.
  void add(const Path& complete) { open_ = later(open_, complete); }
  /// The open group ends; it is not complete before those that were closed before it.
  void close() {
    if (!closed_.empty()) open_ = later(closed_.back(), open_);
    closed_.push_back(std::exchange(open_, {}));
  }
  /// When all but the last `pending` closed groups are complete; nullptr: already.
  [[nodiscard]] const Path* awaited(int pending) const {
    const auto left = static_cast<std::size_t>(pending);
    return closed_.size() > left ? &closed_[closed_.size() - left - 1] : nullptr;
  }
  /// They have been waited for.
  void forget(int pending) {
    while (closed_.size() > static_cast<std::size_t>(pending)) closed_.pop_front();
  }

 private:
  Path open_;
  std::deque<Path> closed_;
};

}  // namespace gpusim::estimate
