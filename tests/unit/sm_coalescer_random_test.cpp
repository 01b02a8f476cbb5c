// The coalescer's prepared footprints and patterns against every lane's bytes, one by one.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "machine/lower_access.h"
#include "sm/coalescer.h"

namespace gpusim::sm_coalescer_random_test {

namespace {

struct Expected {
  std::map<std::uint64_t, unsigned> lines;
  std::int64_t bytes = 0;
};

/// Lane by lane and byte by byte, as program.h says it.
Expected directly(const Buffer& buffer, const GlobalAccess& access, std::int64_t address, Coordinates at) {
  std::set<std::int64_t> bytes;
  const std::int64_t size = size_of(buffer.dtype);
  for (at[static_cast<std::size_t>(Coordinate::lane)] = 0; at[static_cast<std::size_t>(Coordinate::lane)] < 32;
       ++at[static_cast<std::size_t>(Coordinate::lane)]) {
    if (access.lanes && access.lanes->value(at) >= access.lanes->limit) continue;
    const std::int64_t row = access.row(at), column = access.column(at);
    if (row < 0 || row >= buffer.rows || column < 0 || column >= buffer.columns) continue;
    const std::int64_t begin = address + (row * buffer.pitch + column) * size;
    for (std::int64_t byte = begin; byte < begin + access.vector * size; ++byte) bytes.insert(byte);
  }
  Expected expected;
  for (const std::int64_t byte : bytes)
    expected.lines[static_cast<std::uint64_t>(byte / line_bytes)] |= 1U << (byte % line_bytes / chunk_bytes);
  expected.bytes = static_cast<std::int64_t>(bytes.size());
  return expected;
}

/// A random matrix, and accesses that lie in it, across its edges, or beside it.
class Random {
 public:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator_);
  }
  Buffer buffer() {
    const DType dtype =
        std::array{DType::fp16, DType::fp32, DType::fp64, DType::int8}[static_cast<std::size_t>(from(0, 3))];
    const std::int64_t granule = 16 / size_of(dtype);
    const std::int64_t columns = from(1, 300);
    return {"data", from(1, 80), columns, (columns + from(0, 20) + granule - 1) / granule * granule, dtype};
  }
  GlobalAccess access(const Buffer& buffer) {
    const int widest = 16 / size_of(buffer.dtype);
    int vector = 1;
    while (vector < widest && from(0, 1) == 1) vector *= 2;
    const std::int64_t lanes_a_row = std::int64_t{1} << from(0, 5);
    const std::int64_t step = from(0, 3) == 0 ? vector * from(1, 5) : vector;
    GlobalAccess access{BufferId(0), along(Coordinate::lane, from(1, 3), lanes_a_row),
                        along(Coordinate::lane, step, 1, lanes_a_row), vector, std::nullopt};
    // Loops move the base along vectors, so that vectors stay where the hardware allows them.
    access.row += along(Coordinate::loop0, from(0, 9)) + along(Coordinate::warp, from(0, 4)) + from(-6, 6);
    access.column += along(Coordinate::loop0, vector * from(0, 9)) + along(Coordinate::block_n, vector * from(0, 9)) +
                     along(Coordinate::repeat, vector * from(0, 40)) + vector * from(-6, 6);
    if (from(0, 3) == 0) access.lanes = Bound{along(Coordinate::lane), from(0, 32)};
    return access;
  }

 private:
  std::mt19937 generator_{20};
};

}  // namespace

TEST_CASE("prepared patterns touch the same bytes as every lane by itself, for random accesses") {
  Random random;
  constexpr std::int64_t repeats = 2;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    Schedule schedule;
    schedule.buffers = {random.buffer()};
    const machine::MemoryMap memory(std::span(&schedule, 1), {});
    const GlobalAccess access = random.access(schedule.buffers[0]);
    sm::GlobalPlan plan = machine::lower_global(access, repeats, {1, 2}, schedule, memory);
    std::vector<LineChunks> lines;
    // Each base comes up more than once, so that a pattern is made and then used.
    for (int use = 0; use < 30; ++use) {
      Coordinates at{};
      at[static_cast<std::size_t>(Coordinate::warp)] = random.from(1, 2);
      at[static_cast<std::size_t>(Coordinate::repeat)] = random.from(0, repeats - 1);
      at[static_cast<std::size_t>(Coordinate::block_n)] = random.from(0, 2);
      at[static_cast<std::size_t>(Coordinate::loop0)] = random.from(0, 5);
      const Expected expected = directly(schedule.buffers[0], access, plan.matrix.address, at);
      sm::Footprint& footprint = plan.footprint(static_cast<int>(at[static_cast<std::size_t>(Coordinate::warp)]),
                                                at[static_cast<std::size_t>(Coordinate::repeat)]);
      const std::int64_t bytes = sm::coalesce(plan, footprint, at, lines);
      std::map<std::uint64_t, unsigned> found;
      for (const LineChunks& line : lines) found[line.line] = static_cast<unsigned>(line.chunks);
      REQUIRE(found.size() == lines.size());  // each line once
      REQUIRE(found == expected.lines);
      REQUIRE(bytes == expected.bytes);
    }
  }
}

}  // namespace gpusim::sm_coalescer_random_test
