#include "tune/gemm_trials.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "gpusim/estimate/power.h"
#include "gpusim/estimate/quick.h"
#include "tune/gemm_piece.h"
#include "tune/parallel.h"

namespace gpusim::tune {
namespace {

using schedules::GemmProblem;
using schedules::GemmTiling;

/// A simulation, and what the quick model says of the same.
struct Run {
  std::size_t trial = 0;
  GemmProblem problem;
  GemmTiling tiling;
  double quick_us = 0;
  std::optional<double> simulated_us;
  std::optional<Result> result = {};  ///< where power or results are asked for
};

/// A kernel that adds up slices comes after the first one has ended and is launched behind it.
double between_us(std::size_t kernels, const Profile& profile) {
  constexpr double ns_a_us = 1000;
  return static_cast<double>(kernels - 1) * static_cast<double>(profile.launch.gap_ns) / ns_a_us;
}

/// First CTA's first cycle to the last exit, and what is between kernels; nothing when it was stopped.
void simulate(Run& run, const Gpu& gpu, const RunOptions& options, bool keeps_result) {
  Result result = gpu.run(gemm_kernels(run.problem, run.tiling), options);
  if (result.termination != Termination::completed) return;
  run.simulated_us = time_us(result) + between_us(result.kernels.size(), gpu.profile());
  if (keeps_result) run.result = std::move(result);
}

/// Of the whole product's k tiles beyond those of the shorter run, in what the longer one has beyond it.
double times_longer(const GemmPiece& piece, std::int64_t k) {
  return static_cast<double>(k - piece.k_short) / static_cast<double>(piece.k_long - piece.k_short);
}

/// Sets the clock of a trial to what the board allows in its time, by what its runs draw. Launches take what they took.
void put_under_power(GemmTrial& trial, std::int64_t k, const Result& first, const Result& last,
                     const std::function<double(double us)>& watts) {
  if (!last.profile.power) return;
  const double allowed = watts(*trial.simulated_us);
  estimate::LoopUnderPower under;
  if (trial.piece && trial.piece->k_long > trial.piece->k_short) {
    under = estimate::loop_under_power(first, last, times_longer(*trial.piece, k), allowed);
  } else {
    under.clock_mhz = estimate::clock_under_power(last, allowed);
    under.time_ratio = estimate::time_ratio(last, under.clock_mhz);
  }
  const double between = between_us(last.kernels.size(), last.profile);
  trial.clock_mhz = under.clock_mhz;
  trial.simulated_us = between + (*trial.simulated_us - between) * under.time_ratio;
}

/// Of the whole product, from its piece at two lengths of k, or one.
double scaled_us(const GemmTrial& trial, const GemmProblem& problem, const Run& run_short, const Run& run_long,
                 const Profile& profile, const RunOptions& options) {
  const double at_short = *run_short.simulated_us / run_short.quick_us;
  if (trial.piece->k_long == trial.piece->k_short) return trial.quick_us * at_short;
  GemmProblem whole_short = problem;
  whole_short.k = trial.piece->k_short;
  const double begun = quick_us(whole_short, trial.tiling, profile, options);
  const double grown = run_long.quick_us - run_short.quick_us;
  const double a_tile = grown > 0 ? (*run_long.simulated_us - *run_short.simulated_us) / grown
                                  : *run_long.simulated_us / run_long.quick_us;
  return begun * at_short + (trial.quick_us - begun) * a_tile;
}

/// Bytes of an L2 with an end, each half of which holds what its SMs ask for.
std::optional<std::int64_t> room_in_l2(const Profile& profile) {
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return std::nullopt;
  return profile.l2->capacity.value().count() / profile.l2->partitions;
}

std::int64_t operand_bytes(const GemmProblem& problem) {
  return problem.batch * (problem.m + problem.n) * problem.k * size_of(problem.dtype);
}

std::int64_t result_bytes(const GemmProblem& problem) {
  return problem.batch * problem.m * problem.n * size_of(result_type(problem));
}

/// Whether it has not all of the whole's CTAs.
bool leaves_out_ctas(const GemmPiece& piece, const GemmProblem& problem) {
  return piece.m < problem.m || piece.n < problem.n || piece.batch < problem.batch;
}

/// As the whole is run; but most of its waves have the code at hand, find in L2 what stays there and nothing that
/// others left to be written, and a piece that leaves CTAs out has only one wave. What is too large to be in L2 before
/// the whole is not there before the piece either. So is a C that is read; one that is only written leaves dirty lines
/// in the way, as before each wave.
RunOptions options_of(const GemmPiece& piece, const GemmProblem& problem, const Profile& profile, RunOptions options) {
  const bool is_one_of_waves = leaves_out_ctas(piece, problem);
  if (is_one_of_waves) {
    options.code = CodeState::warm;
    options.l2_dirty_percent = 0;
  }
  const std::optional<std::int64_t> room = room_in_l2(profile);
  if (room && problem.beta != 0 && operand_bytes(problem) + result_bytes(problem) > *room)
    options.l2_by_buffer["C"] = L2State::cold;
  const bool operands_stay = room ? operand_bytes(problem) <= *room : profile.l2.has_value();
  if (is_one_of_waves && operands_stay) {
    for (const char* operand : {"A", "B"}) options.l2_by_buffer.try_emplace(operand, L2State::warm);
    return options;
  }
  if (!room) return options;
  const std::int64_t row_bytes = problem.batch * problem.k * size_of(problem.dtype);
  if (problem.m * row_bytes > *room) options.l2_by_buffer["A"] = L2State::cold;
  if (problem.n * row_bytes > *room) options.l2_by_buffer["B"] = L2State::cold;
  return options;
}

/// The runs that tell a trial's time: the whole product, or its piece, at two lengths of k.
std::vector<Run> runs_of(const std::vector<GemmTrial>& trials, std::size_t count, const GemmProblem& problem) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < count; ++i) {
    const GemmTrial& trial = trials[i];
    if (!trial.piece) {
      runs.push_back({i, problem, trial.tiling, trial.quick_us, {}});
      continue;
    }
    const GemmTiling tiling = tiling_of(*trial.piece, trial.tiling);
    runs.push_back({i, problem_of(*trial.piece, trial.piece->k_short, problem), tiling, 0, {}});
    if (trial.piece->k_long > trial.piece->k_short)
      runs.push_back({i, problem_of(*trial.piece, trial.piece->k_long, problem), tiling, 0, {}});
  }
  return runs;
}

}  // namespace

