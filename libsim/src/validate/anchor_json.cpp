// The report as JSON.
#include <nlohmann/json.hpp>

#include "gpusim/validate_anchors.h"

namespace gpusim::validate {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson expected_of(const Expected& expected) {
  return expected.low == expected.high ? OrderedJson(expected.low) : OrderedJson::array({expected.low, expected.high});
}

OrderedJson check_of(const AnchorCheck& check) {
  return {{"anchor", check.anchor},
          {"gpu", check.gpu},
          {"quantity", check.quantity},
          {"unit", check.unit},
          {"expected", expected_of(check.expected)},
          {"simulated", number(check.simulated)},
          {"error", number(check.error)},
          {"tolerance", check.tolerance},
          {"verdict", name(check.verdict)},
          {"input", check.input.empty() ? OrderedJson(nullptr) : OrderedJson(check.input)},
          {"source", check.source},
          {"note", check.note}};
}

OrderedJson score_of(const AnchorScore& anchor) {
  return {{"anchor", anchor.anchor},   {"title", anchor.title},   {"score", number(anchor.score)},
          {"counted", anchor.counted}, {"passed", anchor.passed}, {"note", anchor.note}};
}

}  // namespace

std::string to_json(const AnchorReport& report) {
  OrderedJson page = {
      {"score", number(report.score)}, {"anchors", OrderedJson::array()}, {"checks", OrderedJson::array()}};
  for (const AnchorScore& anchor : report.anchors) page["anchors"].push_back(score_of(anchor));
  for (const AnchorCheck& check : report.checks) page["checks"].push_back(check_of(check));
  return page.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gpusim::validate
