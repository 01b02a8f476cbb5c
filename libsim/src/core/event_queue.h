// A queue of timed events: earliest first, and first in first out within a cycle.
//
// A ring of one list per cycle holds the near future, a heap the rest; both hand out equal cycles in the order they
// were pushed, so the order of a run comes from the model and never from the container. Nodes are recycled: nothing
// allocates in the steady state. The earliest cycle is known without a search.
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
  [[nodiscard]] bool empty() const { return next_ == never; }

  /// The cycle of the earliest event, Cycle::never() without one.
  [[nodiscard]] Cycle next() const { return Cycle(next_); }

  /// The earliest event, so that what it needs can be fetched ahead; nullptr when it lies beyond the ring. Valid until
  /// the next push or pop.
  [[nodiscard]] const Event* peek() const {
    return words_occupied_ == 0 ? nullptr : &nodes_[nodes_[ring_[slot(next_)]].next].event;
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
    next_ = std::min(next_, cycle);
  }

  /// Removes and returns the earliest event. Throws std::logic_error when empty.
  Event pop() {
    if (next_ == never) throw std::logic_error("no event to pop");
    if (next_ != now_) advance(next_);
    const std::uint32_t last = ring_[slot(now_)];
    const std::uint32_t index = nodes_[last].next;
    Node& node = nodes_[index];
    nodes_[last].next = node.next;
    node.next = free_;
    free_ = index;
    if (index == last) {
      forget(slot(now_));
      next_ = words_occupied_ != 0 ? next_near() : far_.empty() ? never : far_.front().cycle;
    }
    return node.event;
  }

 private:
  static constexpr std::int64_t never = Cycle::never().count();
  static constexpr std::int64_t ring_size = 1024;
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t words = ring_size / word_bits;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Node {
    Event event;
    std::uint32_t next = none;
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
    const std::size_t place = slot(cycle);
    const std::uint64_t bit = std::uint64_t{1} << (place % word_bits);
    std::uint32_t& last = ring_[place];
    // The bits say whether there is a list, because they are at hand and the ring seldom is.
    if ((occupied_[place / word_bits] & bit) == 0) {
      nodes_[index].next = index;
      occupied_[place / word_bits] |= bit;
      words_occupied_ |= std::uint32_t{1} << (place / word_bits);
    } else {
      nodes_[index].next = nodes_[last].next;
      nodes_[last].next = index;
    }
    last = index;
  }

  /// No event is left at `place` of the ring.
  void forget(std::size_t place) {
    std::uint64_t& word = occupied_[place / word_bits];
    word &= ~(std::uint64_t{1} << (place % word_bits));
    if (word == 0) words_occupied_ &= ~(std::uint32_t{1} << (place / word_bits));
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
    std::size_t word = first / word_bits;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first % word_bits));
    if (bits == 0) {
      // Twice the row of words, to find the first one after this without caring where the ring begins.
      const std::uint32_t after = ((words_occupied_ << words) | words_occupied_) >> (word + 1);
      word = (word + 1 + static_cast<std::size_t>(std::countr_zero(after))) % words;
      bits = occupied_[word];
    }
    const std::size_t found = word * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
    return now_ + static_cast<std::int64_t>((found + ring_size - first) % ring_size);
  }

  std::int64_t next_ = never;  ///< the earliest event's cycle
  std::int64_t now_ = 0;
  std::uint32_t free_ = none;
  std::uint32_t words_occupied_ = 0;  ///< words of occupied_ that are not 0, a bit each
  std::vector<Node> nodes_;
  std::vector<Far> far_;
  std::uint64_t sequence_ = 0;
  std::array<std::uint64_t, words> occupied_{};
  std::array<std::uint32_t, ring_size> ring_{};  ///< of each cycle the last event, whose next is the first
};

}  // namespace gpusim::core