double quick_us(const GemmProblem& problem, const GemmTiling& tiling, const Profile& profile, const RunOptions& run) {
  const std::vector<Schedule> kernels = gemm_kernels(problem, tiling);
  double us = between_us(kernels.size(), profile);
  for (const Schedule& kernel : kernels) us += estimate::quick_estimate(kernel, profile, run).us;
  return us;
}

bool simulate_trials(const Gpu& gpu, const GemmProblem& problem, const GemmChoiceOptions& options,
                     std::vector<GemmTrial>& trials, std::size_t count) {
  if (!options.whole)
    for (std::size_t i = 0; i < count; ++i) trials[i].piece = piece_of(problem, trials[i].tiling, gpu.profile());
  std::vector<Run> runs = runs_of(trials, count, problem);

  RunOptions run_options = options.run;
  run_options.max_cycles.reset();
  run_options.max_ctas.reset();
  (void)in_parallel({options.jobs, {}, options.progress}, runs.size(), [&](std::size_t i) {
    Run& run = runs[i];
    const std::optional<GemmPiece>& piece = trials[run.trial].piece;
    const RunOptions own = piece ? options_of(*piece, problem, gpu.profile(), run_options) : run_options;
    if (piece) run.quick_us = quick_us(run.problem, run.tiling, gpu.profile(), own);
    simulate(run, gpu, own, options.watts != nullptr || (options.keep_results && !piece));
  });

  bool complete = true;
  for (std::size_t first = 0, last = 0; first < runs.size(); first = last + 1) {
    last = first;
    while (last + 1 < runs.size() && runs[last + 1].trial == runs[first].trial) ++last;
    GemmTrial& trial = trials[runs[first].trial];
    if (!runs[first].simulated_us || !runs[last].simulated_us) {
      complete = false;
      continue;
    }
    trial.simulated_us = trial.piece ? scaled_us(trial, problem, runs[first], runs[last], gpu.profile(), options.run)
                                     : *runs[first].simulated_us;
    if (options.watts) put_under_power(trial, problem.k, *runs[first].result, *runs[last].result, options.watts);
    if (options.keep_results && !trial.piece) trial.result = std::move(runs[first].result);
  }
  return complete;
}

}  // namespace gpusim::tune
