// What an earlier run wrote, and L2 still holds, is written back by this one.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"

namespace gpusim::earlier_writes_test {

namespace {

constexpr std::int64_t mib = 1 << 20;

std::int64_t written_back(std::int64_t bytes, L2State destination) {
  const Gpu gpu(load_profile("t4"));  // 4 MiB of L2
  const Schedule schedule = schedules::copy({.elements = bytes / size_of(DType::fp32)});
  RunOptions options;
  options.l2_by_buffer[schedule.buffers.back().name] = destination;
  return gpu.run(schedule, options).kernels.front().traffic.dram_write_bytes;
}

}  // namespace

TEST_CASE("a copy larger than L2 writes back its own lines and the last run's share of L2") {
  const std::int64_t own = written_back(8 * mib, L2State::cold);
  const std::int64_t both = written_back(8 * mib, L2State::dirty);
  CHECK(own > 4 * mib);
  CHECK(own < 8 * mib);
  CHECK(both - own == doctest::Approx(2 * mib).epsilon(0.05));  // two equal buffers share 4 MiB
}

TEST_CASE("a copy that fits L2 writes nothing back") {
  CHECK(written_back(mib, L2State::cold) == 0);
  CHECK(written_back(mib, L2State::dirty) == 0);
}

}  // namespace gpusim::earlier_writes_test
