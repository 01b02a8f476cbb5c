// Laws that hold whatever runs, on programs and machines drawn at random.
#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <vector>

#include "support/random_runs.h"
#include "support/run_log.h"

namespace gpusim::random_program_test {

using namespace gpusim::testing;

namespace {

/// How much of what was seen breaks a law.
std::int64_t broken_laws(const MixedRun& run, const Result& result, const RunLog& log) {
  std::int64_t broken = 0;
  for (const Receipt& receipt : log.receipts) {
    broken += receipt.total() != receipt.end - receipt.start;
    for (const HopTime& hop : receipt.hops) broken += hop.latency < Cycles(0) || hop.waiting < Cycles(0);
  }
  for (const auto& [key, spans] : log.spans) {
    const auto [kernel, cta, warp] = key;
    Cycle at = log.ctas.at({kernel, cta}).from + set_up(run.profile.launch, warp);
    for (const RunLog::Span& span : spans) {
      broken += span.from != at || span.to <= span.from;
      at = span.to;
    }
    broken += at > log.ctas.at({kernel, cta}).to;
  }
  for (std::size_t i = 0; i < result.kernels.size(); ++i) {
    const KernelResult& kernel = result.kernels[i];
    std::int64_t instructions = 0;
    for (const RoleRow& role : kernel.roles) {
      broken += role.stalls.total() != role.warp_cycles;
      instructions += role.instructions;
    }
    broken += instructions != warp_instructions(run.schedules[i]) * kernel.ctas;
    broken += kernel.traffic.l2_read_sectors != kernel.traffic.l2_delivered_sectors;
    broken += kernel.ctas_done != kernel.ctas;
  }
  return broken;
}

}  // namespace

TEST_CASE("random programs on random machines keep every law, in windows of any width") {
  std::vector<std::uint32_t> seeds(300);
  std::iota(seeds.begin(), seeds.end(), 0U);
  for (const std::uint32_t seed : seeds) {
    CAPTURE(seed);
    const MixedRun run = RandomRun(seed).make();
    for (const Schedule& schedule : run.schedules) REQUIRE(check(schedule, run.profile).empty());
    RunLog log;
    const std::array<Observer*, 1> observers{&log};
    const Result result = run.run({}, observers);
    CHECK(broken_laws(run, result, log) == 0);
    CHECK(run.run({.window = Cycles(1)}).digest == result.digest);
    CHECK(run.run({.window = Cycles(7)}).digest == result.digest);
  }
}

}  // namespace gpusim::random_program_test
