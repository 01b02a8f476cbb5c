// A pool alone: ask, take, release, and what it counts.
#include <doctest/doctest.h>

#include <stdexcept>

#include "core/pool.h"

namespace gpusim::core_pool_test {

using core::Pool;

TEST_CASE("a pool gives as many places as it has") {
  Pool pool(Limited<std::int64_t>(4));
  CHECK(pool.ask(4));
  CHECK_FALSE(pool.ask(5));
  pool.take(3);
  CHECK(pool.ask(1));
  CHECK_FALSE(pool.ask(2));
  pool.release(2);
  CHECK(pool.in_use() == 1);
  CHECK(pool.ask(3));
}

TEST_CASE("asking takes nothing") {
  Pool pool(Limited<std::int64_t>(1));
  CHECK(pool.ask(1));
  CHECK(pool.ask(1));
  CHECK(pool.in_use() == 0);
}

TEST_CASE("a pool counts places taken, the most at a time, and refusals") {
  Pool pool(Limited<std::int64_t>(4));
  pool.take(3);
  (void)pool.ask(2);
  pool.release(3);
  pool.take(2);
  CHECK(pool.taken() == 3 + 2);
  CHECK(pool.peak() == 3);
  CHECK(pool.refused() == 1);
}

TEST_CASE("an unlimited pool never refuses and still counts") {
  Pool pool(Limited<std::int64_t>::unlimited());
  CHECK(pool.ask(1'000'000'000));
  pool.take(1'000'000'000);
  CHECK(pool.peak() == 1'000'000'000);
  CHECK(pool.refused() == 0);
}

TEST_CASE("taking without asking, or giving back too much, is the caller's mistake") {
  Pool pool(Limited<std::int64_t>(2));
  CHECK_THROWS_AS(pool.take(3), std::logic_error);
  pool.take(2);
  CHECK_THROWS_AS(pool.take(1), std::logic_error);
  CHECK_THROWS_AS(pool.release(3), std::logic_error);
  CHECK_NOTHROW(pool.release(2));
}

}  // namespace gpusim::core_pool_test
