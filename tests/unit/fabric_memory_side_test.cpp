// L2 slices and DRAM channels alone: what hits, what is read and written back, and when it is there.
#include <doctest/doctest.h>

#include "fabric/memory_side.h"

namespace gpusim::fabric_memory_side_test {

using fabric::FabricConfig;
using fabric::MemorySide;

namespace {

constexpr Cycles l2_hit{40}, l2_miss{15}, dram{300};

/// One slice of one set of two lines, one channel, nothing limited but that.
FabricConfig two_lines() {
  FabricConfig config;
  config.l2_capacity = Bytes(2 * line_bytes);
  config.l2_ways = 2;
  config.slice_rate = config.dram.rate = config.link_rate = config.atomic_rate = Rate::unlimited();
  config.l2_hit = l2_hit;
  config.l2_miss = l2_miss;
  config.dram.latency = dram;
  return config;
}

Request of_line(std::uint64_t line, unsigned chunks = whole_line, RequestKind kind = RequestKind::read) {
  Request request;
  request.kind = kind;
  request.count = 1;
  request.lines[0] = {line, static_cast<std::uint8_t>(chunks)};
  return request;
}
Request write_of(std::uint64_t line, unsigned chunks = whole_line) { return of_line(line, chunks, RequestKind::write); }

}  // namespace

TEST_CASE("a miss costs the way through the slice and DRAM, a hit the slice alone") {
  MemorySide memory(two_lines());
  const auto miss = memory.read(of_line(1), Cycle(100));
  CHECK(miss.last == Cycle(100) + l2_miss + dram);
  CHECK(miss.l2.latency == l2_miss);
  CHECK(miss.dram.latency == dram);
  const auto hit = memory.read(of_line(1), Cycle(1000));
  CHECK(hit.last == Cycle(1000) + l2_hit);
  CHECK(hit.dram.latency == Cycles(0));
  const auto counters = memory.take_counters();
  CHECK(counters.read_sectors == 4 + 4);
  CHECK(counters.hit_sectors == 4);
  CHECK(counters.dram_read_bytes == line_bytes);
}

TEST_CASE("a second miss waits for the first and reads nothing") {
  MemorySide memory(two_lines());
  const Cycle first = memory.read(of_line(1), Cycle(100)).last;
  const auto second = memory.read(of_line(1), Cycle(110));
  CHECK(second.last == first);
  CHECK(second.dram.waiting == first - (Cycle(110) + l2_hit));
  CHECK(memory.take_counters().dram_read_bytes == line_bytes);
}

TEST_CASE("a read of whole lines brings the rest of its line, and counts what it was asked for") {
  MemorySide memory(two_lines());
  memory.read(of_line(1, 0x03, RequestKind::read_lines), Cycle(0));
  const auto first = memory.take_counters();
  CHECK(first.dram_read_bytes == line_bytes);
  CHECK(first.read_sectors == 1);
  CHECK(first.hit_sectors == 0);
  memory.read(of_line(1, 0x0C), Cycle(1000));
  const auto second = memory.take_counters();
  CHECK(second.dram_read_bytes == 0);
  CHECK(second.hit_sectors == 1);
}

TEST_CASE("only the sectors asked for are read, each once") {
  MemorySide memory(two_lines());
  memory.read(of_line(1, 0x01), Cycle(0));  // one chunk: its sector
  CHECK(memory.take_counters().dram_read_bytes == sector_bytes);
  memory.read(of_line(1, 0x0F), Cycle(1000));
  const auto counters = memory.take_counters();
  CHECK(counters.read_sectors == 2);
  CHECK(counters.hit_sectors == 1);
  CHECK(counters.dram_read_bytes == sector_bytes);
}

TEST_CASE("DRAM brings the pieces of a line in which sectors were asked for, L2's slices what was asked for") {
  struct Fetch {
    std::int64_t fetch_bytes;
    unsigned chunks;
    std::int64_t brought;
  };
  for (const Fetch& each : {Fetch{32, 0x10, 32}, {64, 0x10, 64}, {64, 0x18, 128}, {64, 0x0F, 64}, {128, 0x10, 128}}) {
    FabricConfig config = two_lines();
    config.fetch_bytes = each.fetch_bytes;
    MemorySide memory(config);
    memory.read(of_line(1, each.chunks), Cycle(0));
    CHECK(memory.take_counters().dram_read_bytes == each.brought);
    memory.read(of_line(1, each.chunks ^ whole_line), Cycle(1000));
    CHECK(memory.take_counters().dram_read_bytes == line_bytes - each.brought);
  }
}

TEST_CASE("a neighbour that comes along completes what was written of its sector, and is written back with it") {
  FabricConfig config = two_lines();
  config.fetch_bytes = 64;
  MemorySide memory(config);
  memory.write(write_of(1, 0x40), Cycle(0));
  memory.read(of_line(1, 0x10), Cycle(100));
  CHECK(memory.take_counters().dram_read_bytes == 64);
  memory.read(of_line(1, 0x80), Cycle(1000));
  CHECK(memory.take_counters().dram_read_bytes == 0);
  memory.read(of_line(3), Cycle(2000));
  memory.read(of_line(5), Cycle(3000));  // makes room
  CHECK(memory.take_counters().dram_write_bytes == sector_bytes);
}

TEST_CASE("a write reads nothing and stays in L2") {
  MemorySide memory(two_lines());
  CHECK(memory.write(write_of(1), Cycle(10)) == Cycle(10));
  CHECK(memory.read(of_line(1), Cycle(1000)).last == Cycle(1000) + l2_hit);
  const auto counters = memory.take_counters();
  CHECK(counters.write_sectors == 4);
  CHECK(counters.hit_sectors == 4);
  CHECK(counters.dram_read_bytes == 0);
  CHECK(counters.dram_write_bytes == 0);
}

TEST_CASE("a written line goes to DRAM when it makes room, a clean one does not") {
  MemorySide memory(two_lines());
  memory.write(write_of(1), Cycle(0));
  memory.read(of_line(2), Cycle(0));
  (void)memory.take_counters();
  memory.read(of_line(3), Cycle(1000));  // in place of 1
  CHECK(memory.take_counters().dram_write_bytes == line_bytes);
  memory.read(of_line(4), Cycle(2000));  // in place of 2
  CHECK(memory.take_counters().dram_write_bytes == 0);
}

TEST_CASE("what an earlier kernel wrote goes to DRAM when it makes room, what it read does not") {
  for (const bool is_dirty : {false, true}) {
    MemorySide memory(two_lines());
    memory.touch(1, is_dirty);
    memory.read(of_line(2), Cycle(0));
    memory.read(of_line(3), Cycle(1000));
    CHECK(memory.take_counters().dram_write_bytes == (is_dirty ? line_bytes : 0));
  }
}

TEST_CASE("a line is written back once") {
  MemorySide memory(two_lines());
  memory.write(write_of(1), Cycle(0));
  for (const std::uint64_t line : {2, 3, 4, 1, 5, 6}) memory.read(of_line(line), Cycle(1000 * static_cast<int>(line)));
  CHECK(memory.take_counters().dram_write_bytes == line_bytes);
}

TEST_CASE("written sectors alone are written back") {
  MemorySide memory(two_lines());
  memory.write(write_of(1, 0x03), Cycle(0));  // both chunks of sector 0
  memory.read(of_line(2), Cycle(1000));
  memory.read(of_line(3), Cycle(2000));
  const auto counters = memory.take_counters();
  CHECK(counters.dram_write_bytes == sector_bytes);
  CHECK(counters.dram_read_bytes == 2 * line_bytes);
}

TEST_CASE("a sector written in part is read before it is written back") {
  MemorySide memory(two_lines());
  memory.write(write_of(1, 0x01), Cycle(0));  // half of sector 0
  memory.read(of_line(2), Cycle(1000));
  memory.read(of_line(3), Cycle(2000));
  const auto counters = memory.take_counters();
  CHECK(counters.dram_write_bytes == sector_bytes);
  CHECK(counters.dram_read_bytes == 2 * line_bytes + sector_bytes);
}

TEST_CASE("reading a sector written in part fetches it, and then it is whole") {
  MemorySide memory(two_lines());
  memory.write(write_of(1, 0x01), Cycle(0));
  memory.read(of_line(1, 0x03), Cycle(100));
  CHECK(memory.take_counters().dram_read_bytes == sector_bytes);
  memory.read(of_line(2), Cycle(1000));
  memory.read(of_line(3), Cycle(2000));
  const auto counters = memory.take_counters();
  CHECK(counters.dram_write_bytes == sector_bytes);
  CHECK(counters.dram_read_bytes == 2 * line_bytes);
}

TEST_CASE("a touched line is there before the run") {
  MemorySide memory(two_lines());
  memory.touch(1);
  CHECK(memory.read(of_line(1), Cycle(0)).last == Cycle(0) + l2_hit);
  CHECK(memory.take_counters().dram_read_bytes == 0);
}

TEST_CASE("without L2 every read and write goes to DRAM") {
  FabricConfig config = two_lines();
  config.has_l2 = false;
  MemorySide memory(config);
  for (int i = 0; i < 2; ++i) CHECK(memory.read(of_line(1), Cycle(10)).last == Cycle(10) + l2_miss + dram);
  memory.write(write_of(1, 0x01), Cycle(0));
  const auto counters = memory.take_counters();
  CHECK(counters.dram_read_bytes == 2 * line_bytes);
  CHECK(counters.dram_write_bytes == sector_bytes);
  CHECK(counters.hit_sectors == 0);
}

TEST_CASE("a slice and a channel serve at their rates") {
  FabricConfig config = two_lines();
  config.slice_rate = Rate::per_cycle(64);
  config.dram.rate = Rate::per_cycle(16);
  MemorySide memory(config);
  constexpr Cycles slice{line_bytes / 64}, channel{line_bytes / 16};
  // The last of a line comes a line's time after the first of it would, less the cycle that counts already.
  const Cycles first = slice - Cycles(1) + l2_miss + channel - Cycles(1) + dram;
  CHECK(memory.read(of_line(1), Cycle(0)).last == Cycle(0) + first);
  CHECK(memory.read(of_line(2), Cycle(0)).last == Cycle(0) + first + channel);
}

TEST_CASE("a line takes a lookup of its slice, however few of its sectors are asked for") {
  FabricConfig config = two_lines();
  config.slice_rate = Rate::per_cycle(32);
  const auto last_of_two = [&](std::int64_t least, unsigned chunks) {
    config.slice_request_bytes = least;
    MemorySide memory(config);
    (void)memory.write(write_of(1, chunks), Cycle(0));
    return memory.write(write_of(1, chunks), Cycle(0));
  };
  constexpr unsigned sector = 0x03;
  CHECK(last_of_two(0, sector) == Cycle(2 - 1));
  CHECK(last_of_two(64, sector) == Cycle(2));  // the second begins when the first's lookup is done
  CHECK(last_of_two(64, whole_line) == last_of_two(0, whole_line));
}

TEST_CASE("written bytes take their share of a slice, and its narrower way for them") {
  FabricConfig config = two_lines();
  config.slice_rate = Rate::per_cycle(64);
  config.slice_write_rate = Rate::per_cycle(32);
  MemorySide memory(config);
  constexpr Cycles of_slice{line_bytes / 64}, of_writes{line_bytes / 32};
  CHECK(memory.write(write_of(1), Cycle(0)) == Cycle(0) + of_writes - Cycles(1));
  CHECK(memory.write(write_of(1), Cycle(0)) == Cycle(0) + of_writes * 2 - Cycles(1));
  // A read waits for what both took of the slice alone.
  CHECK(memory.read(of_line(1), Cycle(0)).last == Cycle(0) + of_slice * 3 - Cycles(1) + l2_hit);
  config.slice_write_rate = config.slice_rate;
  CHECK(MemorySide(config).write(write_of(1), Cycle(0)) == Cycle(0) + of_slice - Cycles(1));
}

TEST_CASE("a request's receipt is its last line's, and its data begins with its first") {
  FabricConfig config = two_lines();
  config.l2_capacity = Limited<Bytes>::unlimited();
  config.slice_rate = Rate::per_cycle(line_bytes);
  MemorySide memory(config);
  Request request = of_line(1);
  request.count = 3;
  for (std::uint64_t i = 0; i < 3; ++i) request.lines[i] = {1 + i, static_cast<std::uint8_t>(whole_line)};
  const auto served = memory.read(request, Cycle(0));
  CHECK(served.first == Cycle(0) + l2_miss + dram);
  CHECK(served.last == Cycle(0) + Cycles(2) + l2_miss + dram);
  CHECK(served.l2.waiting == Cycles(2));
  CHECK(served.sectors == 3 * 4);
}

TEST_CASE("an unlimited L2 keeps every line") {
  FabricConfig config = two_lines();
  config.l2_capacity = Limited<Bytes>::unlimited();
  MemorySide memory(config);
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t line = 0; line < 1000; ++line) memory.read(of_line(line), Cycle(pass * 1000));
  CHECK(memory.take_counters().dram_read_bytes == 1000 * line_bytes);
}

}  // namespace gpusim::fabric_memory_side_test
