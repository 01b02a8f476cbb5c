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

std::int64_t written_for_others(std::int64_t bytes, int dirty_percent) {
  const Gpu gpu(load_profile("t4"));
  const Schedule schedule = schedules::copy({.elements = bytes / size_of(DType::fp32)});
  RunOptions options;
  options.l2_dirty_percent = dirty_percent;
  const std::int64_t own = gpu.run(schedule).kernels.front().traffic.dram_write_bytes;
  return gpu.run(schedule, options).kernels.front().traffic.dram_write_bytes - own;
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

TEST_CASE("whoever needs the place of what others wrote has it written first, evenly whatever it needs") {
  for (const int percent : {25, 50, 100}) {
    const double share = percent / 100.0;
    CHECK(written_for_others(mib / 2, percent) == doctest::Approx(share * mib).epsilon(0.05));
    CHECK(written_for_others(16 * mib, percent) == doctest::Approx(share * 4 * mib).epsilon(0.02));
  }
}

TEST_CASE("an L2 full of clean lines is as good as an empty one") {
  const Gpu gpu(load_profile("t4"));
  const Schedule schedule = schedules::copy({.kind = schedules::StreamKind::read, .elements = mib});
  RunOptions clean;
  clean.l2_dirty_percent = 1;
  RunOptions dirty;
  dirty.l2_dirty_percent = 100;
  const auto cycles_of = [&](const RunOptions& options) {
    return static_cast<double>(cycles(gpu.run(schedule, options)).count());
  };
  CHECK(cycles_of(clean) == doctest::Approx(cycles_of({})).epsilon(0.02));
  CHECK(cycles_of(dirty) > 1.5 * cycles_of({}));
}

TEST_CASE("more than all of L2, or an L2 that nobody can fill, is refused") {
  const Schedule schedule = schedules::copy({.elements = 1024});
  RunOptions options;
  options.l2_dirty_percent = 101;
  CHECK_THROWS_WITH_AS((void)Gpu(load_profile("t4")).run(schedule, options),
                       doctest::Contains("l2_dirty_percent: 101 is not within 0 and 100"), ScheduleError);
  options.l2_dirty_percent = 50;
  CHECK_THROWS_WITH_AS((void)Gpu(load_profile("textbook-2020")).run(schedule, options),
                       doctest::Contains("no L2 that others could fill"), ScheduleError);
}

}  // namespace gpusim::earlier_writes_test
