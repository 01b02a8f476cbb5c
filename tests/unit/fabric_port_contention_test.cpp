// Replies and requests at the ports that SMs share.
#include <doctest/doctest.h>

#include "fabric/fabric.h"
#include "support/fabric_replies.h"

namespace gpusim::fabric_port_contention_test {

using fabric::Fabric;
using fabric::FabricConfig;

namespace {

constexpr Cycles there{20}, back{30}, l2_hit{40};
constexpr std::int64_t cycles_a_line = 4;

/// Two TPCs of two SMs; L2 without limit.
FabricConfig two_tpcs() {
  FabricConfig config;
  config.topology = {4, 2, 1, 0, 1};
  config.border = {there, back, Cycles(5), Cycles(6)};
  config.slice_rate = config.dram.rate = config.link_rate = config.atomic_rate = Rate::unlimited();
  config.l2_hit = l2_hit;
  config.dispatch_rate = Rate::unlimited();
  return config;
}

Request of(std::int32_t sm, RequestKind kind = RequestKind::read) {
  Request request;
  request.arrives = Cycle(100);
  request.sm = sm;
  request.count = 1;
  request.kind = kind;
  request.lines[0] = {1, 0xFF};
  return request;
}

/// When the answers of these requests, all of the same cycle, have come.
std::vector<Cycles> answers(const FabricConfig& config, const std::vector<Request>& requests) {
  Fabric fabric(config);
  fabric.memory().touch(1);
  for (const Request& request : requests) fabric.receive(request);
  fabric.run_until(Cycle(100'000));
  std::vector<Cycles> cycles;
  for (const Request& request : requests) cycles.push_back(testing::reply_to(fabric, request.sm).last - Cycle(100));
  return cycles;
}

constexpr Cycles alone = l2_hit + back;
constexpr Cycles first_to_last(cycles_a_line - 1);

}  // namespace

TEST_CASE("data for two SMs of a TPC comes one after the other, for SMs of two TPCs at the same time") {
  FabricConfig config = two_tpcs();
  config.tpc.read = Rate::per_cycle(line_bytes / cycles_a_line);
  CHECK(answers(config, {of(0), of(1)}) ==
        std::vector{alone + first_to_last, alone + Cycles(cycles_a_line) + first_to_last});
  CHECK(answers(config, {of(0), of(2)}) == std::vector{alone + first_to_last, alone + first_to_last});
}

TEST_CASE("stores of two SMs of a TPC leave one after the other") {
  FabricConfig config = two_tpcs();
  config.tpc.write = Rate::per_cycle(line_bytes / cycles_a_line);
  const Request first = of(0, RequestKind::write), second = of(1, RequestKind::write);
  CHECK(answers(config, {first, second}) ==
        std::vector{back + first_to_last, back + Cycles(cycles_a_line) + first_to_last});
}

TEST_CASE("what a request waits at a shared port comes on top of its answer") {
  FabricConfig config = two_tpcs();
  config.request_bytes = Bytes(32);
  config.tpc.write = Rate::per_cycle(8);
  constexpr std::int64_t a_request = 32 / 8;
  CHECK(answers(config, {of(0), of(1)}) ==
        std::vector{alone + Cycles(a_request - 1), alone + Cycles(2 * a_request - 1)});
}

TEST_CASE("data that comes late does not hold up data that is there") {
  FabricConfig config = two_tpcs();
  config.tpc.read = Rate::per_cycle(line_bytes / cycles_a_line);
  config.l2_miss = Cycles(10);
  config.dram.latency = Cycles(400);
  Request miss = of(0);
  miss.lines[0] = {77, 0xFF};
  const std::vector<Cycles> cycles = answers(config, {miss, of(1)});
  CHECK(cycles[0] == config.l2_miss + config.dram.latency + back + first_to_last);
  CHECK(cycles[1] == alone + first_to_last);
}

}  // namespace gpusim::fabric_port_contention_test
