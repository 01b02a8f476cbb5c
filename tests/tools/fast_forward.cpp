// Simulates products drawn from a seed with and without skipping, and prints by how much they differ:
//   fast_forward [--seed N] [--cases N] [--instructions N]
// Ends with 1 when the mean or the worst difference in cycles is beyond 1 or 3 %, and with 2 when cases of so few warp
// instructions are asked for that nothing is ever skipped in them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "machine/fast_forward.h"
#include "support/forward_cases.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Timed {
  gpusim::Result result;
  double seconds = 0;
};

Timed run(const gpusim::testing::ForwardCase& drawn, bool exact) {
  gpusim::RunOptions options = drawn.options;
  options.exact = exact;
  const gpusim::Gpu gpu(drawn.profile);
  const Clock::time_point begun = Clock::now();
  Timed timed{gpu.run(drawn.kernels, options)};
  timed.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return timed;
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, std::int64_t> options{{"--seed", 1}, {"--cases", 40}, {"--instructions", 5'000'000}};
  for (int i = 1; i + 1 < count; i += 2) options[words[i]] = std::strtoll(words[i + 1], nullptr, 10);
  if (options["--instructions"] < gpusim::machine::fewest_instructions) {
    std::fprintf(stderr, "--instructions: at least %lld, of which kernels have to have something skipped\n",
                 static_cast<long long>(gpusim::machine::fewest_instructions));
    return 2;
  }
  gpusim::testing::ForwardCases cases(static_cast<std::uint64_t>(options["--seed"]), options["--instructions"]);
  double sum = 0;
  double worst = 0;
  double traffic = 0;
  double exact_seconds = 0;
  double fast_seconds = 0;
  std::printf("%-78s %11s %11s %8s %8s %8s %8s %8s\n", "case", "exact", "default", "cycles", "traffic", "skipped",
              "exact s", "default s");
  for (std::int64_t i = 0; i < options["--cases"]; ++i) {
    const gpusim::testing::ForwardCase drawn = cases.next();
    const Timed exact = run(drawn, true);
    const Timed fast = run(drawn, false);
    const auto error = gpusim::testing::forward_error(exact.result, fast.result);
    const double cycles = static_cast<double>(gpusim::cycles(fast.result).count());
    gpusim::Cycles skipped;
    for (const gpusim::KernelResult& kernel : fast.result.kernels) skipped += kernel.skipped.cycles;
    std::printf("%-78s %11lld %11.0f %7.2f%% %7.2f%% %7.1f%% %8.2f %8.2f\n", drawn.name.c_str(),
                static_cast<long long>(gpusim::cycles(exact.result).count()), cycles, 100 * error.cycles,
                100 * error.traffic, 100 * static_cast<double>(skipped.count()) / cycles, exact.seconds, fast.seconds);
    std::fflush(stdout);
    sum += error.cycles;
    worst = std::max(worst, error.cycles);
    traffic += error.traffic;
    exact_seconds += exact.seconds;
    fast_seconds += fast.seconds;
  }
  const double mean = sum / static_cast<double>(options["--cases"]);
  std::printf(
      "cycles differ by %.2f %% in the mean, %.2f %% at most; traffic by %.2f %% in the mean; %.1f s and %.1f s\n",
      100 * mean, 100 * worst, 100 * traffic / static_cast<double>(options["--cases"]), exact_seconds, fast_seconds);
  return mean <= 0.01 && worst <= 0.03 ? 0 : 1;
}
