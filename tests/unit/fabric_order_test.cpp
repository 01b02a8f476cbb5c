// The fabric handles what arrives by (arrival, SM, sequence), whenever and in whatever order it was handed over.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fabric/fabric.h"

namespace gpusim::fabric_order_test {

using fabric::Fabric;
using fabric::FabricConfig;

namespace {

constexpr std::int32_t sms = 3;

FabricConfig busy_fabric() {
  FabricConfig config;
  config.topology.sms = sms;
  config.border = {Cycles(20), Cycles(30), Cycles(5), Cycles(6)};
  config.l2_capacity = Bytes(64 * line_bytes);
  config.l2_ways = 4;
  config.slices = 2;
  config.slice_rate = Rate::per_cycle(32);
  config.l2_hit = Cycles(40);
  config.l2_miss = Cycles(15);
  config.dram.rate = Rate::ratio(17, 3);
  config.dram.latency = Cycles(300);
  config.dispatch_rate = Rate::unlimited();
  return config;
}

/// Reads and writes of all SMs over a few lines, in the order each SM sends them.
std::vector<Request> traffic() {
  std::mt19937 random(3);
  std::vector<Request> requests;
  std::int64_t at = 0;
  for (std::uint32_t handle = 0; handle < 400; ++handle) {
    at += static_cast<std::int64_t>(random() % 3);
    Request request;
    request.arrives = Cycle(at);
    request.sm = static_cast<std::int32_t>(random() % sms);
    request.handle = handle;
    request.kind = random() % 4 == 0 ? RequestKind::write : RequestKind::read;
    request.count = static_cast<std::int16_t>(1 + random() % 3);
    for (std::int32_t i = 0; i < request.count; ++i)
      request.lines[static_cast<std::size_t>(i)] = {random() % 200, static_cast<std::uint8_t>(1 + random() % 255)};
    requests.push_back(request);
  }
  return requests;
}

/// When the last data of each request is at its SM, by handle.
std::vector<Cycle> answers(Fabric& fabric) {
  std::vector<Cycle> last(400);
  for (const Reply& reply : fabric.outbox().replies) last[reply.handle] = reply.last;
  return last;
}

std::vector<Cycle> answers_in_one_go(const std::vector<Request>& requests) {
  Fabric fabric(busy_fabric());
  for (const Request& request : requests) fabric.receive(request);
  fabric.run_until(Cycle(100'000));
  return answers(fabric);
}

}  // namespace

TEST_CASE("which SM hands its requests over first makes no difference") {
  const std::vector<Request> requests = traffic();
  std::vector<Request> by_sm = requests;
  std::stable_sort(by_sm.begin(), by_sm.end(), [](const Request& a, const Request& b) { return a.sm > b.sm; });
  CHECK(answers_in_one_go(by_sm) == answers_in_one_go(requests));
}

TEST_CASE("in how many windows the fabric runs makes no difference") {
  const std::vector<Request> requests = traffic();
  for (const std::int64_t window : {1, 7, 20}) {
    CAPTURE(window);
    Fabric fabric(busy_fabric());
    std::size_t next = 0;
    for (std::int64_t end = window; end < 5'000; end += window) {
      while (next < requests.size() && requests[next].arrives < Cycle(end)) fabric.receive(requests[next++]);
      fabric.run_until(Cycle(end));
    }
    CHECK(answers(fabric) == answers_in_one_go(requests));
  }
}

TEST_CASE("a reply takes the way back after the memory side is done") {
  const FabricConfig config = busy_fabric();
  Fabric fabric(config);
  Request request;
  request.arrives = Cycle(50);
  request.count = 1;
  request.lines[0] = {0, 0x03};
  fabric.receive(request);
  fabric.run_until(Cycle(50));
  CHECK(fabric.outbox().replies.empty());
  fabric.run_until(Cycle(51));
  REQUIRE(fabric.outbox().replies.size() == 1);
  const Cycles channel((sector_bytes * 3 + 16) / 17 - 1);  // the sector at 17 bytes in 3 cycles, after its first
  CHECK(fabric.outbox().replies[0].last ==
        Cycle(50) + config.l2_miss + channel + config.dram.latency + config.border.reply);
  CHECK(fabric.outbox().replies[0].bytes == sector_bytes);
  CHECK(fabric.outbox().replies[0].sm == 0);
}

TEST_CASE("a CTA that ended makes room for the next, one way there and one way back") {
  const FabricConfig config = busy_fabric();
  Fabric fabric(config);
  fabric.begin({sms + 1, 1}, Cycle(7));
  CHECK(fabric.first_start() == Cycle(7) + config.border.cta_start);
  std::vector<CtaStart>& starts = fabric.outbox().starts;
  REQUIRE(starts.size() == sms);
  for (std::size_t sm = 0; sm < sms; ++sm) {
    CHECK(starts[sm].sm == static_cast<std::int32_t>(sm));
    CHECK(starts[sm].cta == static_cast<std::int64_t>(sm));
  }
  starts.clear();
  const Cycle exited(500);
  fabric.receive(CtaExit{exited + config.border.cta_exit, 2, 2, exited});
  fabric.run_until(Cycle(1000));
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].sm == 2);
  CHECK(starts[0].cta == sms);
  CHECK(starts[0].arrives == exited + config.border.cta_exit + config.border.cta_start);
  CHECK(fabric.last_exit() == exited);
  CHECK_FALSE(fabric.kernel_done());
}

}  // namespace gpusim::fabric_order_test
