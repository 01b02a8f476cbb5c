// Law: what a server and a pool sustain together is the smaller of the server's rate and places over holding time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/server.h"
#include "gpusim/gpu.h"
#include "messages.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::closed_loop_test {

using namespace gpusim::testing;

namespace {

/// Everyone always wants more: each piece of work takes a place, is served, and gives the place back `holding` after
/// its service began. The cycle in which each of `pieces` was begun.
std::vector<std::int64_t> service_starts(Rate rate, std::int64_t places, Cycles holding, std::int64_t pieces) {
  core::Server server(rate);
  core::Pool pool{Limited<std::int64_t>(places)};
  core::EventQueue<bool> releases;
  std::vector<std::int64_t> starts;
  Cycle now;
  while (true) {
    while (pool.ask(1)) {
      pool.take(1);
      const Cycle start = server.take(now, 1).start;
      starts.push_back(start.count());
      if (static_cast<std::int64_t>(starts.size()) == pieces) return starts;
      releases.push(start + holding, true);
    }
    now = releases.next();
    (void)releases.pop();
    pool.release(1);
  }
}

/// One SM whose loads hold one of `registers` miss registers each, on an input port of `bytes_per_clk`, L2 warm.
Profile streaming_machine(std::int64_t registers, Rate bytes_per_clk) {
  Profile profile = probe_machine();
  profile.l1 = probe_l1();
  profile.l1->miss_lines = registers;
  profile.sm.issue_per_clk = Rate::unlimited();
  profile.crossbar.sm_read_bytes_per_clk = bytes_per_clk;
  return profile;
}

Cycles streaming_cycles(const Profile& profile, std::int64_t lines) {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadGlobal{one_line(along(Coordinate::repeat)), x}, lines).add(needs(x));
  return cycles(Gpu(profile).run(probe.schedule(), {.l2 = L2State::warm}));
}

}  // namespace

TEST_CASE("sustained rate is min(server rate, places / holding time), exactly") {
  for (const Rate rate :
       {Rate::per_cycle(1), Rate::one_every(3), Rate::ratio(7, 3), Rate::ratio(3, 7), Rate::ratio(64, 79)})
    for (const std::int64_t places : {1, 2, 5, 16, 64})
      for (const std::int64_t holding : {5, 16, 35, 120}) {
        CAPTURE(rate.amount());
        CAPTURE(rate.period());
        CAPTURE(places);
        CAPTURE(holding);
        // A number of pieces that both limits turn into whole cycles.
        const std::int64_t measured = rate.amount() * places * 6;
        const std::int64_t warm_up = rate.amount() * places * 20;
        const auto starts = service_starts(rate, places, Cycles(holding), warm_up + measured + 1);
        const std::int64_t by_server = measured / rate.amount() * rate.period();
        const std::int64_t by_places = measured / places * holding;
        CHECK(starts[static_cast<std::size_t>(warm_up + measured)] - starts[static_cast<std::size_t>(warm_up)] ==
              std::max(by_server, by_places));
      }
}

TEST_CASE("an SM streams lines at min(port rate, miss registers / round trip)") {
  for (const std::int64_t registers : {16, 32, 48, 100})
    for (const Rate port : {Rate::per_cycle(128), Rate::per_cycle(64), Rate::per_cycle(40), Rate::ratio(100, 3)}) {
      CAPTURE(registers);
      CAPTURE(port.per_cycle());
      const Profile profile = streaming_machine(registers, port);
      // Lines held back to back keep their registers for the round trip and their own time through the port.
      const Rate lines = port / line_bytes;
      const std::int64_t through =
          std::max((lines.period() + lines.amount() - 1) / lines.amount() - 1, std::int64_t{0});
      const double by_port = lines.per_cycle();
      const double by_registers =
          static_cast<double>(registers) / static_cast<double>((profile.l2->latency.count() + through));
      constexpr std::int64_t less = 9600, more = 28800;
      const double measured =
          static_cast<double>(more - less) /
          static_cast<double>((streaming_cycles(profile, more) - streaming_cycles(profile, less)).count());
      CHECK(measured == doctest::Approx(std::min(by_port, by_registers)).epsilon(0.005));
    }
}

TEST_CASE("with a port without limit, rounds of miss registers follow each other exactly") {
  for (const std::int64_t registers : {16, 32, 100}) {
    CAPTURE(registers);
    const Profile profile = streaming_machine(registers, Rate::unlimited());
    CHECK(streaming_cycles(profile, 50 * registers) == profile.l2->latency * 50);
  }
}

TEST_CASE("with registers to spare, lines follow each other through the port exactly") {
  const Rate port = Rate::per_cycle(32);
  const Profile profile = streaming_machine(1000, port);
  constexpr std::int64_t lines = 5000;
  const Cycles a_line(line_bytes / 32);
  CHECK(streaming_cycles(profile, lines) == profile.l2->latency + a_line * lines - Cycles(1));
}

}  // namespace gpusim::closed_loop_test
