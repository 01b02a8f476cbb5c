// One channel of device memory: rows, banks, bus, refresh, and the turns between reads and writes.
#include <doctest/doctest.h>

#include <vector>

#include "fabric/dram_channel.h"

namespace gpusim::fabric_dram_channel_test {

using fabric::DramChannel;
using fabric::DramConfig;

namespace {

constexpr Cycles latency{300}, row_miss{40}, row_cycle{70};
constexpr std::uint64_t row_lines = 8;
constexpr std::int64_t line = 128;

/// One bank; latencies alone.
DramConfig one_bank() {
  DramConfig config;
  config.rate = Rate::unlimited();
  config.latency = latency;
  config.row_lines = row_lines;
  config.row_miss = row_miss;
  config.row_cycle = row_cycle;
  return config;
}

/// A bus that takes a line in `cycles_a_line`.
constexpr std::int64_t cycles_a_line = 4;
DramConfig with_bus(DramConfig config) {
  config.rate = Rate::per_cycle(line / cycles_a_line);
  return config;
}

/// A line of a channel whose banks are in four groups: consecutive lines go to the groups in turn.
std::uint64_t in_group(std::uint64_t group, std::uint64_t row, std::uint64_t column = 0) {
  return (row * row_lines + column) * 4 + group;
}

Cycles total(const DramChannel::Served& served) { return served.required + served.waiting; }

constexpr Cycles first_to_last(cycles_a_line - 1);

}  // namespace

TEST_CASE("a read that opens a row takes the whole latency, one of the open row is quicker by the row miss") {
  DramChannel channel(one_bank(), 0, 1);
  CHECK(total(channel.read(Cycle(0), 0, line)) == latency);
  CHECK(total(channel.read(Cycle(1000), 1, line)) == latency - row_miss);
  CHECK(total(channel.read(Cycle(2000), row_lines, line)) == latency);
  CHECK(channel.row_hits() == 1);
  CHECK(channel.row_misses() == 2);
}

TEST_CASE("a hit on a row that is being opened waits until it is open") {
  DramChannel channel(one_bank(), 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  const DramChannel::Served second = channel.read(Cycle(10), 1, line);
  CHECK(second.required == latency - row_miss);
  CHECK(second.waiting == row_miss - Cycles(10));
}

TEST_CASE("a bank opens its next row no sooner than the row cycle allows") {
  DramChannel channel(one_bank(), 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  const DramChannel::Served next = channel.read(Cycle(5), row_lines, line);
  CHECK(next.required == latency);
  CHECK(next.waiting == row_cycle - Cycles(5));
}

TEST_CASE("a row whose turn in its bank is not over is still a hit") {
  DramChannel channel(one_bank(), 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  (void)channel.read(Cycle(0), row_lines, line);  // opens at the row cycle
  CHECK(channel.read(Cycle(50), 1, line).required == latency - row_miss);
  CHECK(channel.read(Cycle(row_cycle.count()), 2, line).required == latency);
}

TEST_CASE("rows of different banks do not wait for each other") {
  DramConfig config = one_bank();
  config.banks = 16;
  DramChannel channel(config, 0, 1);
  for (std::uint64_t bank = 0; bank < 4; ++bank)
    for (std::uint64_t row = 0; row < 4; ++row)
      CHECK(total(channel.read(Cycle(0), in_group(bank, row), line)) == latency);
  CHECK(channel.row_misses() == 16);
}

TEST_CASE("lines follow each other on the bus at its rate") {
  DramChannel channel(with_bus(one_bank()), 0, 1);
  for (std::uint64_t i = 0; i < row_lines; ++i)
    CHECK(total(channel.read(Cycle(0), i, line)) ==
          latency + Cycles(cycles_a_line * static_cast<std::int64_t>(i)) + first_to_last);
}

TEST_CASE("while one bank opens a row, hits of another fill the bus: row hits first") {
  DramConfig config = with_bus(one_bank());
  config.banks = 4;
  DramChannel channel(config, 0, 1);
  for (std::uint64_t bank = 0; bank < 4; ++bank) (void)channel.read(Cycle(0), in_group(bank, 0), line);
  (void)channel.read(Cycle(1000), in_group(0, 1), line);  // opens a row: on the bus at 1000 + row_miss
  const auto hit = [&](std::int64_t i) {
    return channel.read(Cycle(1000), in_group(1 + static_cast<std::uint64_t>(i % 2), 0, 1), line);
  };
  constexpr std::int64_t before = row_miss.count() / cycles_a_line;
  for (std::int64_t i = 0; i < before; ++i) {
    CAPTURE(i);
    const DramChannel::Served served = hit(i);
    CHECK(served.required == latency - row_miss);
    CHECK(served.waiting == Cycles(cycles_a_line * i) + first_to_last);
  }
  // What the gap before the opened row no longer holds comes after it.
  CHECK(hit(before).waiting == row_miss + Cycles(cycles_a_line) + first_to_last);
}

TEST_CASE("one bank whose columns take twice the bus's time fills half of the bus, two fill it") {
  DramConfig config = with_bus(one_bank());
  config.banks = 4;
  config.column_percent = 200;
  constexpr std::int64_t lines = 8;
  for (const std::uint64_t banks : {1, 2}) {
    CAPTURE(banks);
    DramChannel channel(config, 0, 1);
    for (std::uint64_t bank = 0; bank < banks; ++bank) (void)channel.read(Cycle(0), in_group(bank, 0), line);
    DramChannel::Served last;
    for (std::uint64_t i = 0; i < lines; ++i) last = channel.read(Cycle(1000), in_group(i % banks, 0, 1), line);
    CHECK(last.waiting == Cycles((lines - 1) * cycles_a_line * (banks == 1 ? 2 : 1)) + first_to_last);
  }
}

TEST_CASE("a refresh takes the bus, and channels take it in turn") {
  DramConfig config = with_bus(one_bank());
  config.refresh = Cycles(50);
  config.refresh_interval = Cycles(1000);
  DramChannel first(config, 0, 2), second(config, 1, 2);
  CHECK(first.read(Cycle(2000 - row_miss.count() + 10), 0, line).waiting == Cycles(50 - 10) + first_to_last);
  CHECK(second.read(Cycle(2000 - row_miss.count() + 10), 0, line).waiting == first_to_last);
  CHECK(second.read(Cycle(2500 + 10), 1, line).waiting == Cycles(50 - 10) + first_to_last);
}

TEST_CASE("over many refreshes the bus loses their share of the time") {
  DramConfig config = with_bus(one_bank());
  config.refresh = Cycles(50);
  config.refresh_interval = Cycles(1000);
  DramChannel channel(config, 0, 1);
  constexpr std::int64_t lines = 10'000;
  Cycle last;
  for (std::int64_t i = 0; i < lines; ++i) last = Cycle(0) + total(channel.read(Cycle(0), 0, line));
  const double expected = static_cast<double>(lines * cycles_a_line) / (1 - 50.0 / 1000);
  CHECK(static_cast<double>((last - Cycle(0)).count()) == doctest::Approx(expected).epsilon(0.02));
}

TEST_CASE("writes are collected, and go out together after one turn of the bus") {
  DramConfig config = with_bus(one_bank());
  config.turnaround = Cycles(30);
  config.write_batch = 4;
  DramChannel channel(config, 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  const Cycle bus_free(row_miss.count() + cycles_a_line);
  for (int i = 0; i < 3; ++i) CHECK(channel.write(Cycle(1), 1, line) == bus_free);
  CHECK(channel.write(Cycle(1), 1, line) == bus_free + Cycles(4 * cycles_a_line) + config.turnaround);
}

TEST_CASE("check bytes in line are read, changed and written with what is written") {
  DramConfig config = with_bus(one_bank());
  config.check_percent = 100;  // the rate has them once already, beside the data
  DramChannel channel(config, 0, 1);
  CHECK(channel.write(Cycle(0), 0, line) == Cycle(cycles_a_line * 3 / 2));
}

TEST_CASE("writes after writes need no turn") {
  DramConfig config = with_bus(one_bank());
  config.turnaround = Cycles(30);
  DramChannel channel(config, 0, 1);
  CHECK(channel.write(Cycle(0), 0, line) == Cycle(cycles_a_line));
  CHECK(channel.write(Cycle(0), 0, line) == Cycle(2 * cycles_a_line));
}

TEST_CASE("lines of one row are written together, those of a bank's many rows a row cycle apart") {
  DramConfig config = with_bus(one_bank());
  config.write_batch = 4;
  DramChannel together(config, 0, 1), apart(config, 0, 1);
  Cycle written_together, written_apart;
  for (std::uint64_t i = 0; i < 4; ++i) {
    written_together = together.write(Cycle(0), i, line);
    written_apart = apart.write(Cycle(0), i * row_lines, line);
  }
  CHECK(written_together == Cycle(4 * cycles_a_line));
  CHECK(written_apart == Cycle(3 * row_cycle.count() + cycles_a_line));
  CHECK(together.row_misses() == 1);
  CHECK(apart.row_misses() == 4);
}

TEST_CASE("rows of many banks are opened for writes as fast as the channel may open them") {
  DramConfig config = with_bus(one_bank());
  config.banks = 16;
  config.write_batch = 4;
  config.activate = Rate::ratio(1, 25);
  DramChannel channel(config, 0, 1);
  Cycle written;
  for (std::uint64_t group = 0; group < 4; ++group) written = channel.write(Cycle(0), in_group(group, 0), line);
  CHECK(written == Cycle(3 * 25 + cycles_a_line));
}

TEST_CASE("a write closes the row that reads had open in its bank") {
  DramConfig config = with_bus(one_bank());
  DramChannel channel(config, 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  (void)channel.write(Cycle(1000), row_lines, line);
  (void)channel.read(Cycle(2000), 1, line);
  CHECK(channel.row_hits() == 0);
  CHECK(channel.row_misses() == 3);
}

TEST_CASE("the next read waits for the batch and its turn") {
  DramConfig config = with_bus(one_bank());
  config.turnaround = Cycles(30);
  config.write_batch = 4;
  DramChannel channel(config, 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  Cycle written;
  for (int i = 0; i < 4; ++i) written = channel.write(Cycle(1000), 1, line);
  CHECK(channel.read(Cycle(1000), 1, line).waiting == written - Cycle(1000) + first_to_last);
}

TEST_CASE("rows of a channel are opened no faster than it may open them, whatever their banks") {
  DramConfig config = one_bank();
  config.banks = 16;
  config.activate = Rate::ratio(1, 25);
  DramChannel channel(config, 0, 1);
  CHECK(channel.read(Cycle(0), in_group(0, 0), line).waiting == Cycles(0));
  CHECK(channel.read(Cycle(0), in_group(1, 0), line).waiting == Cycles(25));
  CHECK(channel.read(Cycle(0), in_group(2, 0), line).waiting == Cycles(50));
}

TEST_CASE("hits open no row and wait for none") {
  DramConfig config = one_bank();
  config.banks = 16;
  config.activate = Rate::ratio(1, 1000);
  DramChannel channel(config, 0, 1);
  (void)channel.read(Cycle(0), in_group(0, 0), line);
  CHECK(channel.read(Cycle(100), in_group(0, 0, 1), line).waiting == Cycles(0));
}

TEST_CASE("where two groups take turns, lines two apart are in one row until it is full") {
  DramConfig config = one_bank();
  config.banks = 4;
  config.interleaved_groups = 2;
  DramChannel channel(config, 0, 1);
  (void)channel.read(Cycle(0), 0, line);
  const Cycle later(1000);
  CHECK(total(channel.read(later, 2, line)) == latency - row_miss);
  CHECK(total(channel.read(later, 2 * (row_lines - 1), line)) == latency - row_miss);
  CHECK(total(channel.read(later, 1, line)) == latency);              // its neighbour's row, of the other group
  CHECK(total(channel.read(later, 2 * row_lines, line)) == latency);  // of the third
}

TEST_CASE("where two groups take turns, rows a power of two apart lie in all banks of all groups all the same") {
  DramConfig config = one_bank();
  config.banks = 16;
  config.interleaved_groups = 2;
  for (const std::uint64_t apart : {1, 2, 4, 16}) {
    DramChannel channel(config, 0, 1);
    for (std::uint64_t row = 0; row < 16; ++row) {
      CAPTURE(apart);
      CAPTURE(row);
      CHECK(total(channel.read(Cycle(0), row * apart * 2 * 2 * row_lines, line)) == latency);
    }
  }
}

TEST_CASE("banks that make no groups of four take neighbouring rows, not neighbouring lines") {
  DramConfig config = one_bank();
  config.banks = 6;
  DramChannel channel(config, 0, 1);
  for (std::uint64_t row = 0; row < 6; ++row) CHECK(total(channel.read(Cycle(0), row * row_lines, line)) == latency);
  for (std::uint64_t row = 0; row < 6; ++row)
    CHECK(total(channel.read(Cycle(1000), row * row_lines + 1, line)) == latency - row_miss);
  CHECK(channel.row_misses() == 6);
}

TEST_CASE("a bus whose cycle has many parts is as punctual after a day as at first") {
  DramConfig config = one_bank();
  config.rate = Rate::ratio(33'523, 1'980);  // 16.9 bytes a cycle: a line takes eight
  const auto waits = [&](Cycle from) {
    DramChannel channel(config, 0, 1);
    (void)channel.read(from, 0, line);
    std::vector<Cycles> cycles;
    for (std::uint64_t i = 1; i < 5; ++i) cycles.push_back(channel.read(from + Cycles(1000), i, line).waiting);
    return cycles;
  };
  const std::vector<Cycles> first = waits(Cycle(0));
  CHECK(first.back() > first.front());
  CHECK(waits(Cycle(100'000'000'000)) == first);
}

}  // namespace gpusim::fabric_dram_channel_test
