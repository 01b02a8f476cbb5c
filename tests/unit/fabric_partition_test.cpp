// Two L2 partitions: near and far, hit and miss, the copy of a far line and what becomes of it.
#include <doctest/doctest.h>

#include "fabric/memory_side.h"

namespace gpusim::fabric_partition_test {

using fabric::FabricConfig;
using fabric::MemorySide;

namespace {

constexpr Cycles l2_hit{40}, l2_miss{15}, dram{300}, far{60};
constexpr std::int32_t near_sm = 0, far_sm = 1;  // of the line at home in partition 0
constexpr std::int64_t slices = 2;               // one a partition

FabricConfig two_partitions() {
  FabricConfig config;
  config.topology = {2, 1, 2, 0, 2};
  config.slices = slices;
  config.slice_rate = config.dram.rate = config.link_rate = config.atomic_rate = Rate::unlimited();
  config.l2_hit = l2_hit;
  config.l2_miss = l2_miss;
  config.l2_far = far;
  config.dram.latency = dram;
  return config;
}

/// The `nth` line at home in partition 0.
std::uint64_t line_at_home(std::uint64_t nth = 0) { return fabric::AddressMap(slices, 1, 2).line_of(0, nth); }

Request of_line(std::int32_t sm, std::uint64_t line, RequestKind kind = RequestKind::read) {
  Request request;
  request.sm = sm;
  request.kind = kind;
  request.count = 1;
  request.lines[0] = {line, 0xFF};
  return request;
}

Cycles latency(MemorySide& memory, std::int32_t sm, std::uint64_t line, Cycle at = Cycle(10'000)) {
  return memory.read(of_line(sm, line), at).last - at;
}

}  // namespace

TEST_CASE("near miss, far miss: the far one takes the way between the partitions on top") {
  MemorySide memory(two_partitions());
  CHECK(latency(memory, near_sm, line_at_home(0)) == l2_miss + dram);
  CHECK(latency(memory, far_sm, line_at_home(1)) == l2_miss + dram + far);
}

TEST_CASE("near hit, far hit, and after the first far hit the copy is as near") {
  MemorySide memory(two_partitions());
  memory.touch(line_at_home());
  CHECK(latency(memory, near_sm, line_at_home()) == l2_hit);
  CHECK(latency(memory, far_sm, line_at_home()) == l2_hit + far);
  CHECK(latency(memory, far_sm, line_at_home(), Cycle(20'000)) == l2_hit);
}

TEST_CASE("a far hit reads no memory, and its sectors count as hits") {
  MemorySide memory(two_partitions());
  memory.touch(line_at_home());
  (void)latency(memory, far_sm, line_at_home());
  const fabric::MemoryCounters counters = memory.take_counters();
  CHECK(counters.read_sectors == 4);
  CHECK(counters.hit_sectors == 4);
  CHECK(counters.far_sectors == 4);
  CHECK(counters.dram_read_bytes == 0);
}

TEST_CASE("sectors are far when they are sent for, not where a copy or their home is at hand") {
  MemorySide memory(two_partitions());
  (void)latency(memory, near_sm, line_at_home());
  CHECK(memory.take_counters().far_sectors == 0);
  (void)latency(memory, far_sm, line_at_home());
  CHECK(memory.take_counters().far_sectors == 4);
  (void)latency(memory, far_sm, line_at_home(), Cycle(20'000));
  CHECK(memory.take_counters().far_sectors == 0);
}

TEST_CASE("who asks for a copy on its way waits for it") {
  MemorySide memory(two_partitions());
  memory.touch(line_at_home());
  (void)latency(memory, far_sm, line_at_home());
  // Five cycles later the data is not there yet.
  CHECK(latency(memory, far_sm, line_at_home(), Cycle(10'005)) == l2_hit + far - Cycles(5));
}

TEST_CASE("a write gives up the copy, whoever writes") {
  for (const std::int32_t writer : {near_sm, far_sm}) {
    CAPTURE(writer);
    MemorySide memory(two_partitions());
    memory.touch(line_at_home());
    (void)latency(memory, far_sm, line_at_home());
    memory.write(of_line(writer, line_at_home(), RequestKind::write), Cycle(20'000));
    CHECK(latency(memory, far_sm, line_at_home(), Cycle(30'000)) == l2_hit + far);
  }
}

TEST_CASE("a far write takes half the way there and back") {
  MemorySide memory(two_partitions());
  CHECK(memory.write(of_line(near_sm, line_at_home(), RequestKind::write), Cycle(0)) == Cycle(0));
  CHECK(memory.write(of_line(far_sm, line_at_home(), RequestKind::write), Cycle(0)) == Cycle(0) + far / 2);
}

TEST_CASE("copies take places from lines at home") {
  FabricConfig config = two_partitions();
  config.l2_capacity = Bytes(slices * 2 * line_bytes);  // two lines a partition
  config.l2_ways = 2;
  MemorySide memory(config);
  const std::uint64_t own = fabric::AddressMap(slices, 1, 2).line_of(1, 0);  // at home in the far SM's partition
  CHECK(latency(memory, far_sm, own) == l2_miss + dram);
  CHECK(latency(memory, far_sm, own, Cycle(20'000)) == l2_hit);
  (void)latency(memory, far_sm, line_at_home(0), Cycle(30'000));
  (void)latency(memory, far_sm, line_at_home(1), Cycle(40'000));
  CHECK(latency(memory, far_sm, own, Cycle(50'000)) == l2_miss + dram);
}

TEST_CASE("a copy that makes room is not written back") {
  FabricConfig config = two_partitions();
  config.l2_capacity = Bytes(slices * 2 * line_bytes);
  config.l2_ways = 2;
  MemorySide memory(config);
  for (const std::uint64_t nth : {0, 1, 2, 3}) (void)latency(memory, far_sm, line_at_home(nth));
  CHECK(memory.take_counters().dram_write_bytes == 0);
}

TEST_CASE("what crosses between the partitions does so at the link's rate") {
  FabricConfig config = two_partitions();
  constexpr std::int64_t cycles_a_line = 8;
  config.link_rate = Rate::per_cycle(line_bytes / cycles_a_line);
  MemorySide memory(config);
  for (const std::uint64_t nth : {0, 1, 2}) memory.touch(line_at_home(nth));
  constexpr Cycles first_to_last(cycles_a_line - 1);
  for (const std::int64_t nth : {0, 1, 2})
    CHECK(latency(memory, far_sm, line_at_home(static_cast<std::uint64_t>(nth))) ==
          Cycles(cycles_a_line * nth) + first_to_last + l2_hit + far);
  CHECK(latency(memory, near_sm, line_at_home(0)) == l2_hit);
}

TEST_CASE("a far line takes its turn at the slice of either side") {
  FabricConfig config = two_partitions();
  constexpr std::int64_t cycles_a_line = 2;
  config.slice_rate = Rate::per_cycle(line_bytes / cycles_a_line);
  MemorySide memory(config);
  memory.touch(line_at_home(0));
  memory.touch(line_at_home(1));
  constexpr Cycles first_to_last(cycles_a_line - 1);
  CHECK(latency(memory, near_sm, line_at_home(0)) == first_to_last + l2_hit);
  // The home slice is still busy with the near SM's line.
  CHECK(latency(memory, far_sm, line_at_home(1)) == Cycles(cycles_a_line) + first_to_last + l2_hit + far);
}

TEST_CASE("an atomic goes to the line's home, and gives up the copy") {
  FabricConfig config = two_partitions();
  config.atomic_latency = Cycles(25);
  MemorySide memory(config);
  memory.touch(line_at_home());
  (void)latency(memory, far_sm, line_at_home());
  const Request add = of_line(far_sm, line_at_home(), RequestKind::atomic_get);
  CHECK(memory.atomic(add, Cycle(20'000)).last == Cycle(20'000) + l2_hit + far + config.atomic_latency);
  CHECK(latency(memory, far_sm, line_at_home(), Cycle(30'000)) == l2_hit + far);
}

}  // namespace gpusim::fabric_partition_test
