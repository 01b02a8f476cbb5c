// The report as JSON.
#include <nlohmann/json.hpp>

#include "gpusim/validate.h"
#include "gpusim/version.h"

namespace gpusim::validate {
namespace {

using Json = nlohmann::ordered_json;

/// Adds counts and errors; errors are null when no row was simulated.
void add(Json& object, const GemmErrors& errors) {
  object["n"] = errors.attempted;
  object["attempted"] = errors.attempted;
  object["simulated"] = errors.simulated;
  object["refused"] = errors.refused;
  const auto set = [&](const char* key, double GemmErrors::Over::*member) {
    object[key] = errors.over ? Json((*errors.over).*member) : Json();
  };
  set("mape", &GemmErrors::Over::mape);
  set("median_abs", &GemmErrors::Over::median_abs);
  set("median_signed", &GemmErrors::Over::median_signed);
  set("p95", &GemmErrors::Over::p95);
  set("max", &GemmErrors::Over::max);
  set("roofline_mape", &GemmErrors::Over::roofline_mape);
}

Json listed(const char* key, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  Json list = Json::array();
  for (const auto& [what, rows] : counts) list.push_back({{key, what}, {"n", rows}});
  return list;
}

}  // namespace

std::string json(const GemmReport& report) {
  Json document;
  document["version"] = version();
  document["groups"] = Json::array();
  for (const GemmGroup& group : report.groups) {
    Json object{{"gpu", group.gpu}, {"dtype", group.dtype}};
    add(object, group.errors);
    document["groups"].push_back(std::move(object));
  }
  Json overall;
  add(overall, report.overall);
  document["overall"] = std::move(overall);
  document["out_of_scope"] = listed("gpu", report.out_of_scope);
  document["refusals"] = listed("reason", report.refusals);
  constexpr int indent = 2;
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpusim::validate
