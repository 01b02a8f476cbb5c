// One SM alone: messages of one cycle, in whatever order they were handed over.
#include <doctest/doctest.h>

#include <vector>

#include "machine/configure.h"
#include "machine/lower.h"
#include "sm/sm.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/run_log.h"

namespace gpusim::sm_message_order_test {

using namespace gpusim::testing;

namespace {

constexpr std::int64_t registers = 16;
constexpr Cycle first_start(100), meeting(1000);

/// CTA 0 loads more lines than there are miss registers and stands before a full queue; CTA 1 has an instruction ready.
Schedule two_ctas() {
  Probe probe;
  const Bound first_cta{along(Coordinate::block_m), 1};
  probe.add(LoadGlobal{one_line(along(Coordinate::repeat)), probe.token("x")}, registers + 2, first_cta);
  return probe.add(Arithmetic{}).schedule(1, 2);
}

Profile crowded_machine() {
  Profile profile = probe_machine();
  profile.sm.scheduler = SchedulerPolicy::lrr;  // prefers the CTA that comes to the one that waits
  profile.lsu.queue = 1;
  profile.l1 = probe_l1();
  profile.l1->miss_lines = registers;
  return profile;
}

/// Cycles in which both CTAs issued, when the first reply and the second CTA come in the same cycle.
std::vector<Cycle> issues(bool reply_first) {
  const Profile profile = crowded_machine();
  const Schedule schedule = two_ctas();
  const machine::Configuration configuration = machine::configure(profile, profile.clock.boost_mhz);
  sm::Kernel kernel = machine::lower(schedule, profile, machine::MemoryMap(std::span(&schedule, 1), {}));
  RunLog log;
  const std::vector<Observer*> observers{&log};
  sm::Sm sm(configuration.sm, SmId(0), observers);
  sm.begin(kernel, KernelId(0));
  sm.receive(CtaStart{first_start, 0});
  sm.run_until(meeting);

  Reply reply;
  reply.arrives = reply.last = meeting;
  reply.handle = sm.requests().front()->handle;
  reply.bytes = line_bytes;
  if (reply_first) sm.receive(reply);
  sm.receive(CtaStart{meeting, 1});
  if (!reply_first) sm.receive(reply);
  sm.run_until(meeting + Cycles(10));

  std::vector<Cycle> cycles{sm.requests().back()->arrives};
  for (const auto& [warp, operations] : log.issued)
    for (const RunLog::Issued& operation : operations) cycles.push_back(operation.at);
  return cycles;
}

}  // namespace

TEST_CASE("a reply and a CTA that come in one cycle do the same in whichever order they were handed over") {
  CHECK(issues(true).size() > 2);  // both CTAs issued
  CHECK(issues(true) == issues(false));
}

}  // namespace gpusim::sm_message_order_test
