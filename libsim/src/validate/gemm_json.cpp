// The report as JSON.
#include <nlohmann/json.hpp>
#include <optional>

#include "gpusim/validate.h"
#include "gpusim/version.h"

namespace gpusim::validate {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Adds counts and errors; null is what there is none of.
void add(OrderedJson& object, const GemmErrors& errors) {
  object["n"] = errors.attempted;
  object["attempted"] = errors.attempted;
  object["simulated"] = errors.simulated;
  object["refused"] = errors.refused;
  const auto set = [&](const char* key, auto GemmErrors::Over::*member) {
    std::optional<double> value;
    if (errors.over) value = (*errors.over).*member;
    object[key] = value ? OrderedJson(*value) : OrderedJson();
  };
  set("mape", &GemmErrors::Over::mape);
  set("median_abs", &GemmErrors::Over::median_abs);
  set("median_signed", &GemmErrors::Over::median_signed);
  set("p95", &GemmErrors::Over::p95);
  set("max", &GemmErrors::Over::max);
  set("spearman", &GemmErrors::Over::spearman);
  set("kendall", &GemmErrors::Over::kendall);
  set("roofline_mape", &GemmErrors::Over::roofline_mape);
  set("scaled_roofline_mape", &GemmErrors::Over::scaled_roofline_mape);
}

OrderedJson listed(const char* key, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [what, rows] : counts) list.push_back({{key, what}, {"n", rows}});
  return list;
}

}  // namespace

std::string json(const GemmReport& report) {
  OrderedJson document;
  document["version"] = version();
  document["groups"] = OrderedJson::array();
  for (const GemmGroup& group : report.groups) {
    OrderedJson object{{"gpu", group.gpu}, {"dtype", group.dtype}};
    add(object, group.errors);
    document["groups"].push_back(std::move(object));
  }
  OrderedJson overall;
  add(overall, report.overall);
  document["overall"] = std::move(overall);
  document["out_of_scope"] = listed("gpu", report.out_of_scope);
  document["refusals"] = listed("reason", report.refusals);
  constexpr int indent = 2;
  return document.dump(indent, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gpusim::validate
