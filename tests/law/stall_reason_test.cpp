// Law: one program for each reason is charged exactly the cycles it spends for it, and none for any other.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "gpusim/gpu.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::stall_reason_test {

using namespace gpusim::testing;

namespace {

using Expected = std::map<Reason, std::int64_t>;

/// All warps' stalls of one run, L2 warm, are `expected`; reasons not named are 0.
void check_stalls(const Profile& profile, const Schedule& schedule, const Expected& expected) {
  const StallCycles charged = stalls(Gpu(profile).run(schedule, {.l2 = L2State::warm}).kernels.at(0));
  for (std::size_t i = 0; i < reason_count; ++i) {
    const auto reason = static_cast<Reason>(i);
    const std::string what(name(reason));
    CAPTURE(what);
    const auto found = expected.find(reason);
    CHECK(charged[reason] == (found == expected.end() ? 0 : found->second));
  }
}

constexpr std::int64_t issue = 1;

}  // namespace

TEST_CASE("selected: instructions that wait for nothing") {
  Probe probe;
  for (int i = 0; i < 10; ++i) probe.add(Arithmetic{});
  check_stalls(probe_machine(), probe.schedule(), {{Reason::selected, 10}});
}

TEST_CASE("not_selected: the scheduler issues another warp") {
  Probe probe;
  for (int i = 0; i < 10; ++i) probe.add(Arithmetic{});
  check_stalls(probe_machine(), probe.schedule(2), {{Reason::selected, 2 * 10}, {Reason::not_selected, 10}});
}

TEST_CASE("wait: a dependent chain on a pipe of fixed latency") {
  const Profile profile = probe_machine();
  Probe probe;
  const Token x = probe.token("x");
  for (int i = 0; i < 3; ++i) probe.add(changes(x));
  check_stalls(profile, probe.schedule(),
               {{Reason::selected, 3}, {Reason::wait, 3 * (profile.pipes.fma.latency.count() - issue)}});
}

TEST_CASE("math_pipe_throttle: independent instructions on a narrow pipe, one by one or as a run") {
  Profile profile = probe_machine();
  profile.pipes.fma.lanes = 8;
  constexpr std::int64_t interval = 32 / 8;
  const Arithmetic fma{.pipe = Pipe::fma, .reads = {}, .writes = {}, .overhead = false};
  const Expected expected{{Reason::selected, 3}, {Reason::math_pipe_throttle, 2 * (interval - issue)}};
  check_stalls(profile, Probe().add(fma).add(fma).add(fma).schedule(), expected);
  check_stalls(profile, Probe().add(fma, 3).schedule(), expected);
}

TEST_CASE("short_scoreboard: data from shared memory") {
  const Profile profile = probe_machine();
  Probe probe;
  const Token x = probe.token("x");
  probe.add(LoadShared{one_wavefront(), x}).add(needs(x));
  check_stalls(profile, probe.schedule(),
               {{Reason::selected, 2}, {Reason::short_scoreboard, profile.shared.latency.count() - issue}});
}

TEST_CASE("long_scoreboard: data from global memory, by load or by copy") {
  const Profile profile = probe_machine();
  Probe load, copy;
  const Token x = load.token("x");
  load.add(LoadGlobal{one_line(65000), x}).add(needs(x));
  check_stalls(profile, load.schedule(),
               {{Reason::selected, 2}, {Reason::long_scoreboard, profile.l2->latency.count() - issue}});
  copy.add(CopyAsync{one_line(65000), one_wavefront()}).add(CommitGroup{}).add(WaitGroup{0});
  const std::int64_t copied = (profile.l2->latency + profile.async_copy->overhead).count();
  check_stalls(profile, copy.schedule(), {{Reason::selected, 3}, {Reason::long_scoreboard, copied - 3 * issue}});
}

TEST_CASE("mio_throttle: the queue to shared memory is full") {
  Profile profile = probe_machine();
  profile.lsu.queue = 1;
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  constexpr std::int64_t wavefronts = 32;
  Probe probe;
  const Token x = probe.token("x"), y = probe.token("y"), z = probe.token("z");
  for (const Token token : {x, y, z}) probe.add(LoadShared{one_bank(), token});
  check_stalls(profile, probe.add(needs(z)).schedule(),
               {{Reason::selected, 4},
                {Reason::mio_throttle, 2 * (wavefronts - issue)},
                {Reason::short_scoreboard, wavefronts - 1 + profile.shared.latency.count() - issue}});
}

TEST_CASE("lg_throttle: the queue to global memory is full") {
  Profile profile = probe_machine();
  profile.lsu.queue = 1;
  profile.lsu.accept_per_clk = Rate::one_every(10);
  Probe probe;
  for (int i = 0; i < 3; ++i) probe.add(StoreGlobal{one_line(i), i == 0 ? probe.token("x") : Token(0)});
  check_stalls(profile, probe.schedule(), {{Reason::selected, 3}, {Reason::lg_throttle, 2 * (10 - issue)}});
}

TEST_CASE("barrier: the others have not arrived, or it is completing") {
  const Profile profile = probe_machine();
  constexpr int chain = 50;
  Probe late("late"), early("early");
  const Token x = late.token("x");
  for (int i = 0; i < chain; ++i) late.add(changes(x));
  late.add(CtaBarrier{});
  early.add(CtaBarrier{});
  const std::int64_t chained = (chain - 1) * profile.pipes.fma.latency.count() + issue;  // the late one's arrival
  // The early one's arrival is counted long before.
  const std::int64_t completing = (profile.barrier.per_warp + profile.barrier.latency).count();
  check_stalls(profile, probe_schedule({early.role(), late.role()}),
               {{Reason::selected, chain + 2},
                {Reason::not_selected, issue},  // the late one's first instruction, behind the early one's barrier
                {Reason::wait, (chain - 1) * (profile.pipes.fma.latency.count() - issue)},
                {Reason::barrier, (issue + chained + completing - issue) + (completing - issue)}});
}

TEST_CASE("mbarrier: the phase is not complete, or its completion not yet seen") {
  const Profile profile = probe_machine();
  const std::int64_t seen = profile.barrier.mbarrier_latency.count();
  Probe empty, copied;
  empty.add(BarrierArrive{full(), Bytes()}).add(BarrierWait{full(), 0});
  check_stalls(profile, empty.schedule(), {{Reason::selected, 2}, {Reason::mbarrier, seen - 2 * issue}});
  copied.add(BarrierArrive{full(), Bytes(128)}).add(bulk_lines(65000, 1, full())).add(BarrierWait{full(), 0});
  const std::int64_t copy = (profile.l2->latency + profile.tma->overhead).count();
  check_stalls(profile, copied.schedule(), {{Reason::selected, 3}, {Reason::mbarrier, copy + seen - 2 * issue}});
}

TEST_CASE("tma_throttle: the copy engine holds as many copies as it can") {
  Profile profile = probe_machine();
  profile.tma->queue = 1;
  const std::int64_t copy = (profile.l2->latency + profile.tma->overhead).count();
  Probe probe;
  probe.add(BarrierArrive{full(), Bytes(2 * 128)});
  probe.add(bulk_lines(65000, 1, full())).add(bulk_lines(65001, 1, full())).add(BarrierWait{full(), 0});
  check_stalls(profile, probe.schedule(),
               {{Reason::selected, 4},
                {Reason::tma_throttle, copy - issue},
                {Reason::mbarrier, copy + profile.barrier.mbarrier_latency.count() - 2 * issue}});
}

}  // namespace gpusim::stall_reason_test
