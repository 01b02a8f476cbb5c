// The set-associative array alone: what is found, and who makes room.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/set_array.h"

namespace gpusim::core_set_array_test {

using gpusim::core::SetArray;

namespace {

struct Entry {
  int value = 0;
  bool busy = false;
};

bool none_held(const Entry&) { return false; }
bool busy(const Entry& entry) { return entry.busy; }

/// One set of three ways that holds keys 1, 2 and 3, in this order of use.
SetArray<Entry> full_set() {
  SetArray<Entry> array(3, 3);
  for (const std::uint64_t key : {1, 2, 3}) array.insert(0, key, none_held).entry->value = static_cast<int>(key) * 10;
  return array;
}

}  // namespace

TEST_CASE("what was put in is found under its key, and nothing else is") {
  SetArray<Entry> array = full_set();
  CHECK(array.find(0, 2)->value == 20);
  CHECK(array.find(0, 4) == nullptr);
}

TEST_CASE("the least recently used entry makes room") {
  SetArray<Entry> array = full_set();
  const auto place = array.insert(0, 4, none_held);
  CHECK(place.old_key == 1);
  CHECK(place.old.value == 10);
  CHECK(place.entry->value == 0);
  CHECK(array.find(0, 1) == nullptr);
}

TEST_CASE("finding is using") {
  SetArray<Entry> array = full_set();
  (void)array.find(0, 1);
  CHECK(array.insert(0, 4, none_held).old_key == 2);
}

TEST_CASE("free places go first and replace nobody") {
  SetArray<Entry> array(2, 2);
  CHECK(array.insert(0, 7, none_held).old_key == SetArray<Entry>::free);
  CHECK(array.insert(0, 8, none_held).old_key == SetArray<Entry>::free);
  CHECK(array.insert(0, 9, none_held).old_key == 7);
}

TEST_CASE("a held entry stays, whoever is older") {
  SetArray<Entry> array = full_set();
  array.find(0, 2)->busy = array.find(0, 1)->busy = true;  // 3 is now the least recently used, and the only one free
  (void)array.find(0, 3);
  CHECK(array.insert(0, 4, busy).old_key == 3);
}

TEST_CASE("with every entry held there is no place") {
  SetArray<Entry> array = full_set();
  for (const std::uint64_t key : {1, 2, 3}) array.find(0, key)->busy = true;
  CHECK(array.insert(0, 4, busy).entry == nullptr);
  CHECK(array.find(0, 1)->value == 10);
}

TEST_CASE("keys of different sets do not compete") {
  SetArray<Entry> array(4, 2);
  for (const std::uint64_t key : {0, 1, 2, 3}) array.insert(array.set_of(key), key, none_held);  // sets 0, 1, 0, 1
  for (const std::uint64_t key : {0, 1, 2, 3}) CHECK(array.find(array.set_of(key), key) != nullptr);
  CHECK(array.insert(array.set_of(4), 4, none_held).old_key == 0);
  CHECK(array.insert(array.set_of(5), 5, none_held).old_key == 1);
}

TEST_CASE("fewer places than ways still make one set") {
  SetArray<Entry> array(1, 4);
  array.insert(0, 1, none_held);
  CHECK(array.find(0, 1) != nullptr);
}

TEST_CASE("any mix of searches and insertions ends as in a list sorted by last use, whatever the ways and guesses") {
  for (const int ways : {1, 4, 16, 17, 40}) {
    CAPTURE(ways);
    SetArray<Entry>::Guess last_guess;  // of another key, and of before an insertion
    SetArray<Entry> array(ways, ways);
    std::vector<std::uint64_t> by_use;  // the last used at the back
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t key = random() % static_cast<unsigned>(2 * ways);
      const auto known = std::find(by_use.begin(), by_use.end(), key);
      const SetArray<Entry>::Guess guess = array.prefetch_entry(0, key);
      const Entry* found = nullptr;
      if (i % 3 != 0) found = array.find_guessed(0, key, i % 3 == 1 ? guess : last_guess);
      // So few keys have tags that differ.
      if (guess.is_there && i % 3 == 1 && known != by_use.end() && ways <= 16) REQUIRE(found != nullptr);
      if (found == nullptr) found = array.find(0, key);
      last_guess = guess;
      REQUIRE((found != nullptr) == (known != by_use.end()));
      if (known != by_use.end()) {
        by_use.erase(known);
      } else {
        const auto place = array.insert(0, key, none_held);
        const bool full = std::ssize(by_use) == ways;
        REQUIRE(place.old_key == (full ? by_use.front() : SetArray<Entry>::free));
        if (full) by_use.erase(by_use.begin());
      }
      by_use.push_back(key);
    }
  }
}

}  // namespace gpusim::core_set_array_test
