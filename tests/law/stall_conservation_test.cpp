// Law: every cycle of every resident warp is charged to exactly one reason.
#include <doctest/doctest.h>

#include <array>
#include <map>

#include "support/mixed_runs.h"
#include "support/run_log.h"

namespace gpusim::stall_conservation_test {

using namespace gpusim::testing;

TEST_CASE("stalls of every role sum to its warp-cycles, and these to the residence of its warps") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    for (const KernelResult& kernel : run.run().kernels) {
      std::int64_t warps = 0;
      for (const RoleRow& role : kernel.roles) {
        CAPTURE(role.role);
        CHECK(role.stalls.total() == role.warp_cycles);
        CHECK(role.warp_cycles > 0);
        for (const std::int64_t cycles : role.stalls.by_reason) CHECK(cycles >= 0);
        warps += role.warps;
      }
      CHECK(warps % kernel.ctas == 0);
      CHECK(kernel.ctas_done == kernel.ctas);
    }
  }
}

TEST_CASE("a warp's spans follow each other from its set-up to its exit, without gap or overlap") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    RunLog log;
    const std::array<Observer*, 1> observers{&log};
    const Result result = run.run({}, observers);
    std::int64_t broken = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, Cycle> last_exit;
    for (const auto& [key, spans] : log.spans) {
      const auto [kernel, cta, warp] = key;
      Cycle at = log.ctas.at({kernel, cta}).from + set_up(run.profile.launch, warp);
      for (const RunLog::Span& span : spans) {
        broken += span.from != at || span.to <= span.from;
        at = span.to;
      }
      Cycle& exit = last_exit[{kernel, cta}];
      exit = std::max(exit, at);
    }
    CHECK(broken == 0);
    for (const auto& [key, residence] : log.ctas) broken += last_exit.at(key) != residence.to;
    CHECK(broken == 0);
    std::int64_t ctas = 0;
    for (const KernelResult& kernel : result.kernels) ctas += kernel.ctas;
    CHECK(static_cast<std::int64_t>(log.ctas.size()) == ctas);
  }
}

TEST_CASE("the spans an observer sees are the stalls of the result") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    RunLog log;
    const std::array<Observer*, 1> observers{&log};
    const Result result = run.run({}, observers);
    std::vector<StallCycles> seen(result.kernels.size());
    for (const auto& [key, spans] : log.spans)
      for (const RunLog::Span& span : spans)
        seen[static_cast<std::size_t>(std::get<0>(key))][span.reason] += (span.to - span.from).count();
    for (std::size_t kernel = 0; kernel < seen.size(); ++kernel) CHECK(seen[kernel] == stalls(result.kernels[kernel]));
  }
}

TEST_CASE("an SM is active from its first CTA's start to its last one's end, and no longer than the kernel") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    for (const KernelResult& kernel : run.run().kernels) {
      CHECK(kernel.sm_active_cycles <= kernel.sms_used * kernel.cycles.count());
      CHECK(kernel.sm_active_cycles > 0);
      CHECK(kernel.sms_used == std::min(kernel.ctas, run.profile.sm.count));
    }
  }
}

}  // namespace gpusim::stall_conservation_test
