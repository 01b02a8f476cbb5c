// The figures of a ladder that are asked for, shared out over threads.
#include <algorithm>
#include <set>

#include "gpusim/error.h"
#include "gpusim/ladders.h"
#include "gpusim/profile_io.h"
#include "tune/parallel.h"
#include "validate/figures.h"
#include "validate/ladder_score.h"
#include "validate/published_run.h"

namespace gpusim::validate {
namespace {

void check_steps(const Ladder& ladder, const LadderRun& run, std::vector<Problem>& problems) {
  std::vector<std::string_view> names;
  std::string list;
  for (const LadderStep& step : ladder.steps) {
    names.push_back(step.name);
    list += (list.empty() ? "" : ", ") + step.name;
  }
  for (const std::string& wanted : run.steps) {
    if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    const std::string_view near = nearest(wanted, names);
    problems.push_back({"steps", ladder.name + " has no step '" + wanted + "'" +
                                     (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?") +
                                     " (there are " + list + ")"});
  }
}

bool is_asked_for(const LadderStep& step, const LadderRun& run) {
  return run.steps.empty() || std::find(run.steps.begin(), run.steps.end(), step.name) != run.steps.end();
}

/// Where none of the steps that are asked for has a figure of that size: those they have.
std::string no_such_size(const Ladder& ladder, const LadderRun& run, std::int64_t size) {
  std::set<std::int64_t> sizes;
  for (const LadderStep& step : ladder.steps) {
    if (!is_asked_for(step, run)) continue;
    for (const LadderFigure& figure : step.figures)
      if (figure.m == figure.n && figure.n == figure.k) sizes.insert(figure.m);
  }
  if (size == 0) return "none of these steps was measured";
  std::string list;
  for (const std::int64_t each : sizes) list += (list.empty() ? "there are " : ", ") + std::to_string(each);
  return "none of these steps was measured at " + std::to_string(size) + " (" +
         (list.empty() ? "there is none of m = n = k; take all" : list) + ")";
}

/// The figures that are asked for, by step, then by figure.
std::vector<LadderOutcome> selected(const Ladder& ladder, const LadderRun& run) {
  std::vector<Problem> problems;
  check_steps(ladder, run, problems);
  const std::int64_t size = run.size.value_or(ladder.size.value_or(0));
  std::vector<LadderOutcome> outcomes;
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    if (!is_asked_for(step, run)) continue;
    for (std::size_t j = 0; j < step.figures.size(); ++j) {
      const LadderFigure& figure = step.figures[j];
      if (size != 0 && (figure.m != size || figure.n != size || figure.k != size)) continue;
      LadderOutcome outcome;
      outcome.step = i;
      outcome.figure = j;
      outcome.measured_us = 2e-3 * static_cast<double>(figure.m) * static_cast<double>(figure.n) *
                            static_cast<double>(figure.k) / figure.gflops;
      outcomes.push_back(std::move(outcome));
    }
  }
  if (problems.empty() && outcomes.empty()) problems.push_back({"size", no_such_size(ladder, run, size)});
  if (!problems.empty()) throw InputError(std::move(problems));
  return outcomes;
}

void simulate(const Ladder& ladder, const LadderRun& run, const LadderSimulation& simulation, LadderOutcome& outcome) {
  const LadderStep& step = ladder.steps[outcome.step];
  if (!step.preset) {
    outcome.refused = step.of_library ? "a library's kernel, for comparison" : step.note;
    return;
  }
  try {
    outcome.simulated_us = simulation(ladder, step, step.figures[outcome.figure], run);
  } catch (const InputError& error) {
    outcome.refused = joined(error.problems());
  } catch (const DeadlockError& error) {
    outcome.refused = "deadlock: " + error.waits().front();
  }
}

/// Whether both are of one step and size, measured twice: what is simulated is the same.
bool are_alike(const Ladder& ladder, const LadderOutcome& one, const LadderOutcome& other) {
  if (one.step != other.step) return false;
  const LadderFigure& a = ladder.steps[one.step].figures[one.figure];
  const LadderFigure& b = ladder.steps[other.step].figures[other.figure];
  return a.m == b.m && a.n == b.n && a.k == b.k;
}

/// Against the measured time.
void compare(const Ladder& ladder, LadderOutcome& outcome) {
  if (!outcome.simulated_us) return;
  const double us = *outcome.simulated_us;
  outcome.error = 100 * (us / outcome.measured_us - 1);
  outcome.simulated_gflops = ladder.steps[outcome.step].figures[outcome.figure].gflops * outcome.measured_us / us;
}

}  // namespace

std::optional<LadderReport> run(const Ladder& ladder, const LadderRun& run, const LadderSimulation& simulation) {
  LadderReport report{ladder, run.exact, selected(ladder, run), {}};
  std::vector<LadderOutcome>& outcomes = report.outcomes;
  std::vector<std::size_t> first;  // of those alike, for each outcome
  std::vector<std::size_t> own;    // that are simulated
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto found = std::find_if(
        own.begin(), own.end(), [&](std::size_t earlier) { return are_alike(ladder, outcomes[earlier], outcomes[i]); });
    first.push_back(found == own.end() ? i : *found);
    if (found == own.end()) own.push_back(i);
  }
  const bool complete = tune::in_parallel({run.jobs, run.stop, run.progress}, own.size(),
                                          [&](std::size_t i) { simulate(ladder, run, simulation, outcomes[own[i]]); });
  if (!complete) return std::nullopt;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].simulated_us = outcomes[first[i]].simulated_us;
    outcomes[i].refused = outcomes[first[i]].refused;
    compare(ladder, outcomes[i]);
  }
  score(report);
  return report;
}

std::optional<LadderReport> run(const Ladder& ladder, const LadderRun& options) {
  const Gpu gpu(load_profile(ladder.gpu));
  return run(ladder, options,
             [&](const Ladder&, const LadderStep& step, const LadderFigure& figure, const LadderRun& run) {
               RowRun row;
               row.stop = run.stop;
               return run_published(ladder, step, figure, gpu, row, run.exact).us;
             });
}

}  // namespace gpusim::validate
