#include "validate/ladder_score.h"

#include <algorithm>
#include <cmath>

#include "validate/figures.h"
#include "validate/statistics.h"

namespace gpusim::validate {
namespace {

constexpr double least_change = 5;   // percent of GFLOPS
constexpr double steady_within = 7;  // percent

const LadderFigure& figure_of(const Ladder& ladder, const LadderOutcome& outcome) {
  return ladder.steps[outcome.step].figures[outcome.figure];
}

bool comparable(const Ladder& ladder, const LadderOutcome& earlier, const LadderOutcome& later) {
  const LadderFigure& before = figure_of(ladder, earlier);
  const LadderFigure& after = figure_of(ladder, later);
  return earlier.simulated_us && earlier.step < later.step &&
         ladder.steps[earlier.step].chain == ladder.steps[later.step].chain && before.m == after.m &&
         before.n == after.n && before.k == after.k;
}

/// Over the nearest step before it that was simulated at the same size.
std::optional<LadderGain> gain_of(const Ladder& ladder, const std::vector<LadderOutcome>& outcomes,
                                  const LadderOutcome& outcome) {
  if (!ladder.gains || !outcome.simulated_us) return std::nullopt;
  const LadderOutcome* before = nullptr;
  for (const LadderOutcome& each : outcomes)
    if (comparable(ladder, each, outcome)) before = &each;
  if (before == nullptr) return std::nullopt;
  LadderGain gain;
  gain.over = ladder.steps[before->step].name;
  gain.measured = in_percent * (before->measured_us / outcome.measured_us - 1);
  gain.simulated = in_percent * (*before->simulated_us / *outcome.simulated_us - 1);
  gain.change = std::abs(gain.measured) > least_change;
  gain.right = gain.change ? gain.measured * gain.simulated > 0 : std::abs(gain.simulated) <= steady_within;
  return gain;
}

/// How far a time is off as a factor, in either direction.
double factor(double error) {
  const double ratio = 1 + error / in_percent;
  return std::max(ratio, 1 / ratio);
}

}  // namespace

void score(LadderReport& report) {
  LadderSummary& summary = report.summary;
  std::vector<double> errors;
  for (LadderOutcome& outcome : report.outcomes) {
    if (report.ladder.steps[outcome.step].of_library) continue;
    ++summary.figures;
    if (!outcome.error) continue;
    ++summary.simulated;
    errors.push_back(std::abs(*outcome.error));
    if (!summary.worst_error || factor(*outcome.error) > factor(*summary.worst_error))
      summary.worst_error = outcome.error;
    outcome.gain = gain_of(report.ladder, report.outcomes, outcome);
    if (!outcome.gain) continue;
    ++(outcome.gain->change ? summary.changes : summary.steady);
    if (outcome.gain->right) ++(outcome.gain->change ? summary.changes_right : summary.steady_right);
  }
  if (!errors.empty()) summary.median_error = median(std::move(errors));
}

}  // namespace gpusim::validate
