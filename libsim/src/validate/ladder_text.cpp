// A ladder's report for people.
#include "gpusim/ladders.h"
#include "view/format.h"
#include "view/table.h"

namespace gpusim::validate {
namespace {

std::string signed_percent(std::optional<double> value) {
  return value ? (*value > 0 ? "+" : "") + view::fixed(*value, 1) : "-";
}

std::string size_text(const LadderFigure& figure) {
  std::string m = std::to_string(figure.m);
  if (figure.m == figure.n && figure.n == figure.k) return m;
  return m + "x" + std::to_string(figure.n) + "x" + std::to_string(figure.k);
}

std::vector<std::string> cells(const Ladder& ladder, const LadderOutcome& outcome) {
  constexpr double mega = 1000;
  const LadderStep& step = ladder.steps[outcome.step];
  const LadderFigure& figure = step.figures[outcome.figure];
  std::vector<std::string> row{step.name, size_text(figure), view::fixed(figure.gflops / mega, 2),
                               outcome.simulated_gflops ? view::fixed(*outcome.simulated_gflops / mega, 2) : "-",
                               signed_percent(outcome.error)};
  if (!outcome.gain) {
    row.insert(row.end(), {"-", "-", "", outcome.refused});
  } else {
    const std::string verdict = outcome.gain->right ? "yes" : "NO";
    row.insert(row.end(),
               {signed_percent(outcome.gain->measured), signed_percent(outcome.gain->simulated), verdict, ""});
  }
  if (!outcome.gain && outcome.refused.empty()) row.pop_back();
  return row;
}

std::string summary_text(const LadderReport& report) {
  const LadderSummary& summary = report.summary;
  std::string text = std::to_string(summary.simulated) + " of " + std::to_string(summary.figures) + " simulated";
  if (summary.median_error)
    text += "; error of the time: median " + view::fixed(*summary.median_error, 1) + " %, worst " +
            signed_percent(summary.worst_error) + " %";
  text += "\n";
  if (report.ladder.gains)
    text += "gains: " + std::to_string(summary.changes_right) + " of " + std::to_string(summary.changes) +
            " beyond 5 % in the right direction, " + std::to_string(summary.steady_right) + " of " +
            std::to_string(summary.steady) + " smaller ones within 7 %\n";
  return text;
}

}  // namespace

std::string text(const LadderReport& report) {
  const Ladder& ladder = report.ladder;
  std::string page = ladder.name + ": " + ladder.title + "\n" + ladder.source + "; licence: " + ladder.licence + "\n";
  if (!ladder.note.empty()) page += ladder.note + "\n";
  view::Table table("llrrrrrrl");
  table.row({"step", "m=n=k", "measured TFLOPS", "simulated", "error of time %", "gain %", "simulated", "right", ""});
  for (const LadderOutcome& outcome : report.outcomes) table.row(cells(ladder, outcome));
  return page + "\n" + table.text(0) + "\n" + summary_text(report);
}

}  // namespace gpusim::validate
