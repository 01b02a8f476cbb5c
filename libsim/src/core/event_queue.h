// A queue of timed events: earliest first, and first in first out within a cycle.
//
// A ring of lists holds the near future, a heap the rest; both hand out equal cycles in the order they were pushed, so
// the order of a run comes from the model and never from the container. A list is of one cycle, or of some side by
// side: the ring of a queue with few events is then small, and stays in the host's cache. Nodes are recycled: nothing
// allocates in the steady state. The earliest event is known without a search.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gpusim/units.h"

namespace gpusim::core {

/// A list holds the events of `list_cycles` cycles, a power of two. The more share one, the slower a push between them.
template <class Event, std::int64_t list_cycles = 1>
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return next_ == never; }

  /// The cycle of the earliest event, Cycle::never() without one.
  [[nodiscard]] Cycle next() const { return Cycle(next_); }

  /// The earliest event, so that what it needs can be fetched ahead; nullptr when it lies beyond the ring. Valid until
  /// the next push or pop.
  [[nodiscard]] const Event* peek() const { return first_ == none ? nullptr : &nodes_[first_].event; }

  /// Throws std::logic_error when `at` lies before the last event popped.
  void push(Cycle at, const Event& event) {
    const std::int64_t cycle = at.count();
    if (cycle < now_) throw std::logic_error("an event in the past");
    if (is_near(cycle)) {
      const std::uint32_t index = append(cycle, event);
      if (cycle < next_) first_ = index;
    } else {
      push_far(cycle, event);
    }
    next_ = std::min(next_, cycle);
  }

  /// Removes and returns the earliest event. Throws std::logic_error when empty.
  Event pop() {
    if (next_ == never) throw std::logic_error("no event to pop");
    if (next_ != now_) advance(next_);
    const std::size_t place = slot(now_);
    const std::uint32_t last = ring_[place];
    const std::uint32_t index = first_;
    Node& node = nodes_[index];
    const std::uint32_t after = node.next;
    node.next = free_;
    free_ = index;
    if (index != last) {
      nodes_[last].next = after;
      first_ = after;
    } else {
      forget(place);
      first_ = words_occupied_ != 0 ? nodes_[ring_[next_slot()]].next : none;
    }
    next_ = first_ != none ? nodes_[first_].cycle : far_.empty() ? never : far_.front().cycle;
    return node.event;
  }

 private:
  static constexpr std::int64_t never = Cycle::never().count();
  static constexpr std::int64_t ring_cycles = 1024;
  static constexpr std::int64_t lists = ring_cycles / list_cycles;
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t words = lists / word_bits;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static_assert(list_cycles > 0 && (list_cycles & (list_cycles - 1)) == 0 && words > 0 && words <= 16);

  struct Node {
    std::int64_t cycle = 0;
    std::uint32_t next = none;
    Event event{};
  };
  struct Far {
    std::int64_t cycle;
    std::uint64_t sequence;
    Event event;
  };

  static bool later(const Far& a, const Far& b) {
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
  }
  /// Cycles are not negative: no division.
  static std::int64_t list_of(std::int64_t cycle) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(cycle) / list_cycles);
  }
  static std::size_t slot(std::int64_t cycle) { return static_cast<std::size_t>(list_of(cycle)) % lists; }
  [[nodiscard]] bool is_near(std::int64_t cycle) const { return list_of(cycle) < list_of(now_) + lists; }

  // What is seldom done stays out of the functions that put events in: they need no room on the stack then.
  [[gnu::noinline]] void push_far(std::int64_t cycle, const Event& event) {
    far_.push_back({cycle, sequence_++, event});
    std::push_heap(far_.begin(), far_.end(), later);
  }
  [[gnu::noinline]] void make_node() {
    free_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }

  /// Behind those of its cycle and before later ones. Its node.
  std::uint32_t append(std::int64_t cycle, const Event& event) {
    if (free_ == none) make_node();
    const std::uint32_t index = free_;
    Node& node = nodes_[index];
    free_ = node.next;
    node.cycle = cycle;
    node.event = event;
    const std::size_t place = slot(cycle);
    const std::uint64_t bit = std::uint64_t{1} << (place % word_bits);
    // The bits say whether there is a list, because they are at hand and the ring seldom is.
    if ((occupied_[place / word_bits] & bit) == 0) {
      node.next = index;
      occupied_[place / word_bits] |= bit;
      words_occupied_ |= std::uint32_t{1} << (place / word_bits);
      ring_[place] = index;
      return index;
    }
    std::uint32_t before = ring_[place];
    if (cycle >= nodes_[before].cycle) {
      ring_[place] = index;
    } else {
      while (nodes_[nodes_[before].next].cycle <= cycle) before = nodes_[before].next;
    }
    node.next = nodes_[before].next;
    nodes_[before].next = index;
    return index;
  }

  /// No event is left at `place` of the ring.
  void forget(std::size_t place) {
    std::uint64_t& word = occupied_[place / word_bits];
    word &= ~(std::uint64_t{1} << (place % word_bits));
    if (word == 0) words_occupied_ &= ~(std::uint32_t{1} << (place / word_bits));
  }

  /// Moves the ring's first cycle to `cycle`, the earliest event's, and brings in what has come near, in order.
  void advance(std::int64_t cycle) {
    now_ = cycle;
    while (!far_.empty() && is_near(far_.front().cycle)) {
      const std::uint32_t index = append(far_.front().cycle, far_.front().event);
      if (first_ == none) first_ = index;
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
    }
  }

  /// First occupied list of the ring; there is one.
  [[nodiscard]] std::size_t next_slot() const {
    const std::size_t first = slot(now_);
    std::size_t word = first / word_bits;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first % word_bits));
    if (bits == 0) {
      // Twice the row of words, to find the first one after this without caring where the ring begins.
      const std::uint32_t after = ((words_occupied_ << words) | words_occupied_) >> (word + 1);
      word = (word + 1 + static_cast<std::size_t>(std::countr_zero(after))) % words;
      bits = occupied_[word];
    }
    return word * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
  }

  std::int64_t next_ = never;  ///< the earliest event's cycle
  std::int64_t now_ = 0;
  std::uint32_t first_ = none;  ///< node of the earliest event; none when it lies beyond the ring
  std::uint32_t free_ = none;
  std::uint32_t words_occupied_ = 0;  ///< words of occupied_ that are not 0, a bit each
  std::vector<Node> nodes_;
  std::vector<Far> far_;
  std::uint64_t sequence_ = 0;
  std::array<std::uint64_t, words> occupied_{};
  std::array<std::uint32_t, lists> ring_{};  ///< of each list the last event, whose next is the first
};

}  // namespace gpusim::core
