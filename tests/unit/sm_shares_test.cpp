// What instructions that enter together take, shared out: as by the processor's division.
#include <doctest/doctest.h>

#include "sm/shares.h"

namespace gpusim::sm_shares_test {

TEST_CASE("parts are quotients, for few instructions and for more than are known beforehand") {
  for (const std::int64_t count : {1, 2, 3, 31, 32, 33, 100, 4096})
    for (const std::int64_t whole : {0, 1, 31, 32, 33, 99, 100, 123'456'789}) {
      CAPTURE(count);
      CAPTURE(whole);
      CHECK(sm::Parts(count).of(whole) == whole / count);
    }
  CHECK(sm::Parts(0).of(7) == 7);
}

TEST_CASE("shares of a grant are as long as each other to a cycle, and end with it") {
  for (const std::int64_t count : {1, 3, 32, 33, 100})
    for (const std::int64_t span : {0, 1, 33, 100, 1000}) {
      CAPTURE(count);
      CAPTURE(span);
      const Cycle start(50);
      sm::Shares shares({start, start + Cycles(span)}, sm::Parts(count));
      Cycle before = start;
      for (std::int64_t i = 1; i <= count; ++i) {
        const Cycle end = shares.next();
        CHECK(end - start == Cycles(span * i / count));
        CHECK(end >= before);
        before = end;
      }
      CHECK(before == start + Cycles(span));
    }
}

}  // namespace gpusim::sm_shares_test
