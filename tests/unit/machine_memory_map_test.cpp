// Where buffers lie, and what L2 is told to hold of them.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "machine/memory_map.h"

namespace gpusim::machine_memory_map_test {

using machine::MemoryMap;

namespace {

Schedule with_buffers(std::vector<Buffer> buffers) {
  Schedule schedule;
  schedule.name = "s";
  schedule.buffers = std::move(buffers);
  return schedule;
}

const Buffer a{"A", 3, 5, 8, DType::fp32};  // 96 bytes
const Buffer b{"B", 100, 64, 64, DType::fp16};

std::string refusal(const std::vector<Schedule>& schedules, const RunOptions& options) {
  try {
    const MemoryMap map(schedules, options);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("buffers lie one after another and do not share a line") {
  const std::vector<Schedule> schedules{with_buffers({a, b})};
  const MemoryMap map(schedules, {});
  CHECK(map.address_of("A") == 0);
  CHECK(map.address_of("B") % 512 == 0);
  CHECK(map.address_of("B") >= size_of(a).count());
  CHECK(map.bytes() >= map.address_of("B") + size_of(b).count());
}

TEST_CASE("buffers of equal name are the same memory in every schedule of a run") {
  const std::vector<Schedule> schedules{with_buffers({a, b}), with_buffers({b, a})};
  const MemoryMap map(schedules, {});
  CHECK(map.regions().size() == 2);
  CHECK(map.regions()[0].name == "A");
}

TEST_CASE("a buffer may not have another shape later in the run") {
  Buffer larger = a;
  larger.rows = 4;
  CHECK(refusal({with_buffers({a}), with_buffers({larger})}, {}).find("buffer A has another shape") !=
        std::string::npos);
}

TEST_CASE("a buffer's own state in L2 wins over the run's") {
  RunOptions options;
  options.l2 = L2State::warm;
  options.l2_by_buffer["B"] = L2State::cold;
  const std::vector<Schedule> schedules{with_buffers({a, b})};
  const MemoryMap map(schedules, options);
  CHECK(map.regions()[0].before == L2State::warm);
  CHECK(map.regions()[1].before == L2State::cold);
}

TEST_CASE("a state for a buffer nobody has is refused, naming those there are") {
  RunOptions options;
  options.l2_by_buffer["X"] = L2State::warm;
  const std::string message = refusal({with_buffers({a, b})}, options);
  CHECK(message.find("no buffer is called X") != std::string::npos);
  CHECK(message.find("A, B") != std::string::npos);
}

TEST_CASE("the rows of a linear buffer lie a pitch apart") {
  const std::vector<Schedule> schedules{with_buffers({b})};
  CHECK_FALSE(MemoryMap(schedules, {}).row_address("B"));
}

TEST_CASE("shuffled rows have each place once, and neighbours are scattered") {
  for (const std::int64_t rows : {1, 64, 4096}) {
    CAPTURE(rows);
    const Buffer chain{"chain", rows, 16, 16, DType::fp32, Placement::shuffled};
    const std::vector<Schedule> schedules{with_buffers({a, chain})};
    const MemoryMap map(schedules, {});
    const auto address = map.row_address("chain");
    std::set<std::int64_t> places;
    std::int64_t neighbours = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      CHECK((address(row) - map.address_of("chain")) % 64 == 0);
      places.insert((address(row) - map.address_of("chain")) / 64);
      neighbours += row > 0 && address(row) - address(row - 1) == 64;
    }
    CHECK(static_cast<std::int64_t>(places.size()) == rows);
    CHECK(*places.begin() == 0);
    CHECK(*places.rbegin() == rows - 1);
    CHECK(neighbours <= rows / 16);
  }
}

TEST_CASE("rows of a buffer of one slice are lines of that slice, each its own") {
  constexpr std::int64_t slices = 40, rows = 500;
  const fabric::AddressMap address_map(slices, 10);
  for (const std::int64_t slice : {0, 7, 39, 40 + 3}) {
    CAPTURE(slice);
    const Buffer lines{"lines", rows, 8, 32, DType::fp32, Placement::one_slice, slice};
    const std::vector<Schedule> schedules{with_buffers({b, lines, a})};
    const MemoryMap map(schedules, {}, address_map);
    const auto address = map.row_address("lines");
    std::set<std::int64_t> places;
    for (std::int64_t row = 0; row < rows; ++row) {
      CHECK(address_map.place_of(static_cast<std::uint64_t>(address(row) / 128)).slice ==
            static_cast<std::size_t>(slice % slices));
      CHECK(address(row) % 128 == 0);
      CHECK(address(row) >= map.address_of("lines"));
      CHECK(address(row) + 128 <= map.address_of("A"));  // the next buffer begins behind the last
      places.insert(address(row));
    }
    CHECK(places.size() == rows);
  }
}

TEST_CASE("a buffer of layers takes the room of all of them") {
  Buffer layers = b;
  layers.layers = 3;
  const std::vector<Schedule> schedules{with_buffers({layers, a})};
  const MemoryMap map(schedules, {});
  CHECK(map.address_of("A") >= 3 * size_of(b).count());
}

TEST_CASE("what others have between the rows of layers side by side is left to them") {
  Buffer heads{"heads", 64, 32, 4 * 32, DType::fp32};
  heads.layers = 2;
  heads.layer_pitch = 32;
  const std::vector<Schedule> schedules{with_buffers({heads, a})};
  const MemoryMap map(schedules, {});
  CHECK(size_of(heads) == Bytes(2 * 64 * 32 * 4));
  CHECK(span_of(heads) == Bytes(64 * 4 * 32 * 4));
  CHECK(map.address_of("A") >= span_of(heads).count());
}

}  // namespace gpusim::machine_memory_map_test
