// A queue of timed events: earliest first, and first in first out within a cycle.
//
// A ring of one list per cycle holds the near future, a heap the rest; both hand out equal cycles in the order they
// were pushed, so the order of a run comes from the model and never from the container. Nodes are recycled: nothing
// allocates in the steady state.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gpusim/units.h"

namespace gpusim::core {

template <class Event>
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return near_count_ == 0 && far_.empty(); }

  /// The cycle of the earliest event, Cycle::never() without one.
  [[nodiscard]] Cycle next() const {
    if (near_count_ != 0) return Cycle(next_near());
    return far_.empty() ? Cycle::never() : Cycle(far_.front().cycle);
  }

  /// Throws std::logic_error when `at` lies before the last event popped.
  void push(Cycle at, const Event& event) {
    const std::int64_t cycle = at.count();
    if (cycle < now_) throw std::logic_error("an event in the past");
    if (cycle < now_ + ring_size) {
      append(cycle, event);
    } else {
      far_.push_back({cycle, sequence_++, event});
      std::push_heap(far_.begin(), far_.end(), later);
    }
  }

  /// Removes and returns the earliest event. Throws std::logic_error when empty.
  Event pop() {
    if (near_count_ == 0) {
      if (far_.empty()) throw std::logic_error("no event to pop");
      advance(far_.front().cycle);
    }
    const std::int64_t cycle = next_near();
    if (cycle != now_) advance(cycle);
    List& list = ring_[slot(cycle)];
    const std::uint32_t index = list.head;
    list.head = nodes_[index].next;
    if (list.head == none) {
      list.tail = none;
      occupied_[slot(cycle) / 64] &= ~(std::uint64_t{1} << (slot(cycle) % 64));
    }
    nodes_[index].next = free_;
    free_ = index;
    --near_count_;
    return nodes_[index].event;
  }

 private:
  static constexpr std::int64_t ring_size = 1024;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Node {
    Event event;
    std::uint32_t next = none;
  };
  struct List {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Far {
    std::int64_t cycle;
    std::uint64_t sequence;
    Event event;
  };

  static bool later(const Far& a, const Far& b) {
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
  }
  static std::size_t slot(std::int64_t cycle) { return static_cast<std::size_t>(cycle) % ring_size; }

  void append(std::int64_t cycle, const Event& event) {
    std::uint32_t index = free_;
    if (index == none) {
      index = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({event, none});
    } else {
      free_ = nodes_[index].next;
      nodes_[index] = {event, none};
    }
    List& list = ring_[slot(cycle)];
    if (list.head == none) {
      list.head = index;
      occupied_[slot(cycle) / 64] |= std::uint64_t{1} << (slot(cycle) % 64);
    } else {
      nodes_[list.tail].next = index;
    }
    list.tail = index;
    ++near_count_;
  }

  /// Moves the ring's first cycle to `cycle` and brings in what has come near, in order.
  void advance(std::int64_t cycle) {
    now_ = cycle;
    while (!far_.empty() && far_.front().cycle < now_ + ring_size) {
      append(far_.front().cycle, far_.front().event);
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
    }
  }

  /// First occupied cycle of the ring; there is one.
  [[nodiscard]] std::int64_t next_near() const {
    const std::size_t first = slot(now_);
    std::size_t word = first / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first % 64));
    for (std::size_t step = 0; bits == 0; ++step) {
      word = (word + 1) % occupied_.size();
      bits = occupied_[word];
    }
    const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return now_ + static_cast<std::int64_t>((found + ring_size - first) % ring_size);
  }

  std::array<List, ring_size> ring_{};
  std::array<std::uint64_t, ring_size / 64> occupied_{};
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
  std::vector<Far> far_;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ = 0;
  std::int64_t near_count_ = 0;
};

}  // namespace gpusim::core
