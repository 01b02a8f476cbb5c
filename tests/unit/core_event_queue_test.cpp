// The event queue alone: what comes out, and in which order.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/event_queue.h"

namespace gpusim::core_event_queue_test {

using gpusim::core::EventQueue;

namespace {

constexpr std::int64_t beyond_the_ring = 5000;  // further ahead than the queue keeps lists for

std::vector<int> drained(EventQueue<int>& queue) {
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop());
  return order;
}

}  // namespace

TEST_CASE("events come out by cycle, whatever the order they were pushed in") {
  EventQueue<int> queue;
  for (const int cycle : {30, 10, 1023, 20, 0}) queue.push(Cycle(cycle), cycle);
  CHECK(drained(queue) == std::vector<int>{0, 10, 20, 30, 1023});
}

TEST_CASE("events of one cycle come out first in, first out") {
  EventQueue<int> queue;
  for (int i = 0; i < 100; ++i) queue.push(Cycle(7), i);
  for (int i = 0; i < 100; ++i) CHECK(queue.pop() == i);
}

TEST_CASE("an event pushed while its own cycle is handled comes after those already there") {
  EventQueue<int> queue;
  queue.push(Cycle(4), 1);
  queue.push(Cycle(4), 2);
  CHECK(queue.pop() == 1);
  queue.push(Cycle(4), 3);
  CHECK(drained(queue) == std::vector<int>{2, 3});
}

TEST_CASE("events far ahead keep the order they were pushed in, among themselves and with near ones") {
  EventQueue<int> queue;
  queue.push(Cycle(beyond_the_ring), 1);
  queue.push(Cycle(beyond_the_ring), 2);
  queue.push(Cycle(beyond_the_ring - 1), 0);
  CHECK(queue.next() == Cycle(beyond_the_ring - 1));
  CHECK(queue.pop() == 0);
  queue.push(Cycle(beyond_the_ring), 3);  // near by now
  CHECK(drained(queue) == std::vector<int>{1, 2, 3});
}

TEST_CASE("next is the cycle of the earliest event, and never without one") {
  EventQueue<int> queue;
  CHECK(queue.next() == Cycle::never());
  queue.push(Cycle(beyond_the_ring), 0);
  CHECK(queue.next() == Cycle(beyond_the_ring));
  queue.push(Cycle(12), 0);
  CHECK(queue.next() == Cycle(12));
}

TEST_CASE("the past is refused, the present is not") {
  EventQueue<int> queue;
  queue.push(Cycle(100), 0);
  (void)queue.pop();
  CHECK_THROWS_AS(queue.push(Cycle(99), 0), std::logic_error);
  CHECK_NOTHROW(queue.push(Cycle(100), 0));
}

TEST_CASE("an empty queue has nothing to pop") {
  EventQueue<int> queue;
  CHECK_THROWS_AS((void)queue.pop(), std::logic_error);
}

TEST_CASE("any mix of pushes and pops comes out as from a list sorted by cycle and order of arrival") {
  struct Known {
    std::int64_t cycle;
    int number;
  };
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    EventQueue<int> queue;
    std::vector<Known> list;
    std::int64_t now = 0;
    for (int number = 0; number < 2000; ++number) {
      const auto at = now + static_cast<std::int64_t>(random() % 4 == 0 ? random() % 4000 : random() % 40);
      queue.push(Cycle(at), number);
      const auto after = std::upper_bound(list.begin(), list.end(), at,
                                          [](std::int64_t cycle, const Known& known) { return cycle < known.cycle; });
      list.insert(after, {at, number});
      while (!list.empty() && random() % 2 == 0) {
        REQUIRE(queue.next() == Cycle(list.front().cycle));
        const int* const ahead = queue.peek();
        if (list.front().cycle < now + 1000) REQUIRE(ahead != nullptr);
        if (ahead != nullptr) REQUIRE(*ahead == list.front().number);
        REQUIRE(queue.pop() == list.front().number);
        now = list.front().cycle;
        list.erase(list.begin());
      }
    }
    for (const Known& known : list) REQUIRE(queue.pop() == known.number);
    CHECK(queue.empty());
  }
}

}  // namespace gpusim::core_event_queue_test
