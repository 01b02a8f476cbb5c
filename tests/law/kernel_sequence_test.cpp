// Laws of several schedules in one run: one after another, on one L2.
#include <doctest/doctest.h>

#include "support/mixed_runs.h"
#include "support/run_log.h"

namespace gpusim::kernel_sequence_test {

using namespace gpusim::testing;

namespace {

MixedRun twice(MixedRun run) {
  run.schedules.push_back(run.schedules.front());
  return run;
}

}  // namespace

TEST_CASE("a product run twice reads nothing from DRAM the second time, where it fits L2") {
  for (const GemmCase& each : {GemmCase{"ampere", {.m = 256, .n = 192, .k = 128}},
                               GemmCase{"hopper", {.m = 256, .n = 256, .k = 128}, {.specialize = true}},
                               GemmCase{"volta", {.m = 200, .n = 100, .k = 64, .beta = 1}}}) {
    CAPTURE(each.profile);
    const Result result = twice(run_of("twice", each)).run();
    CHECK(result.kernels.at(0).traffic.dram_read_bytes > 0);
    CHECK(result.kernels.at(1).traffic.dram_read_bytes == 0);
    CHECK(result.kernels.at(1).cycles < result.kernels.at(0).cycles);
  }
}

TEST_CASE("a product larger than L2 reads again the second time") {
  const Result result = twice(run_of("small L2", {"ada",
                                                  {.m = 256, .n = 256, .k = 256},
                                                  {.tile = {64, 64, 32}},
                                                  L2State::cold,
                                                  {"l2.slices=8", "dram.channels=4", "l2.capacity=32KiB"}}))
                            .run();
  CHECK(result.kernels.at(1).traffic.dram_read_bytes > 0);
}

TEST_CASE("what a kernel wrote the next one finds in L2") {
  // The second product's A is what the first one wrote.
  const schedules::GemmProblem problem{.m = 128, .n = 128, .k = 128};
  MixedRun run = run_of("chain", {"hopper", problem, {.tile = {64, 64, 32}}});
  Schedule next = run.schedules.front();
  next.buffers[0].name = "C";  // same shape: 128 x 128 fp16
  next.buffers[2].name = "D";
  run.schedules.push_back(next);
  const Result result = run.run();
  CHECK(result.kernels.at(0).traffic.dram_read_bytes == 2 * 128 * 128 * 2);
  CHECK(result.kernels.at(1).traffic.dram_read_bytes == 0);
}

TEST_CASE("a kernel's first result is the same alone and followed by others") {
  const MixedRun run = three_kernels();
  MixedRun alone = run;
  alone.schedules.resize(1);
  const KernelResult first = run.run().kernels.at(0), lone = alone.run().kernels.at(0);
  CHECK(first.cycles == lone.cycles);
  CHECK(first.traffic == lone.traffic);
  CHECK(stalls(first) == stalls(lone));
}

TEST_CASE("a kernel begins when the one before has drained") {
  const MixedRun run = three_kernels();
  RunLog log;
  const std::array<Observer*, 1> observers{&log};
  const Result result = run.run({}, observers);
  for (std::int64_t kernel = 1; kernel < 3; ++kernel) {
    Cycle ended, begins = Cycle::never();
    for (const auto& [key, residence] : log.ctas) {
      if (key.first == kernel - 1) ended = std::max(ended, residence.to);
      if (key.first == kernel) begins = std::min(begins, residence.from);
    }
    CHECK(begins >= ended + result.kernels[static_cast<std::size_t>(kernel) - 1].drain);
  }
}

TEST_CASE("the cycles of a run are those of its kernels") {
  const Result result = three_kernels().run();
  Cycles sum;
  for (const KernelResult& kernel : result.kernels) sum += kernel.cycles;
  CHECK(cycles(result) == sum);
  CHECK(result.kernels.size() == 3);
}

}  // namespace gpusim::kernel_sequence_test
