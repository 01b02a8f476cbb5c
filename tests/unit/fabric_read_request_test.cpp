// A request of many lines at L2: each line finds what it would find alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "fabric/memory_side.h"

namespace gpusim::fabric_read_request_test {

using fabric::FabricConfig;
using fabric::MemorySide;

namespace {

enum class Cache { none, small, unlimited };

/// Nothing is limited but the lines that L2 holds, so that lines do not wait for each other.
FabricConfig config_of(Cache cache, std::int64_t partitions) {
  FabricConfig config;
  config.topology = {4, 1, 2, 0, partitions};
  config.slices = 4;
  config.has_l2 = cache != Cache::none;
  if (cache == Cache::small) config.l2_capacity = Bytes(4 * 6 * line_bytes);
  config.l2_ways = 3;
  config.slice_rate = config.slice_write_rate = config.dram.rate = config.link_rate = Rate::unlimited();
  config.l2_hit = Cycles(40);
  config.l2_miss = Cycles(15);
  config.l2_far = Cycles(60);
  config.dram.latency = Cycles(300);
  return config;
}

struct Seen {
  Cycle first = Cycle::never();
  Cycle last;
  std::int64_t sectors = 0;
  bool operator==(const Seen&) const = default;
};

Seen read_alone(MemorySide& memory, const Request& request, Cycle at) {
  Seen seen;
  for (const LineChunks& line : request.used_lines()) {
    Request one = request;
    one.count = 1;
    one.lines[0] = line;
    const MemorySide::Served served = memory.read(one, at);
    seen.first = std::min(seen.first, served.first);
    seen.last = std::max(seen.last, served.last);
    seen.sectors += served.sectors;
  }
  return seen;
}

void check_same(const fabric::MemoryCounters& a, const fabric::MemoryCounters& b) {
  CHECK(a.read_sectors == b.read_sectors);
  CHECK(a.hit_sectors == b.hit_sectors);
  CHECK(a.far_sectors == b.far_sectors);
  CHECK(a.dram_read_bytes == b.dram_read_bytes);
  CHECK(a.dram_write_bytes == b.dram_write_bytes);
}

}  // namespace

TEST_CASE("lines of one request, near and far, whole, in parts and twice, find what requests of one line find") {
  for (const Cache cache : {Cache::none, Cache::small, Cache::unlimited})
    for (const std::int64_t partitions : {1, 2}) {
      CAPTURE(static_cast<int>(cache));
      CAPTURE(partitions);
      MemorySide together(config_of(cache, partitions));
      MemorySide alone(config_of(cache, partitions));
      std::mt19937 random(static_cast<unsigned>(partitions));
      std::int64_t at = 1000;
      for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        at += static_cast<std::int64_t>(random() % 3 == 0 ? random() % 400 : random() % 20);
        Request request;
        request.sm = static_cast<std::int32_t>(random() % 4);
        request.kind = random() % 4 == 0 ? RequestKind::read_lines : RequestKind::read;
        request.count = static_cast<std::int16_t>(1 + random() % max_burst);
        const bool is_whole = random() % 2 == 0;
        for (LineChunks& line : request.lines)
          line = {random() % 60, static_cast<std::uint8_t>(is_whole ? whole_line : 1 + random() % whole_line)};
        if (random() % 4 == 0) {
          request.kind = RequestKind::write;
          CHECK(together.write(request, Cycle(at)) == alone.write(request, Cycle(at)));
          continue;
        }
        const MemorySide::Served served = together.read(request, Cycle(at));
        CHECK(Seen{served.first, served.last, served.sectors} == read_alone(alone, request, Cycle(at)));
      }
      check_same(together.counters(), alone.counters());
      if (cache != Cache::none) CHECK(together.counters().hit_sectors > 0);
      CHECK((together.counters().far_sectors > 0) == (partitions == 2 && cache != Cache::none));
    }
}

}  // namespace gpusim::fabric_read_request_test
