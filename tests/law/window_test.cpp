// Law: how far the two sides run ahead of each other makes no difference.
#include <doctest/doctest.h>

#include "support/mixed_runs.h"

namespace gpusim::window_test {

using namespace gpusim::testing;

TEST_CASE("any window gives the same digest") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    const std::uint64_t widest = run.run().digest;
    for (const std::int64_t window : {1, 7, 40}) {
      CAPTURE(window);
      CHECK(run.run({.window = Cycles(window)}).digest == widest);
    }
  }
}

}  // namespace gpusim::window_test
