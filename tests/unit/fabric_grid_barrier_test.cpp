// The barrier over the grid at the fabric: which poll finds all CTAs counted.
#include <doctest/doctest.h>

#include "fabric/fabric.h"
#include "fabric/grid_barrier.h"

namespace gpusim::fabric_grid_barrier_test {

using fabric::Fabric;
using fabric::FabricConfig;
using fabric::GridBarrier;

namespace {

constexpr Cycles to{60}, from{90};
constexpr Cycles round_trip = to + from;

GridBarrier::Arrival arrival(std::uint32_t handle, std::int64_t counted, std::int64_t polls_from) {
  return {0, handle, Cycle(counted), Cycle(polls_from), {to, from}};
}

/// When a CTA that polls from `polls_from` on knows that the last one was counted at `counted`.
Cycle known(std::int64_t polls_from, std::int64_t counted) {
  GridBarrier barrier;
  barrier.begin(2);
  CHECK_FALSE(barrier.count(arrival(0, 0, polls_from)));
  CHECK(barrier.count(arrival(1, counted, counted + from.count())));
  return barrier.release().at(0).at;
}

}  // namespace

TEST_CASE("the first poll that comes to L2 when all have been counted tells") {
  CHECK(known(1000, 500) == Cycle(1000) + round_trip);
  CHECK(known(1000, 1000 + to.count()) == Cycle(1000) + round_trip);
  CHECK(known(1000, 1000 + to.count() + 1) == Cycle(1000) + round_trip * 2);
  CHECK(known(1000, 1000 + to.count() + round_trip.count()) == Cycle(1000) + round_trip * 2);
  CHECK(known(1000, 1000 + to.count() + round_trip.count() + 1) == Cycle(1000) + round_trip * 3);
}

TEST_CASE("the barrier begins anew when all have been let go") {
  GridBarrier barrier;
  barrier.begin(2);
  for (int phase = 0; phase < 3; ++phase) {
    const auto comes = [&](std::uint32_t handle) {
      GridBarrier::Arrival arrived = arrival(handle, 0, 0);
      arrived.round = phase;
      return barrier.count(arrived);
    };
    CHECK_FALSE(comes(0));
    CHECK(comes(1));
    CHECK(barrier.release().size() == 2);
  }
}

TEST_CASE("an arrival ahead of the others is of the next round") {
  GridBarrier barrier;
  barrier.begin(2);
  GridBarrier::Arrival ahead = arrival(0, 0, 0);
  CHECK_FALSE(barrier.count(ahead));
  ahead.round = 1;
  CHECK_FALSE(barrier.count(ahead));
  CHECK(barrier.count(arrival(1, 0, 0)));
  CHECK(barrier.release().size() == 2);
  ahead.handle = 1;
  CHECK(barrier.count(ahead));
}

TEST_CASE("one that does not wait is counted and not let go again") {
  GridBarrier barrier;
  barrier.begin(2);
  GridBarrier::Arrival passing = arrival(0, 700, 0);
  passing.waits = false;
  CHECK_FALSE(barrier.count(passing));
  CHECK(barrier.count(arrival(1, 0, 0)));
  const auto releases = barrier.release();
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].handle == 1);
  CHECK(releases[0].at >= Cycle(700));
}

TEST_CASE("CTAs are counted one after another, at the rate of a slice's atomics") {
  constexpr std::int32_t sms = 4;
  constexpr std::int64_t cycles_an_atomic = 7;
  FabricConfig config;
  config.topology.sms = sms;
  config.border = {Cycles(20), Cycles(30), Cycles(5), Cycles(6)};
  config.slice_rate = config.link_rate = config.dram.rate = config.dispatch_rate = Rate::unlimited();
  config.atomic_rate = Rate::one_every(cycles_an_atomic);
  config.atomic_latency = Cycles(11);
  config.l2_hit = Cycles(40);
  Fabric fabric(config);
  fabric.memory().touch(9);
  fabric.begin({sms, 1}, Cycle(0));
  const Cycle arrives(1000);
  for (std::int32_t sm = 0; sm < sms; ++sm) {
    Request request;
    request.arrives = arrives;
    request.sm = sm;
    request.kind = RequestKind::grid_count;
    request.count = 1;
    request.lines[0] = {9, 1};
    fabric.receive(request);
  }
  fabric.run_until(Cycle(2000));
  const Cycles poll = config.border.request + config.l2_hit + config.border.reply;
  const std::vector<Reply>& replies = fabric.outbox().replies;
  REQUIRE(replies.size() == sms);
  for (std::int32_t sm = 0; sm < sms; ++sm) {
    CAPTURE(sm);
    const Reply& reply = replies[static_cast<std::size_t>(sm)];
    CHECK(reply.sm == sm);
    // The first to be counted polls first, and comes to L2 with it after the last has been.
    const Cycles turn(cycles_an_atomic * (sm + 1) - 1);
    CHECK(reply.last == arrives + turn + config.l2_hit + config.atomic_latency + config.border.reply + poll);
  }
}

}  // namespace gpusim::fabric_grid_barrier_test
