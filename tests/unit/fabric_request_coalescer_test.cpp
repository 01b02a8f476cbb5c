// The L2 request coalescer of a GPC: which reads are answered with another's data, and what that spares.
#include "fabric/request_coalescer.h"

#include <doctest/doctest.h>

#include <optional>

#include "fabric/fabric.h"
#include "support/fabric_replies.h"

namespace gpusim::fabric_request_coalescer_test {

using fabric::Fabric;
using fabric::FabricConfig;
using fabric::RequestCoalescer;

namespace {

constexpr unsigned half_line = 0x0F;
constexpr Cycles way{30};

std::optional<RequestCoalescer::Answer> join(RequestCoalescer& coalescer, std::uint64_t line, unsigned chunks,
                                             std::int64_t at) {
  RequestCoalescer::Place& place = coalescer.place_of(line);
  const bool is_answered = coalescer.answers(place, line, chunks, Cycle(at));
  const auto answer = coalescer.join(place, line, chunks, Cycle(at));
  CHECK(answer.has_value() == is_answered);
  return answer;
}

bool joins(RequestCoalescer& coalescer, std::uint64_t line, unsigned chunks, std::int64_t at) {
  return join(coalescer, line, chunks, at).has_value();
}

void ask(RequestCoalescer& coalescer, std::uint64_t line, unsigned chunks, std::int64_t at,
         RequestCoalescer::Answer answer) {
  coalescer.ask(coalescer.place_of(line), line, chunks, Cycle(at), answer);
}

constexpr Cycles there{20}, back{30}, l2_hit{40};
constexpr std::int64_t cycles_a_line = 4;

/// Two GPCs of two SMs, one slice that takes four cycles a line.
FabricConfig two_gpcs(std::int64_t coalescer_lines) {
  FabricConfig config;
  config.topology = {4, 1, 2, 0, 1};
  config.border = {there, back, Cycles(5), Cycles(6)};
  config.slice_rate = Rate::per_cycle(line_bytes / cycles_a_line);
  config.dram.rate = config.link_rate = config.atomic_rate = config.dispatch_rate = Rate::unlimited();
  config.l2_hit = l2_hit;
  config.coalescer_lines = coalescer_lines;
  config.coalescer_reads = 4;
  return config;
}

Request read_of(std::int32_t sm) {
  Request request;
  request.arrives = Cycle(100);
  request.sm = sm;
  request.count = 1;
  request.lines[0] = {1, whole_line};
  return request;
}

/// From the arrival of these SMs' reads of one line, all of the same cycle, to their last data.
std::vector<std::int64_t> answers(const FabricConfig& config, const std::vector<std::int32_t>& sms) {
  Fabric fabric(config);
  fabric.memory().touch(1);
  for (const std::int32_t sm : sms) fabric.receive(read_of(sm));
  fabric.run_until(Cycle(100'000));
  std::vector<std::int64_t> cycles;
  for (const std::int32_t sm : sms) cycles.push_back((testing::reply_to(fabric, sm).last - Cycle(100)).count());
  return cycles;
}

}  // namespace

TEST_CASE("a read joins an earlier one of the same chunks until that one's data has come") {
  RequestCoalescer coalescer(16, 8, way);
  CHECK_FALSE(joins(coalescer, 7, whole_line, 100));
  ask(coalescer, 7, half_line, 100, {Cycle(160), true});
  const auto early = join(coalescer, 7, half_line, 110);
  REQUIRE(early);
  CHECK(early->leaves == Cycle(160));
  CHECK(early->from_dram);
  const auto late = join(coalescer, 7, half_line, 189);
  REQUIRE(late);
  CHECK(late->leaves == Cycle(189));
  CHECK_FALSE(joins(coalescer, 7, half_line, 190));
  CHECK_FALSE(joins(coalescer, 7, whole_line, 120));
  CHECK_FALSE(joins(coalescer, 8, half_line, 120));
}

TEST_CASE("one answer serves so many reads, the first of them included") {
  RequestCoalescer coalescer(16, 3, way);
  ask(coalescer, 7, whole_line, 100, {Cycle(160), false});
  CHECK(joins(coalescer, 7, whole_line, 101));
  CHECK(joins(coalescer, 7, whole_line, 101));
  CHECK_FALSE(joins(coalescer, 7, whole_line, 101));
  ask(coalescer, 7, whole_line, 101, {Cycle(170), false});
  CHECK(joins(coalescer, 7, whole_line, 102));
}

TEST_CASE("a place that is taken stays so until its line has come") {
  RequestCoalescer coalescer(1, 8, way);
  ask(coalescer, 7, whole_line, 100, {Cycle(160), false});
  ask(coalescer, 8, whole_line, 110, {Cycle(170), false});
  CHECK_FALSE(joins(coalescer, 8, whole_line, 120));
  CHECK(joins(coalescer, 7, whole_line, 120));
  ask(coalescer, 8, whole_line, 190, {Cycle(250), false});
  CHECK(joins(coalescer, 8, whole_line, 200));
}

TEST_CASE("SMs of a GPC that read a line together take one turn at its slice, those of another take their own") {
  const std::int64_t alone = (l2_hit + back).count() + cycles_a_line - 1;
  // SMs 0 and 2 are of one GPC, 1 and 3 of the other.
  CHECK(answers(two_gpcs(0), {0, 2}) == std::vector{alone, alone + cycles_a_line});
  CHECK(answers(two_gpcs(64), {0, 2}) == std::vector{alone, alone});
  CHECK(answers(two_gpcs(64), {0, 1}) == std::vector{alone, alone + cycles_a_line});
  CHECK(answers(two_gpcs(64), {0, 1, 2, 3}) == std::vector{alone, alone + cycles_a_line, alone, alone + cycles_a_line});
}

TEST_CASE("shared data passes the GPC's port once and each TPC's") {
  FabricConfig config = two_gpcs(64);
  config.slice_rate = Rate::unlimited();
  config.gpc.read = Rate::per_cycle(line_bytes / cycles_a_line);
  const std::int64_t alone = (l2_hit + back).count() + cycles_a_line - 1;
  const std::int64_t shared = (l2_hit + back).count();
  CHECK(answers(config, {0, 2}) == std::vector{alone, shared});
  config.tpc.read = Rate::per_cycle(line_bytes / cycles_a_line);
  CHECK(answers(config, {0, 2}) == std::vector{alone, alone});
}

TEST_CASE("what is shared is a hit of L2's") {
  Fabric fabric(two_gpcs(64));
  for (const std::int32_t sm : {0, 2}) fabric.receive(read_of(sm));
  fabric.run_until(Cycle(100'000));
  CHECK(fabric.memory().counters().read_sectors == 8);
  CHECK(fabric.memory().counters().hit_sectors == 4);
  CHECK(fabric.memory().counters().coalesced_sectors == 4);
  CHECK(fabric.memory().counters().dram_read_bytes == line_bytes);
}

TEST_CASE("a line twice in a request that has one answer left is answered once and searched for once") {
  FabricConfig config = two_gpcs(64);
  config.coalescer_reads = 2;
  Fabric fabric(config);
  fabric.memory().touch(1);
  Request twice = read_of(2);
  twice.count = 2;
  twice.lines[1] = twice.lines[0];
  fabric.receive(read_of(0));
  fabric.receive(twice);
  fabric.run_until(Cycle(100'000));
  const std::int64_t alone = (Cycle(100) + l2_hit + back).count() + cycles_a_line - 1;
  CHECK(testing::reply_to(fabric, 0).last == Cycle(alone));
  CHECK(testing::reply_to(fabric, 2).last == Cycle(alone + cycles_a_line));
  CHECK(fabric.memory().counters().hit_sectors == 12);
}

TEST_CASE("a line whose other half is asked for first in a request is searched for twice") {
  Fabric fabric(two_gpcs(64));
  fabric.memory().touch(1);
  Request halves = read_of(2);
  halves.count = 2;
  halves.lines[0] = {1, 0xF0};
  halves.lines[1] = {1, half_line};
  Request half = read_of(0);
  half.lines[0] = {1, half_line};
  fabric.receive(half);
  fabric.receive(halves);
  fabric.run_until(Cycle(100'000));
  CHECK(testing::reply_to(fabric, 2).last > testing::reply_to(fabric, 0).last);
  CHECK(fabric.memory().counters().hit_sectors == 6);
}

TEST_CASE("what the coalescer was to answer and does not is found in its partition's copy") {
  FabricConfig config = two_gpcs(64);
  config.topology.partitions = 2;
  config.slices = 2;
  config.coalescer_reads = 2;
  config.l2_far = Cycles(60);
  const std::uint64_t far_line = fabric::AddressMap(2, 1, 2).line_of(1, 0);  // of SMs 0 and 2
  Fabric fabric(config);
  fabric.memory().touch(far_line);
  Request once = read_of(0);
  once.lines[0] = {far_line, whole_line};
  Request twice = read_of(2);
  twice.count = 2;
  twice.lines[0] = twice.lines[1] = once.lines[0];
  fabric.receive(once);
  fabric.receive(twice);
  fabric.run_until(Cycle(100'000));
  // The copy has the line when the first read has it.
  CHECK(testing::reply_to(fabric, 2).last == testing::reply_to(fabric, 0).last);
  CHECK(fabric.memory().links()[0].work() == line_bytes);
}

}  // namespace gpusim::fabric_request_coalescer_test
