// Atomics at L2: their latency, the rate of a slice's unit, and the line they change.
#include <doctest/doctest.h>

#include "fabric/memory_side.h"

namespace gpusim::fabric_atomic_test {

using fabric::FabricConfig;
using fabric::MemorySide;

namespace {

constexpr Cycles l2_hit{40}, l2_miss{15}, dram{300}, atomic_latency{25};
constexpr unsigned one_sector = 0x03;

FabricConfig one_slice() {
  FabricConfig config;
  config.slice_rate = config.dram.rate = config.link_rate = config.atomic_rate = Rate::unlimited();
  config.l2_hit = l2_hit;
  config.l2_miss = l2_miss;
  config.dram.latency = dram;
  config.atomic_latency = atomic_latency;
  return config;
}

Request add(std::uint64_t line, unsigned chunks = one_sector) {
  Request request;
  request.kind = RequestKind::atomic_get;
  request.count = 1;
  request.lines[0] = {line, static_cast<std::uint8_t>(chunks)};
  return request;
}

}  // namespace

TEST_CASE("an atomic takes its latency beyond a load's, hit or miss") {
  MemorySide memory(one_slice());
  CHECK(memory.atomic(add(1), Cycle(0)).last == Cycle(0) + l2_miss + dram + atomic_latency);
  CHECK(memory.atomic(add(1), Cycle(1000)).last == Cycle(1000) + l2_hit + atomic_latency);
}

TEST_CASE("a slice works on sectors with atomics at its unit's rate") {
  FabricConfig config = one_slice();
  constexpr std::int64_t cycles_a_sector = 5;
  config.atomic_rate = Rate::one_every(cycles_a_sector);
  MemorySide memory(config);
  memory.touch(1);
  memory.touch(2);
  constexpr Cycles first_to_last(cycles_a_sector - 1);
  CHECK(memory.atomic(add(1), Cycle(0)).last == Cycle(0) + first_to_last + l2_hit + atomic_latency);
  CHECK(memory.atomic(add(2), Cycle(0)).last ==
        Cycle(0) + Cycles(cycles_a_sector) + first_to_last + l2_hit + atomic_latency);
  CHECK(memory.atomic(add(1, whole_line), Cycle(1000)).last ==
        Cycle(1000) + Cycles(4 * cycles_a_sector - 1) + l2_hit + atomic_latency);
}

TEST_CASE("an atomic's sector is one of those that a slice can write") {
  FabricConfig config = one_slice();
  config.slice_write_rate = Rate::per_cycle(8);
  MemorySide memory(config);
  memory.touch(1);
  CHECK(memory.atomic(add(1), Cycle(0)).last == Cycle(0) + Cycles(sector_bytes / 8 - 1) + l2_hit + atomic_latency);
}

TEST_CASE("a load does not wait for the unit of the atomics") {
  FabricConfig config = one_slice();
  config.atomic_rate = Rate::one_every(100);
  MemorySide memory(config);
  memory.touch(1);
  (void)memory.atomic(add(1), Cycle(0));
  Request load = add(1);
  load.kind = RequestKind::read;
  CHECK(memory.read(load, Cycle(0)).last == Cycle(0) + l2_hit);
}

TEST_CASE("an atomic that returns a value reads and writes its sectors, one that does not only writes them") {
  for (const bool returns : {true, false}) {
    CAPTURE(returns);
    MemorySide memory(one_slice());
    memory.touch(1);
    Request request = add(1);
    request.kind = returns ? RequestKind::atomic_get : RequestKind::atomic;
    (void)memory.atomic(request, Cycle(0));
    const fabric::MemoryCounters counters = memory.take_counters();
    CHECK(counters.read_sectors == (returns ? 1 : 0));
    CHECK(counters.hit_sectors == counters.read_sectors);
    CHECK(counters.write_sectors == 1);
  }
}

TEST_CASE("what an atomic changed is written back") {
  FabricConfig config = one_slice();
  config.l2_capacity = Bytes(line_bytes);
  config.l2_ways = 1;
  MemorySide memory(config);
  (void)memory.atomic(add(1), Cycle(0));
  Request other = add(2);
  other.kind = RequestKind::read;
  (void)memory.read(other, Cycle(1000));
  CHECK(memory.take_counters().dram_write_bytes == sector_bytes);
}

TEST_CASE("without L2 an atomic reads memory and writes it") {
  FabricConfig config = one_slice();
  config.has_l2 = false;
  MemorySide memory(config);
  CHECK(memory.atomic(add(1), Cycle(0)).last == Cycle(0) + l2_miss + dram + atomic_latency);
  const fabric::MemoryCounters counters = memory.take_counters();
  CHECK(counters.dram_read_bytes == sector_bytes);
  CHECK(counters.dram_write_bytes == sector_bytes);
}

}  // namespace gpusim::fabric_atomic_test
