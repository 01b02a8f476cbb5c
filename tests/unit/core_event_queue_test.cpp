// The event queue alone: what comes out, and in which order.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/event_queue.h"

namespace gpusim::core_event_queue_test {

using gpusim::core::EventQueue;

using OfOne = EventQueue<int>;  // lists of one cycle, and of several
using OfFour = EventQueue<int, 4>;
using OfSixteen = EventQueue<int, 16>;

namespace {

constexpr std::int64_t beyond_the_ring = 5000;  // further ahead than the queue keeps lists for

template <class Queue>
std::vector<int> drained(Queue& queue) {
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop());
  return order;
}

}  // namespace

TEST_CASE_TEMPLATE("events come out by cycle, whatever the order they were pushed in", Queue, OfOne, OfFour,
                   OfSixteen) {
  Queue queue;
  for (const int cycle : {30, 10, 1023, 20, 0}) queue.push(Cycle(cycle), cycle);
  CHECK(drained(queue) == std::vector<int>{0, 10, 20, 30, 1023});
}

TEST_CASE_TEMPLATE("events of one cycle come out first in, first out", Queue, OfOne, OfFour, OfSixteen) {
  Queue queue;
  for (int i = 0; i < 100; ++i) queue.push(Cycle(7), i);
  for (int i = 0; i < 100; ++i) CHECK(queue.pop() == i);
}

TEST_CASE_TEMPLATE("events of neighbouring cycles come out by cycle, those of one first in, first out", Queue, OfOne,
                   OfFour, OfSixteen) {
  Queue queue;
  for (const int number : {30, 10, 31, 20, 11, 0, 12, 32, 21}) queue.push(Cycle(100 + number / 10), number);
  CHECK(drained(queue) == std::vector<int>{0, 10, 11, 12, 20, 21, 30, 31, 32});
}

TEST_CASE_TEMPLATE("an event pushed while its own cycle is handled comes after those already there", Queue, OfOne,
                   OfFour, OfSixteen) {
  Queue queue;
  queue.push(Cycle(4), 1);
  queue.push(Cycle(4), 2);
  CHECK(queue.pop() == 1);
  queue.push(Cycle(4), 3);
  CHECK(drained(queue) == std::vector<int>{2, 3});
}

TEST_CASE_TEMPLATE("events far ahead keep the order they were pushed in, among themselves and with near ones", Queue,
                   OfOne, OfFour, OfSixteen) {
  Queue queue;
  queue.push(Cycle(beyond_the_ring), 1);
  queue.push(Cycle(beyond_the_ring), 2);
  queue.push(Cycle(beyond_the_ring - 1), 0);
  CHECK(queue.next() == Cycle(beyond_the_ring - 1));
  CHECK(queue.pop() == 0);
  queue.push(Cycle(beyond_the_ring), 3);  // near by now
  CHECK(drained(queue) == std::vector<int>{1, 2, 3});
}

TEST_CASE_TEMPLATE("next is the cycle of the earliest event, and never without one", Queue, OfOne, OfFour, OfSixteen) {
  Queue queue;
  CHECK(queue.next() == Cycle::never());
  queue.push(Cycle(beyond_the_ring), 0);
  CHECK(queue.next() == Cycle(beyond_the_ring));
  queue.push(Cycle(12), 0);
  CHECK(queue.next() == Cycle(12));
}

TEST_CASE_TEMPLATE("the past is refused, the present is not", Queue, OfOne, OfFour, OfSixteen) {
  Queue queue;
  queue.push(Cycle(100), 0);
  (void)queue.pop();
  CHECK_THROWS_AS(queue.push(Cycle(99), 0), std::logic_error);
  CHECK_NOTHROW(queue.push(Cycle(100), 0));
}

TEST_CASE_TEMPLATE("an empty queue has nothing to pop", Queue, OfOne, OfFour, OfSixteen) {
  Queue queue;
  CHECK_THROWS_AS((void)queue.pop(), std::logic_error);
}

TEST_CASE_TEMPLATE("any mix of pushes and pops comes out as from a list sorted by cycle and order of arrival", Queue,
                   OfOne, OfFour, OfSixteen) {
  struct Known {
    std::int64_t cycle;
    int number;
  };
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Queue queue;
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
