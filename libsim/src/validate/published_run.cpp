#include "validate/published_run.h"

#include <algorithm>

#include "validate/gemm_protocol.h"
#include "validate/measured_run.h"

namespace gpusim::validate {

schedules::GemmProblem problem_of(const LadderStep& step, std::int64_t m, std::int64_t n, std::int64_t k) {
  schedules::GemmProblem problem = step.problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

schedules::GemmTiling tiling_of(const LadderStep& step, const schedules::GemmProblem& problem) {
  schedules::GemmTiling tiling = *step.preset;
  if (tiling.ctas == 0 || tiling.stream_k) return tiling;
  const schedules::GemmProblem tiled = schedules::tiled_problem(problem, tiling);
  const auto pieces = [](std::int64_t extent, int tile) { return (extent + tile - 1) / tile; };
  const std::int64_t tiles =
      pieces(tiled.m, tiling.tile.m) * pieces(tiled.n, tiling.tile.n) * problem.batch * tiling.split_k;
  const std::int64_t cluster = std::int64_t{tiling.cluster.m} * tiling.cluster.n;
  tiling.ctas = std::min(tiling.ctas, std::max(tiles / cluster, std::int64_t{1}) * cluster);
  return tiling;
}

PublishedRun run_published(const Ladder& ladder, const LadderStep& step, const LadderFigure& size, const Gpu& gpu,
                           const RowRun& run, bool exact) {
  const GemmProtocol& protocol = protocol_of(ladder.source);
  RowRun asked = run;
  if (run.clock == RowClock::usual && ladder.clock_mhz) {
    asked.clock = RowClock::fixed;
    asked.clock_mhz = *ladder.clock_mhz;
  }
  RunOptions options;
  options.clock_mhz = first_clock(asked, protocol, gpu.profile());
  options.l2_by_buffer = {{"A", L2State::warm}, {"B", L2State::warm}, {"C", L2State::dirty}};  // the launch before
  options.exact = exact;
  if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
  const double multiply_adds = static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
  PublishedRun published;
  const schedules::GemmProblem problem = problem_of(step, size.m, size.n, size.k);
  published.kernels = schedules::gemm_kernels(problem, tiling_of(step, problem));
  published.timed = run_as_measured(timed_launches(published.kernels), gpu, asked, protocol, options, {multiply_adds});
  published.us = published.timed.us + time_beside(protocol, gpu.profile().launch, published.kernels.size());
  return published;
}

}  // namespace gpusim::validate
