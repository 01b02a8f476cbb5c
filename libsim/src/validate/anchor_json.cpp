// The report as JSON.
#include <nlohmann/json.hpp>

#include "gpusim/validate_anchors.h"

namespace gpusim::validate {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json expected_of(const Expected& expected) {
  return expected.low == expected.high ? Json(expected.low) : Json::array({expected.low, expected.high});
}

Json check_of(const AnchorCheck& check) {
  return {{"anchor", check.anchor},
          {"gpu", check.gpu},
          {"quantity", check.quantity},
          {"unit", check.unit},
          {"expected", expected_of(check.expected)},
          {"simulated", number(check.simulated)},
          {"error", number(check.error)},
          {"tolerance", check.tolerance},
          {"verdict", name(check.verdict)},
          {"input", check.input.empty() ? Json(nullptr) : Json(check.input)},
          {"source", check.source},
          {"note", check.note}};
}

Json score_of(const AnchorScore& anchor) {
  return {{"anchor", anchor.anchor},   {"title", anchor.title},   {"score", number(anchor.score)},
          {"counted", anchor.counted}, {"passed", anchor.passed}, {"note", anchor.note}};
}

}  // namespace

std::string to_json(const AnchorReport& report) {
  Json page = {{"score", number(report.score)}, {"anchors", Json::array()}, {"checks", Json::array()}};
  for (const AnchorScore& anchor : report.anchors) page["anchors"].push_back(score_of(anchor));
  for (const AnchorCheck& check : report.checks) page["checks"].push_back(check_of(check));
  return page.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpusim::validate
