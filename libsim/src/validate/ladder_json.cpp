// A ladder's report as JSON.
#include <nlohmann/json.hpp>

#include "gpusim/ladders.h"
#include "gpusim/version.h"

namespace gpusim::validate {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson or_null(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(); }

OrderedJson gain_json(const LadderGain& gain) {
  return {{"over", gain.over},
          {"measured", gain.measured},
          {"simulated", gain.simulated},
          {"change", gain.change},
          {"right", gain.right}};
}

OrderedJson outcome_json(const Ladder& ladder, const LadderOutcome& outcome) {
  const LadderStep& step = ladder.steps[outcome.step];
  const LadderFigure& figure = step.figures[outcome.figure];
  return {{"step", step.name},
          {"title", step.title},
          {"published", step.published},
          {"note", step.note},
          {"library", step.of_library},
          {"m", figure.m},
          {"n", figure.n},
          {"k", figure.k},
          {"source", figure.source},
          {"measured_gflops", figure.gflops},
          {"measured_us", outcome.measured_us},
          {"simulated_gflops", or_null(outcome.simulated_gflops)},
          {"simulated_us", or_null(outcome.simulated_us)},
          {"error", or_null(outcome.error)},
          {"gain", outcome.gain ? gain_json(*outcome.gain) : OrderedJson()},
          {"refused", outcome.refused}};
}

}  // namespace

std::string json(const LadderReport& report) {
  const Ladder& ladder = report.ladder;
  const LadderSummary& summary = report.summary;
  OrderedJson document{{"version", version()}, {"ladder", ladder.name},   {"title", ladder.title},
                       {"gpu", ladder.gpu},    {"source", ladder.source}, {"licence", ladder.licence},
                       {"note", ladder.note},  {"exact", report.exact},   {"steps", OrderedJson::array()}};
  for (const LadderOutcome& outcome : report.outcomes) document["steps"].push_back(outcome_json(ladder, outcome));
  document["summary"] = {{"figures", summary.figures},
                         {"simulated", summary.simulated},
                         {"changes", summary.changes},
                         {"changes_right", summary.changes_right},
                         {"steady", summary.steady},
                         {"steady_right", summary.steady_right},
                         {"median_error", or_null(summary.median_error)},
                         {"worst_error", or_null(summary.worst_error)}};
  return document.dump(2) + "\n";
}

}  // namespace gpusim::validate
