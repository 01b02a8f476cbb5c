// Law: equal inputs give equal digests, whoever looks on and however many run at the same time.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "gpusim/gpu.h"
#include "support/mixed_runs.h"
#include "support/run_log.h"

namespace gpusim::determinism_test {

using namespace gpusim::testing;

namespace {

constexpr std::size_t thread_count = 8;

MixedRun small_product() {
  return run_of("ampere", {"ampere", {.m = 192, .n = 128, .k = 128}, {.tile = {64, 64, 32}, .stages = 3}});
}

}  // namespace

TEST_CASE("a run repeated gives the same digest") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    CHECK(run.run().digest == run.run().digest);
  }
}

TEST_CASE("a run watched gives the same digest") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    RunLog first, second;
    const std::array<Observer*, 2> observers{&first, &second};
    CHECK(run.run({}, observers).digest == run.run().digest);
    CHECK(first.receipts.size() == second.receipts.size());
    CHECK(!first.spans.empty());
  }
}

TEST_CASE("a run that asks whether to stop, and is not stopped, gives the same digest") {
  MixedRun run = narrow_probe();  // long enough to be asked
  const std::uint64_t unasked = run.run().digest;
  int asked = 0;
  run.options.stop = [&](const Progress& progress) {
    CHECK(progress.ctas_done <= progress.ctas);
    ++asked;
    return false;
  };
  CHECK(run.run().digest == unasked);
  CHECK(asked > 0);
}

TEST_CASE("different runs give different digests") {
  std::vector<std::uint64_t> digests;
  for (const MixedRun& run : mixed_runs()) digests.push_back(run.run().digest);
  std::sort(digests.begin(), digests.end());
  CHECK(std::adjacent_find(digests.begin(), digests.end()) == digests.end());
}

TEST_CASE("one Gpu used by eight threads gives equal digests [threads]") {
  const MixedRun run = small_product();
  const Gpu gpu(run.profile);
  const std::uint64_t alone = gpu.run(run.schedules, run.options).digest;
  std::array<std::uint64_t, thread_count> digests{};
  std::vector<std::thread> threads;
  for (std::uint64_t& digest : digests)
    threads.emplace_back([&] { digest = gpu.run(run.schedules, run.options).digest; });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t digest : digests) CHECK(digest == alone);
}

TEST_CASE("eight threads with runs of their own on one Gpu do not disturb each other [threads]") {
  const Gpu gpu(load_profile("hopper"));
  const auto schedule_of = [&](std::size_t i) {
    const schedules::GemmProblem problem{.m = 64 + 32 * static_cast<std::int64_t>(i), .n = 128, .k = 64};
    return gemm(problem, choose(gpu.profile(), problem, {.tile = {64, 64, 32}, .specialize = i % 2 == 0}));
  };
  std::array<std::uint64_t, thread_count> alone{}, together{};
  for (std::size_t i = 0; i < thread_count; ++i) alone[i] = gpu.run(schedule_of(i)).digest;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] { together[i] = gpu.run(schedule_of(i)).digest; });
  for (std::thread& thread : threads) thread.join();
  CHECK(together == alone);
}

}  // namespace gpusim::determinism_test
