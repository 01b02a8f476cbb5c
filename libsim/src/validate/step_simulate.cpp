// Rows of a table of ladders, simulated.
#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/validate_ladders.h"
#include "gpusim/view/bound.h"
#include "validate/measured_compare.h"
#include "validate/measured_run.h"
#include "validate/step_ladder.h"

namespace gpusim::validate {
namespace {

/// As `gpusim ladder run` does: launches back to back, long enough for the board to be at its limit.
RowOutcome simulate_preset(const MeasuredStep& row, const StepOfLadder& found, const Gpu& gpu, const RowRun& run) {
  schedules::GemmProblem problem = found.step->problem;
  problem.m = row.m;
  problem.n = row.n;
  problem.k = row.k;
  const std::vector<Schedule> kernels = schedules::gemm_kernels(problem, *found.step->preset);
  RowRun asked = run;
  if (run.clock == RowClock::usual) {
    asked.clock = found.ladder->clock_mhz ? RowClock::fixed : RowClock::power;
    asked.clock_mhz = found.ladder->clock_mhz.value_or(0);
  }
  const GemmProtocol back_to_back;
  RunOptions options;
  options.clock_mhz = first_clock(asked, back_to_back, gpu.profile());
  options.l2_by_buffer = {{"A", L2State::warm}, {"B", L2State::warm}};
  if (run.stop) options.stop = [&run](const Progress&) { return run.stop(); };
  const TimedRun timed = run_as_measured(timed_launches(kernels), gpu, asked, back_to_back, options, 0);
  RowOutcome outcome;
  outcome.schedule = kernels.front().name;
  outcome.clock_mhz = timed.clock_mhz;
  outcome.roofline_us = estimate::roofline(kernels.front(), gpu.profile(), timed.clock_mhz).us;
  outcome.bound = view::bound(timed.result);
  outcome.simulated_us = timed.us + time_beside(back_to_back, gpu.profile().launch, kernels.size());
  return outcome;
}

RowOutcome simulate_as_product(const MeasuredStep& row, std::string notes, const Gpu& gpu, const RowRun& run) {
  MeasuredGemm product;
  product.m = row.m;
  product.n = row.n;
  product.k = row.k;
  product.input = row.input;
  product.accumulate = row.accumulate;
  product.schedule_notes = std::move(notes);
  product.library = row.kernel_name;
  product.source = row.source;
  product.time_us = row.time_us;
  return simulate(product, gpu, run);
}

RowOutcome simulate_step(const MeasuredStep& row, const StepOfLadder& found, const Gpu& gpu, const RowRun& run) {
  if (found.step != nullptr && found.step->preset) return simulate_preset(row, found, gpu, run);
  if (is_of_library(row) || (found.step != nullptr && found.step->of_library))
    return simulate_as_product(row, "", gpu, run);
  if (found.step != nullptr) throw ScheduleError({Problem{"tile_params", found.step->note}});
  const std::string note = tile_note(row.tile_params);
  if (note.empty()) throw ScheduleError({Problem{"tile_params", "states no tile"}});
  return simulate_as_product(row, note, gpu, run);
}

}  // namespace

std::optional<std::vector<RowOutcome>> compare(const StepTable& table, const std::vector<std::size_t>& rows,
                                               const RowRun& run) {
  const std::vector<Ladder> known = ladders();
  return compare_rows(table, rows, run, [&](std::size_t number, const Gpu& gpu) {
    const MeasuredStep& row = table.rows[number];
    return or_refused([&] { return simulate_step(row, find_step(row, known), gpu, run); });
  });
}

}  // namespace gpusim::validate
