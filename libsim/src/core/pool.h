// Pools: whatever has a number of places. Ask, then take; who is refused waits with the owner, who says when to ask
// again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "gpusim/units.h"

namespace gpusim::core {

class Pool {
 public:
  Pool() = default;
  explicit Pool(Limited<std::int64_t> capacity) : capacity_(capacity) {}

  [[nodiscard]] Limited<std::int64_t> capacity() const { return capacity_; }
  /// Throws std::logic_error when more are taken.
  void set_capacity(Limited<std::int64_t> capacity) {
    if (!capacity.admits(in_use_)) throw std::logic_error("a pool cannot shrink below what is taken");
    capacity_ = capacity;
  }
  [[nodiscard]] std::int64_t in_use() const { return in_use_; }

  /// Whether `places` are free; counts the refusal when not.
  [[nodiscard]] bool ask(std::int64_t places) {
    const bool free = capacity_.admits(in_use_ + places);
    if (!free) ++refused_;
    return free;
  }

  /// Throws std::logic_error when they are not there.
  void take(std::int64_t places) {
    if (!capacity_.admits(in_use_ + places)) throw std::logic_error("took places a pool does not have");
    in_use_ += places;
    taken_ += places;
    peak_ = std::max(peak_, in_use_);
  }

  void release(std::int64_t places) {
    if (places > in_use_) throw std::logic_error("gave back more places than were taken");
    in_use_ -= places;
  }

  [[nodiscard]] std::int64_t taken() const { return taken_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  [[nodiscard]] std::int64_t refused() const { return refused_; }

 private:
  Limited<std::int64_t> capacity_;
  std::int64_t in_use_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t refused_ = 0;
};

}  // namespace gpusim::core
