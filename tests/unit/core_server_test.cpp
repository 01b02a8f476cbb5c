// A server alone: when work is served, and what it counts.
#include <doctest/doctest.h>

#include <array>

#include "core/server.h"

namespace gpusim::core_server_test {

using core::Grant;
using core::Server;

TEST_CASE("a server without a limit serves at once") {
  Server server(Rate::unlimited());
  for (int i = 0; i < 3; ++i) {
    const Grant grant = server.take(Cycle(5), 1'000'000);
    CHECK(grant.start == Cycle(5));
    CHECK(grant.end == Cycle(5));
    CHECK(grant.spread() == Cycles(0));
  }
  CHECK(server.waited() == 0);
  CHECK(server.work() == 3'000'000);
  CHECK(server.rate().is_unlimited());
}

TEST_CASE("work takes work / rate cycles, the last one rounded up") {
  CHECK(Server(Rate::per_cycle(1)).take(Cycle(10), 6).end == Cycle(10 + 6));
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(10), 128).end == Cycle(10 + 2));
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(10), 32).end == Cycle(10 + 1));
  CHECK(Server(Rate::one_every(16)).take(Cycle(10), 3).end == Cycle(10 + 3 * 16));
  CHECK(Server(Rate::ratio(7, 3)).take(Cycle(10), 8).end == Cycle(10 + 4));  // 24 / 7 = 3.4
}

TEST_CASE("what a server does behind its work delays the next piece, and nobody waits for it") {
  Server server(Rate::per_cycle(32));
  CHECK(server.take(Cycle(10), 32).end == Cycle(11));
  server.take_behind(64);
  CHECK(server.waited() == 0);
  CHECK(server.work() == 96);
  CHECK(server.take(Cycle(10), 32).start == Cycle(13));
}

TEST_CASE("a fractional rate is sustained exactly, however the work is cut") {
  for (const Rate rate : {Rate::ratio(7, 3), Rate::ratio(3, 7), Rate::ratio(1605, 2520), Rate::ratio(1'000'003, 17)})
    for (const std::int64_t piece : {1, 2, 3, 5, 32}) {
      CAPTURE(rate.amount());
      CAPTURE(rate.period());
      CAPTURE(piece);
      Server server(rate);
      std::int64_t work = 0;
      for (int i = 1; i <= 4000; ++i) {
        work += piece;
        const std::int64_t exact = (work * rate.period() + rate.amount() - 1) / rate.amount();
        REQUIRE(server.take(Cycle(0), piece).end == Cycle(exact));
      }
    }
}

TEST_CASE("idle time is not saved up") {
  Server server(Rate::per_cycle(1));
  CHECK(server.take(Cycle(0), 2).end == Cycle(2));
  const Grant late = server.take(Cycle(100), 3);
  CHECK(late.start == Cycle(100));
  CHECK(late.end == Cycle(100 + 3));
}

TEST_CASE("work that comes while another is served starts when that one ends, and the wait is counted") {
  Server server(Rate::one_every(10));
  CHECK(server.take(Cycle(0), 1).start == Cycle(0));
  CHECK(server.take(Cycle(4), 1).start == Cycle(10));
  CHECK(server.take(Cycle(25), 1).start == Cycle(25));
  CHECK(server.take(Cycle(30), 1).start == Cycle(35));
  CHECK(server.waited() == (10 - 4) + (35 - 30));
}

TEST_CASE("a server that is held takes nothing new before") {
  Server server(Rate::per_cycle(1));
  CHECK(server.take(Cycle(0), 4).end == Cycle(4));
  server.hold(Cycle(9));
  CHECK(server.take(Cycle(2), 1).start == Cycle(9));
  CHECK(server.take(Cycle(20), 4).end == Cycle(20 + 4));
  server.hold(Cycle(21));
  CHECK(server.take(Cycle(20), 1).start == Cycle(20 + 4));
  CHECK(server.work() == 4 + 1 + 4 + 1);
}

TEST_CASE("free is the first cycle in which work would begin") {
  Server server(Rate::ratio(7, 3));
  CHECK(server.free() == Cycle(0));
  server.take(Cycle(0), 1);  // until 3 / 7: the rest of cycle 0 is free
  CHECK(server.free() == Cycle(0));
  server.take(Cycle(0), 7);  // until 24 / 7
  CHECK(server.free() == Cycle(3));
  CHECK(server.take(Cycle(0), 1).start == Cycle(3));
}

TEST_CASE("a fractional rate is sustained when work comes in the cycle before is served, not all at once") {
  Server server(Rate::ratio(7, 3));
  Cycle now;
  for (int i = 0; i < 7000; ++i) now = server.take(server.free(), 1).start;
  CHECK(now == Cycle((7000 - 1) * 3 / 7));
}

TEST_CASE("the last part comes after the first by the cycles beyond one") {
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(0), 32).spread() == Cycles(0));
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(0), 64).spread() == Cycles(0));
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(0), 65).spread() == Cycles(1));
  CHECK(Server(Rate::per_cycle(64)).take(Cycle(0), 256).spread() == Cycles(3));
}

}  // namespace gpusim::core_server_test
