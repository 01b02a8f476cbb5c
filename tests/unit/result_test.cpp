#include "gpusim/result.h"

#include <doctest/doctest.h>

#include "support/sample_result.h"

namespace gpusim::result_test {

TEST_CASE("time is cycles at the run's clock") {
  const Result result = testing::sample_result();
  CHECK(cycles(result) == Cycles(1000));
  CHECK(time_us(result) == doctest::Approx(1000 / 500.0));
}

TEST_CASE("cycles of several kernels add up, without launch and drain") {
  Result result = testing::sample_result();
  result.kernels.push_back(result.kernels.front());
  CHECK(cycles(result) == Cycles(2 * 1000));
  CHECK(tflops(result) == doctest::Approx(2 * 1.5e6 / 4e-6 / 1e12));
}

TEST_CASE("the rate is useful operations over time, and the peak that of the kernel's pipe and types") {
  const Result result = testing::sample_result();
  CHECK(tflops(result) == doctest::Approx(1.5e6 / 2e-6 / 1e12));
  CHECK(peak_tflops(result) == doctest::Approx(8 * 125 * 2 * 0.5e9 / 1e12));
}

TEST_CASE("a kernel without operations of its own leaves the peak as it is, one of other types has none in common") {
  Result result = testing::sample_result();
  const double peak = peak_tflops(result);
  KernelResult other = result.kernels.front();
  other.work.pipe = Pipe::fma;
  other.work.flops = 0;
  result.kernels.insert(result.kernels.begin(), other);
  CHECK(peak_tflops(result) == peak);
  CHECK(main_work(result).pipe == Pipe::tensor);
  result.kernels.front().work.flops = 1;
  CHECK(peak_tflops(result) == 0);
}

TEST_CASE("a run that stopped early is credited with what it did") {
  Result result = testing::sample_result();
  const double whole = tflops(result);
  result.kernels[0].work_share = 0.25;
  CHECK(tflops(result) == doctest::Approx(whole / 4));
}

TEST_CASE("a run of no cycles has no rate") {
  Result result = testing::sample_result();
  result.kernels[0].cycles = Cycles(0);
  CHECK(tflops(result) == 0);
  CHECK(tflops(Result{}) == 0);
  CHECK(peak_tflops(Result{}) == 0);
}

TEST_CASE("steady cycles per tile are a mean, and absent without k tiles") {
  KernelResult kernel = testing::sample_result().kernels[0];
  CHECK(steady_cycles_per_tile(kernel) == doctest::Approx(500 / 4.0));
  kernel.steady_tiles = 0;
  CHECK_FALSE(steady_cycles_per_tile(kernel).has_value());
}

TEST_CASE("a kernel's stalls are those of all its roles") {
  const StallCycles sum = stalls(testing::sample_result().kernels[0]);
  CHECK(sum[Reason::selected] == 600 + 100);
  CHECK(sum[Reason::long_scoreboard] == 2400);
  CHECK(sum.total() == 3000 + 1000);
}

TEST_CASE("utilisation is busy server-cycles over all server-cycles, and 0 when unlimited") {
  const Result result = testing::sample_result();
  CHECK(utilisation(result.servers[0], Cycles(1000)) == doctest::Approx(6400 / (8 * 1000.0)));
  CHECK(utilisation(result.servers[2], Cycles(1000)) == 0);
  CHECK(utilisation(result.servers[0], Cycles(0)) == 0);
}

}  // namespace gpusim::result_test
