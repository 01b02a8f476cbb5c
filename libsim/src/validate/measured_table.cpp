#include "validate/measured_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "edit_distance.h"
#include "gpusim/profile_io.h"

namespace gpusim::validate {
namespace {

constexpr std::int64_t most_extent = std::int64_t{1} << 40;
constexpr std::size_t longest_quote = 40;

std::string why_unknown(const std::string& gpu) {
  if (gpu.empty()) return "is empty";
  if (find_out_of_scope(gpu)) return "";
  try {
    (void)load_profile(gpu);
    return "";
  } catch (const ProfileError& error) {
    return error.problems().front().what;
  }
}

/// Whether `text` is `name` but for a letter, two that are swapped, or case. Of short names another letter makes
/// another word.
bool is_slip(std::string_view text, std::string_view name) {
  constexpr std::size_t shortest = 5;
  return std::max(text.size(), name.size()) >= shortest && edit_distance(text, name) <= 1;
}

}  // namespace

void refuse_column(std::string_view column, const std::string& what) {
  throw UnreadableRow{std::string(column) + ": " + what};
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quote) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, longest_quote)) + "...'";
}

std::string did_you_mean(std::string_view near) {
  return near.empty() ? "" : "; did you mean " + in_quotes(near) + "?";
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  return did_you_mean(nearest(text, names));
}

std::string RowFields::text(std::string_view column) const {
  const auto found = index_.find(column);
  return found == index_.end() ? "" : (*fields_)[found->second];
}

std::int64_t RowFields::extent(std::string_view column) const {
  const std::string text = this->text(column);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
    refuse_column(column, in_quotes(text) + " is not a whole number");
  if (error == std::errc::result_out_of_range || number < 1 || number > most_extent)
    refuse_column(column, in_quotes(text) + " is not between 1 and " + std::to_string(most_extent));
  return number;
}

double RowFields::positive(std::string_view column) const {
  const std::string text = this->text(column);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size() || error != std::errc() || !std::isfinite(number))
    refuse_column(column, in_quotes(text) + " is not a number");
  if (number <= 0) refuse_column(column, in_quotes(text) + " is not above 0");
  return number;
}

double RowFields::time_us() const {
  constexpr std::string_view column = "time_us";
  const double time = positive(column);
  if (time < least_us) refuse_column(column, in_quotes(text(column)) + " is too small: below 1e-6");
  return time;
}

DType RowFields::type(std::string_view column) const { return type(column, text(column)); }

DType RowFields::type(std::string_view column, std::string_view text) {
  if (const auto type = dtype_named(text)) return *type;
  refuse_column(column, "unknown type " + in_quotes(text) + did_you_mean(nearest_dtype(text)));
}

bool TableReader::read_header(std::span<const std::string_view> needed_columns) {
  if (records_.empty()) {
    problems_.push_back({origin_, "is empty: a table begins with a line that names its columns"});
    return false;
  }
  const CsvRecord& header = records_.front();
  if (!header.problem.empty()) {
    add_problem(header.line, header.problem);
    return false;
  }
  columns_ = header.fields;
  const std::string& first = header.fields.front();
  if (const std::size_t other = first.find_first_of(";\t"); header.fields.size() == 1 && other != std::string::npos) {
    add_problem(header.line, std::string("columns are separated by commas, not by ") +
                                 (first[other] == ';' ? "semicolons" : "tabs"));
    return false;
  }
  for (std::size_t i = 0; i < header.fields.size(); ++i)
    if (!fields_.index_.emplace(header.fields[i], i).second)
      add_problem(header.line, "column " + in_quotes(header.fields[i]) + " is there more than once");
  for (const std::string_view column : needed_columns) {
    if (fields_.index_.find(column) != fields_.index_.end()) continue;
    std::vector<std::string_view> there;  // of no other unit: whoever renames 'time_ms' would be a thousand times off
    for (const std::string& each : columns_)
      if (!column.ends_with("_us") || each.ends_with("_us") || each.find('_') == std::string::npos)
        there.push_back(each);
    const std::string_view near = nearest(column, there);
    add_problem(header.line, "there is no column '" + std::string(column) + "'" +
                                 (near.empty() ? "" : "; is it " + in_quotes(near) + "?"));
  }
  return problems_.empty();
}

std::vector<Problem> TableReader::misspelt_columns(std::span<const std::string_view> needed,
                                                   std::span<const std::string_view> others) const {
  std::vector<std::string_view> missing;
  std::vector<std::string_view> read(needed.begin(), needed.end());
  for (const auto& optional : {others, std::span<const std::string_view>(common_columns)})
    for (const std::string_view column : optional)
      (fields_.index_.find(column) == fields_.index_.end() ? missing : read).push_back(column);
  std::vector<Problem> remarks;
  for (const std::string& column : columns_) {
    if (std::find(read.begin(), read.end(), column) != read.end()) continue;
    const auto meant =
        std::find_if(missing.begin(), missing.end(), [&](std::string_view name) { return is_slip(column, name); });
    if (meant != missing.end())
      remarks.push_back({origin_ + ":" + std::to_string(records_.front().line),
                         "column " + in_quotes(column) + " is not read" + did_you_mean(*meant)});
  }
  return remarks;
}

bool TableReader::is_new(const CsvRecord& record) {
  if (!record.problem.empty()) {
    add_problem(record.line, record.problem);
    return false;
  }
  if (record.fields.size() != columns_.size()) {
    add_problem(record.line, "has " + std::to_string(record.fields.size()) + " fields; the table has " +
                                 std::to_string(columns_.size()) + " columns");
    return false;
  }
  const auto [earlier, is_new] = lines_.emplace(csv_line(record.fields), record.line);
  if (!is_new) add_problem(record.line, "equals line " + std::to_string(earlier->second) + " in every column");
  return is_new;
}

std::string TableReader::known_gpu() {
  std::string gpu = fields_.text("gpu");
  auto known = gpus_.find(gpu);
  if (known == gpus_.end()) known = gpus_.emplace(gpu, why_unknown(gpu)).first;
  if (!known->second.empty()) refuse_column("gpu", known->second);
  return gpu;
}

void TableReader::add_problem(std::int64_t line, const std::string& what) {
  problems_.push_back({origin_ + ":" + std::to_string(line), what});
}

}  // namespace gpusim::validate
