// Law: a receipt's parts add up to its duration.
#include <doctest/doctest.h>

#include <array>

#include "support/mixed_runs.h"
#include "support/run_log.h"

namespace gpusim::receipt_test {

using namespace gpusim::testing;

TEST_CASE("latency and waiting of a receipt's hops sum to end - start, and none is negative") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    RunLog log;
    const std::array<Observer*, 1> observers{&log};
    (void)run.run({}, observers);
    REQUIRE(!log.receipts.empty());
    std::int64_t wrong = 0;
    for (const Receipt& receipt : log.receipts) {
      wrong += receipt.total() != receipt.end - receipt.start;
      for (const HopTime& hop : receipt.hops) wrong += hop.latency < Cycles(0) || hop.waiting < Cycles(0);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the result's hops are the sum of all receipts") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    RunLog log;
    const std::array<Observer*, 1> observers{&log};
    const Result result = run.run({}, observers);
    Receipt sum;
    for (const Receipt& receipt : log.receipts)
      for (std::size_t hop = 0; hop < hop_count; ++hop) {
        sum.hops[hop].latency += receipt.hops[hop].latency;
        sum.hops[hop].waiting += receipt.hops[hop].waiting;
      }
    for (std::size_t hop = 0; hop < hop_count; ++hop) {
      HopTotals totals;
      for (const KernelResult& kernel : result.kernels) {
        totals.receipts += kernel.hops[hop].receipts;
        totals.latency += kernel.hops[hop].latency;
        totals.waiting += kernel.hops[hop].waiting;
      }
      CHECK(totals.receipts == static_cast<std::int64_t>(log.receipts.size()));
      CHECK(totals.latency == sum.hops[hop].latency.count());
      CHECK(totals.waiting == sum.hops[hop].waiting.count());
    }
  }
}

}  // namespace gpusim::receipt_test
