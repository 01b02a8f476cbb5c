// Tilings of one product in the order of their measured times: what tile, thread tile, vectors and staging are worth.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "gpusim/profile_io.h"
#include "support/command.h"
#include "support/kernel_tuner.h"

namespace gpusim::kernel_tuner_test {

using gpusim::testing::TunedGemm;

namespace {

constexpr std::int64_t size = 4096;

struct Times {
  std::vector<double> measured;
  std::vector<double> simulated;
};

Times times_on(const std::string& profile) {
  const Gpu gpu(load_profile(profile));
  std::istringstream lines(
      testing::contents(std::string(GPUSIM_SOURCE_DIR) + "/tests/validation/data/kernel_tuner_sample.csv"));
  Times times;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    if (line.substr(0, first) != profile) continue;
    CAPTURE(line);
    times.measured.push_back(std::stod(line.substr(first + 1, second - first - 1)));
    times.simulated.push_back(testing::simulated_us(gpu, testing::tuned_gemm(line.substr(second + 1)), size));
    CHECK(times.simulated.back() > 0);
  }
  return times;
}

void check_order(const std::string& profile) {
  const Times times = times_on(profile);
  REQUIRE(times.measured.size() >= 10);
  CHECK(testing::kendall_tau(times.measured, times.simulated) >= 0.8);
  const auto chosen = std::min_element(times.simulated.begin(), times.simulated.end()) - times.simulated.begin();
  const double best = *std::min_element(times.measured.begin(), times.measured.end());
  CHECK(times.measured[static_cast<std::size_t>(chosen)] <= 1.1 * best);
}

}  // namespace

TEST_CASE("CLBlast's tilings on the RTX 2080 Ti rank as measured, the best among the best") {
  check_order("rtx2080ti");
}

TEST_CASE("CLBlast's tilings on the RTX 3090 rank as measured, the best among the best") { check_order("rtx3090"); }

}  // namespace gpusim::kernel_tuner_test
