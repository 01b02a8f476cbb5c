// The report for people.
#include <optional>

#include "gpusim/validate.h"
#include "view/format.h"
#include "view/table.h"

namespace gpusim::validate {
namespace {

std::string cell(std::optional<double> value, int decimals) { return value ? view::fixed(*value, decimals) : "-"; }

std::vector<std::string> cells(const std::string& gpu, const std::string& dtype, const GemmErrors& errors) {
  const GemmErrors::Over over = errors.over.value_or(GemmErrors::Over{});
  std::vector<std::string> row{gpu, dtype, std::to_string(errors.attempted), std::to_string(errors.simulated),
                               std::to_string(errors.refused)};
  for (const double value : {over.mape, over.median_abs, over.p95, over.max}) row.push_back(cell(value, 1));
  row.push_back(cell(over.median_signed, 1));
  row.push_back(cell(over.spearman, 3));
  row.push_back(cell(over.kendall, 3));
  row.push_back(cell(over.roofline_mape, 1));
  row.push_back(cell(over.scaled_roofline_mape, 1));
  return row;
}

std::string counts_text(const std::string& heading, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  if (counts.empty()) return "";
  std::string text = "\n" + heading + "\n";
  for (const auto& [what, rows] : counts)
    text += "  " + std::to_string(rows) + (rows == 1 ? " row: " : " rows: ") + what + "\n";
  return text;
}

}  // namespace

std::string text(const GemmReport& report) {
  view::Table table("llrrrrrrrrrrrr");
  table.row({"gpu", "dtype", "attempted", "simulated", "refused", "mean", "median", "p95", "max", "signed", "rank",
             "tau", "roofline", "scaled"});
  for (const GemmGroup& group : report.groups) table.row(cells(group.gpu, group.dtype, group.errors));
  table.row(cells("all", "", report.overall));
  return "Error of simulated times in percent: mean, median, 95th percentile and largest of absolute errors, where a\n"
         "refused row counts as 100; median of signed ones; Spearman's rank correlation and Kendall's tau; beside "
         "them\n"
         "the mean absolute error of the roofline, and of the roofline scaled by one factor for each GPU and "
         "type.\n\n" +
         table.text(0) + counts_text("Refused", report.refusals) +
         counts_text("GPUs out of scope, not attempted", report.out_of_scope);
}

}  // namespace gpusim::validate
