// When stretches of a run may stand for what follows them.
#include "machine/agreement.h"

#include <doctest/doctest.h>

#include "sm/pace.h"

namespace gpusim::machine_agreement_test {

using machine::borne_by_drift;

TEST_CASE("three windows that grow or shrink are a drift, which bears as many as it makes wrong by 1 %") {
  // 2 % a window: two windows on, the mean of what passed is 2 % off.
  CHECK(borne_by_drift(10'000, 10'200, 10'400, 1) == 1);
  CHECK(borne_by_drift(10'000, 10'020, 10'050, 1) == 2 * 100 / 20);
  CHECK(borne_by_drift(10'050, 10'020, 10'000, 4) == 4 * 2 * 100 / 20);
}

TEST_CASE("windows that differ to and fro, or not at all, are no drift") {
  CHECK(!borne_by_drift(10'000, 10'200, 10'100, 1));
  CHECK(!borne_by_drift(10'000, 10'000, 10'100, 1));
  CHECK(!borne_by_drift(10'000, 10'100, 10'100, 1));
}

TEST_CASE("windows of few cycles are no drift for it") { CHECK(borne_by_drift(50, 51, 52, 8) == 8); }

TEST_CASE("a CTA's progress is whole windows of tiles, without those that settle") {
  sm::Pace pace;
  pace.begin(Cycle(0));
  for (std::int64_t tile = 1; tile <= 4; ++tile) pace.complete(Cycle(100 * tile));
  pace.disturb();
  CHECK(pace.progress(2, 2).tiles == 0);
  for (std::int64_t tile = 1; tile <= 7; ++tile) pace.complete(Cycle(400 + 10 * tile));
  CHECK(pace.progress(2, 2).tiles == 4);
  CHECK(pace.progress(2, 2).cycles == 40);
  CHECK(pace.progress(0, 1).tiles == 7);
}

}  // namespace gpusim::machine_agreement_test
