// How many warp instructions a second the engine simulates.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace {

using gpusim::schedules::GemmProblem;
using gpusim::schedules::GemmRequest;
using gpusim::schedules::GemmVariant;

void simulate(benchmark::State& state, const char* profile_name, const GemmProblem& problem,
              const GemmRequest& request) {
  const gpusim::Gpu gpu(gpusim::load_profile(profile_name));
  const auto schedule = gpusim::schedules::gemm(problem, gpusim::schedules::choose(gpu.profile(), problem, request));
  std::int64_t instructions = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const gpusim::Result result = gpu.run(schedule);
    for (const gpusim::RoleRow& role : result.kernels.front().roles) instructions += role.instructions;
  }
  state.counters["warp_instructions_per_second"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(simulate, ampere_fp16_async_1024, "ampere", GemmProblem{.m = 1024, .n = 1024, .k = 1024},
                  GemmRequest{.variant = GemmVariant::async})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, ada_fp16_4096, "ada", GemmProblem{.m = 4096, .n = 4096, .k = 4096}, GemmRequest{})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
