// A ladder's report for people.
#include <algorithm>
#include <array>
#include <charconv>

#include "gpusim/ladders.h"

namespace gpusim::validate {
namespace {

using Row = std::vector<std::string>;

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "-";
}

std::string percent(std::optional<double> value) { return value ? (*value > 0 ? "+" : "") + fixed(*value, 1) : "-"; }

std::string size_text(const LadderFigure& figure) {
  const std::string m = std::to_string(figure.m);
  if (figure.m == figure.n && figure.n == figure.k) return m;
  return m + "x" + std::to_string(figure.n) + "x" + std::to_string(figure.k);
}

Row cells(const Ladder& ladder, const LadderOutcome& outcome) {
  constexpr double mega = 1000;
  const LadderStep& step = ladder.steps[outcome.step];
  const LadderFigure& figure = step.figures[outcome.figure];
  Row row{step.name, size_text(figure), fixed(figure.gflops / mega, 2),
          outcome.simulated_gflops ? fixed(*outcome.simulated_gflops / mega, 2) : "-", percent(outcome.error)};
  if (!outcome.gain) {
    row.insert(row.end(), {"-", "-", "", outcome.refused});
  } else {
    const std::string verdict = outcome.gain->right ? "yes" : "NO";
    row.insert(row.end(), {percent(outcome.gain->measured), percent(outcome.gain->simulated), verdict, ""});
  }
  if (!outcome.gain && outcome.refused.empty()) row.pop_back();
  return row;
}

/// The first two columns and the last to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
  constexpr std::size_t words = 2;
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size() && i + 1 < widths.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == widths.size();
      const std::string blanks(last ? 0 : widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < words || last ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string summary_text(const LadderReport& report) {
  const LadderSummary& summary = report.summary;
  std::string text = std::to_string(summary.simulated) + " of " + std::to_string(summary.figures) + " simulated";
  if (summary.median_error)
    text += "; error of the time: median " + fixed(*summary.median_error, 1) + " %, worst " +
            percent(summary.worst_error) + " %";
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
  std::vector<Row> rows{
      {"step", "m=n=k", "measured TFLOPS", "simulated", "error of time %", "gain %", "simulated", "right", ""}};
  for (const LadderOutcome& outcome : report.outcomes) rows.push_back(cells(ladder, outcome));
  return page + "\n" + aligned(rows) + "\n" + summary_text(report);
}

}  // namespace gpusim::validate
