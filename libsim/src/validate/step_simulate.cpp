// Rows of a table of ladders, simulated.
#include "gpusim/estimate/roofline.h"
#include "gpusim/validate.h"
#include "gpusim/validate_ladders.h"
#include "gpusim/view/bound.h"
#include "validate/measured_compare.h"
#include "validate/published_run.h"
#include "validate/step_ladder.h"

namespace gpusim::validate {
namespace {

RowOutcome simulate_preset(const MeasuredStep& row, const StepOfLadder& found, const Gpu& gpu, const RowRun& run) {
  const LadderFigure size{row.m, row.n, row.k, row.gflops, row.source};
  const PublishedRun published = run_published(*found.ladder, *found.step, size, gpu, run);
  const Schedule& kernel = published.kernels.front();
  RowOutcome outcome;
  outcome.schedule = kernel.name;
  outcome.clock_mhz = published.timed.clock_mhz;
  outcome.roofline_us = estimate::roofline(kernel, gpu.profile(), outcome.clock_mhz).us;
  outcome.bound = view::bound(published.timed.result);
  outcome.simulated_us = published.us;
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
    return or_refused([&] { return simulate_step(row, find_step(row, gpu.profile().name, known), gpu, run); });
  });
}

}  // namespace gpusim::validate
