// The report for people.
#include <algorithm>
#include <array>
#include <charconv>

#include "gpusim/validate.h"

namespace gpusim::validate {
namespace {

using Row = std::vector<std::string>;

std::string fixed(double value) {
  std::array<char, 64> text{};
  constexpr int decimals = 1;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "-";
}

Row cells(const std::string& gpu, const std::string& dtype, const GemmErrors& errors) {
  Row row{gpu, dtype, std::to_string(errors.attempted), std::to_string(errors.simulated),
          std::to_string(errors.refused)};
  if (!errors.over) {
    row.resize(row.size() + 6, "-");
    return row;
  }
  const GemmErrors::Over& over = *errors.over;
  for (const double value : {over.mape, over.median_abs, over.p95, over.max, over.median_signed, over.roofline_mape})
    row.push_back(fixed(value));
  return row;
}

/// The first two columns to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
  constexpr std::size_t words = 2;
  constexpr std::size_t gap = 2;
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      text += (i == 0 ? "" : std::string(gap, ' ')) + (i < words ? row[i] + blanks : blanks + row[i]);
    }
    text += "\n";
  }
  return text;
}

std::string listed(const std::string& heading, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  if (counts.empty()) return "";
  std::string text = "\n" + heading + "\n";
  for (const auto& [what, rows] : counts)
    text += "  " + std::to_string(rows) + (rows == 1 ? " row: " : " rows: ") + what + "\n";
  return text;
}

}  // namespace

std::string text(const GemmReport& report) {
  std::vector<Row> rows{
      {"gpu", "dtype", "attempted", "simulated", "refused", "mean", "median", "p95", "max", "signed", "roofline"}};
  for (const GemmGroup& group : report.groups) rows.push_back(cells(group.gpu, group.dtype, group.errors));
  rows.push_back(cells("all", "", report.overall));
  return "Error of simulated times in percent: mean, median, 95th percentile and largest of absolute errors, median "
         "of\n"
         "signed ones; beside them the mean absolute error of the roofline.\n\n" +
         aligned(rows) + listed("Refused", report.refusals) +
         listed("GPUs out of scope, not attempted", report.out_of_scope);
}

}  // namespace gpusim::validate
