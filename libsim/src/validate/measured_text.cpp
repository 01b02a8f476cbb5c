// The report for people.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "gpusim/measured.h"
#include "view/format.h"
#include "view/table.h"

namespace gpusim::validate {
namespace {

std::string cell(std::optional<double> value, int decimals) { return value ? view::fixed(*value, decimals) : "-"; }

std::vector<std::string> cells(std::vector<std::string> row, const RowErrors& errors) {
  const RowErrors::Over over = errors.over.value_or(RowErrors::Over{});
  for (const std::size_t count : {errors.attempted, errors.simulated, errors.refused})
    row.push_back(std::to_string(count));
  for (const double value : {over.mape, over.median_abs, over.p95, over.max})
    row.push_back(errors.over ? cell(value, 1) : "-");  // of no rows there is no error
  row.push_back(cell(over.median_signed, 1));
  row.push_back(cell(over.spearman, 3));
  row.push_back(cell(over.kendall, 3));
  row.push_back(cell(over.roofline_mape, 1));
  row.push_back(cell(over.scaled_roofline_mape, 1));
  return row;
}

/// What stands before the counts; tables of products have no column of kernels.
std::vector<std::string> heads(const ErrorReport& report, const std::string& gpu, const std::string& kernel,
                               const std::string& dtype) {
  const bool has_kernels = std::any_of(report.groups.begin(), report.groups.end(),
                                       [](const ErrorGroup& group) { return !group.kernel.empty(); });
  if (has_kernels) return {gpu, kernel, dtype};
  return {gpu, dtype};
}

/// The names of columns after those of heads().
constexpr std::array<std::string_view, 12> figures{"attempted", "simulated", "refused", "mean", "median",   "p95",
                                                   "max",       "signed",    "rank",    "tau",  "roofline", "scaled"};

std::string counts_text(const std::string& heading, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  if (counts.empty()) return "";
  std::string text = "\n" + heading + "\n";
  for (const auto& [what, rows] : counts)
    text += "  " + std::to_string(rows) + (rows == 1 ? " row: " : " rows: ") + what + "\n";
  return text;
}

std::string changes_text(const std::vector<std::string>& changes) {
  if (changes.empty()) return "";
  std::string text = "\nChanged in the profiles (--set)\n";
  for (const std::string& change : changes) text += "  " + change + "\n";
  return text;
}

}  // namespace

std::string text(const ErrorReport& report) {
  std::vector<std::string> header = heads(report, "gpu", "kernel", "dtype");
  const std::string left(header.size(), 'l');
  view::Table table(left + std::string(figures.size(), 'r'));
  header.insert(header.end(), figures.begin(), figures.end());
  table.row(header);
  for (const ErrorGroup& group : report.groups)
    table.row(cells(heads(report, group.gpu, group.kernel, group.dtype), group.errors));
  table.row(cells(heads(report, "all", "", ""), report.overall));
  return "Error of simulated times in percent: mean, median, 95th percentile and largest of absolute errors, where a\n"
         "refused row counts as 100; median of signed ones; Spearman's rank correlation and Kendall's tau; beside "
         "them\n"
         "the mean absolute error of the roofline, and of the roofline scaled by one factor for each GPU, "
         "kernel and type.\n\n" +
         table.text(0) + changes_text(report.changes) + counts_text("Refused", report.refusals) +
         counts_text("GPUs out of scope, not attempted", report.out_of_scope);
}

}  // namespace gpusim::validate
