// The report as JSON.
#include <nlohmann/json.hpp>
#include <optional>

#include "gpusim/measured.h"
#include "gpusim/version.h"

namespace gpusim::validate {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Adds counts and errors; null is what there is none of.
void add(OrderedJson& object, const RowErrors& errors) {
  object["n"] = errors.attempted;
  object["attempted"] = errors.attempted;
  object["simulated"] = errors.simulated;
  object["refused"] = errors.refused;
  const auto set = [&](const char* key, auto RowErrors::Over::*member) {
    std::optional<double> value;
    if (errors.over) value = (*errors.over).*member;
    object[key] = value ? OrderedJson(*value) : OrderedJson();
  };
  set("mape", &RowErrors::Over::mape);
  set("median_abs", &RowErrors::Over::median_abs);
  set("median_signed", &RowErrors::Over::median_signed);
  set("p95", &RowErrors::Over::p95);
  set("max", &RowErrors::Over::max);
  set("spearman", &RowErrors::Over::spearman);
  set("kendall", &RowErrors::Over::kendall);
  set("roofline_mape", &RowErrors::Over::roofline_mape);
  set("scaled_roofline_mape", &RowErrors::Over::scaled_roofline_mape);
}

OrderedJson listed(const char* key, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [what, rows] : counts) list.push_back({{key, what}, {"n", rows}});
  return list;
}

}  // namespace

std::string json(const ErrorReport& report) {
  OrderedJson document;
  document["version"] = version();
  document["set"] = report.changes;
  document["groups"] = OrderedJson::array();
  for (const ErrorGroup& group : report.groups) {
    OrderedJson object{{"gpu", group.gpu}};
    if (!group.kernel.empty()) object["kernel"] = group.kernel;
    object["dtype"] = group.dtype;
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
