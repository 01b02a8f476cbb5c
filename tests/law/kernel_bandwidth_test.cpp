// Law: memory-bound kernels take what their bytes take of the bandwidth, however they are written, and no less.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/softmax.h"
#include "gpusim/schedules/transpose.h"

namespace gpusim::kernel_bandwidth_test {

using namespace gpusim::schedules;

namespace {

constexpr std::int64_t elements = std::int64_t{1} << 23;

/// The share of DRAM's peak that what it moved in the run's time is; what is written last stays in L2.
double share(const Gpu& gpu, const Schedule& schedule) {
  const Result result = gpu.run(schedule);
  const Traffic& traffic = result.kernels[0].traffic;
  const auto bytes = static_cast<double>(traffic.dram_read_bytes + traffic.dram_write_bytes);
  const Profile& profile = gpu.profile();
  const Rate bandwidth = profile.dram.bandwidth_gb_per_s;
  const double peak = static_cast<double>(bandwidth.amount()) / static_cast<double>(bandwidth.period());
  const double seconds =
      static_cast<double>(cycles(result).count()) / (static_cast<double>(profile.clock.boost_mhz) * 1e6);
  return bytes / seconds / (peak * 1e9);
}

}  // namespace

TEST_CASE("streams of wide accesses come near DRAM's bandwidth, and never beyond [long]") {
  for (const char* const name : {"volta", "ampere", "hopper"}) {
    const Gpu gpu(load_profile(name));
    for (const StreamKind kind : {StreamKind::read, StreamKind::triad}) {
      const double reached = share(gpu, copy({.kind = kind, .elements = elements}, {.unroll = 2}));
      CAPTURE(name);
      CAPTURE(static_cast<int>(kind));
      CHECK(reached > 0.6);
      CHECK(reached < 1);
    }
  }
}

TEST_CASE("memory gives a stream's arrays once") {
  const Gpu gpu(load_profile("ampere"));
  const Result result = gpu.run(copy({.kind = StreamKind::add, .elements = elements}));
  CHECK(result.kernels[0].traffic.dram_read_bytes == 2 * elements * 4);
}

TEST_CASE("a transposition is the slower the more its accesses scatter [long]") {
  const Gpu gpu(load_profile("ampere"));
  const auto cycles_of = [&](TransposeVariant variant) {
    return cycles(gpu.run(transpose({.rows = 2048, .columns = 2048}, {.variant = variant})));
  };
  CHECK(cycles_of(TransposeVariant::padded) < cycles_of(TransposeVariant::plain));
  CHECK(cycles_of(TransposeVariant::padded) < cycles_of(TransposeVariant::naive));
}

TEST_CASE("rows that are read again cost memory nothing more where L1 has them") {
  const Gpu gpu(load_profile("ampere"));
  SoftmaxTiling tiling{{.place = RowPlace::memory, .threads = 256}};
  const Result result = gpu.run(softmax({.rows = 512, .columns = 4096}, tiling));
  CHECK(result.kernels[0].traffic.dram_read_bytes == 512 * 4096 * 4);
}

TEST_CASE("CTAs that share a row add up at L2 with one atomic each") {
  const Gpu gpu(load_profile("ampere"));
  const Result result = gpu.run(reduce({.rows = 1, .columns = 1 << 20}, {.splits = 64}));
  CHECK(result.kernels[0].traffic.dram_read_bytes >= (1 << 20) * 4);
  const auto slow = cycles(gpu.run(reduce({.rows = 1, .columns = 1 << 20})));
  CHECK(cycles(result) < slow);
}

}  // namespace gpusim::kernel_bandwidth_test
