// Reading a table of measured GEMMs: every row is good, or has one problem.
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <system_error>

#include "gpusim/profile_io.h"
#include "gpusim/validate.h"
#include "validate/csv.h"

namespace gpusim::validate {
namespace {

constexpr std::array needed_columns{"gpu", "m", "n", "k", "dtype_in", "time_us"};
constexpr std::int64_t most_extent = std::int64_t{1} << 40;
constexpr std::size_t longest_quote = 40;

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quote) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, longest_quote)) + "...'";
}

/// A column of the row cannot be read.
struct Unreadable {
  std::string what;
};

[[noreturn]] void refuse(std::string_view column, const std::string& what) {
  throw Unreadable{std::string(column) + ": " + what};
}

DType usual_accumulate(DType input) {
  if (input == DType::fp64) return DType::fp64;
  const bool whole = input == DType::int8 || input == DType::int32 || input == DType::int4 || input == DType::b1;
  return whole ? DType::int32 : DType::fp32;
}

class TableReader {
 public:
  TableReader(std::string_view csv, std::string_view origin) : records_(parse_csv(csv)), origin_(origin) {}

  GemmTable read() {
    if (!read_header()) return std::move(table_);
    for (std::size_t i = 1; i < records_.size(); ++i) read_row(records_[i]);
    return std::move(table_);
  }

 private:
  void add_problem(std::int64_t line, const std::string& what) {
    table_.problems.push_back({origin_ + ":" + std::to_string(line), what});
  }

  bool read_header() {
    if (records_.empty()) {
      table_.problems.push_back({origin_, "is empty: a table begins with a line that names its columns"});
      return false;
    }
    const CsvRecord& header = records_.front();
    if (!header.problem.empty()) {
      add_problem(header.line, header.problem);
      return false;
    }
    table_.columns = header.fields;
    for (std::size_t i = 0; i < header.fields.size(); ++i)
      if (!index_.emplace(header.fields[i], i).second)
        add_problem(header.line, "column " + in_quotes(header.fields[i]) + " is there more than once");
    for (const std::string_view column : needed_columns)
      if (index_.find(column) == index_.end()) add_problem(header.line, missing(column));
    return table_.problems.empty();
  }

  [[nodiscard]] std::string missing(std::string_view column) const {
    const std::vector<std::string_view> there(table_.columns.begin(), table_.columns.end());
    const std::string_view near = nearest(column, there);
    return "there is no column '" + std::string(column) + "'" +
           (near.empty() ? "" : "; is it " + in_quotes(near) + "?");
  }

  void read_row(CsvRecord& record) {
    if (!record.problem.empty()) return add_problem(record.line, record.problem);
    if (record.fields.size() != table_.columns.size())
      return add_problem(record.line, "has " + std::to_string(record.fields.size()) + " fields; the table has " +
                                          std::to_string(table_.columns.size()) + " columns");
    const auto [earlier, is_new] = lines_.emplace(csv_line(record.fields), record.line);
    if (!is_new) return add_problem(record.line, "equals line " + std::to_string(earlier->second) + " in every column");
    try {
      table_.rows.push_back(row_of(record));
    } catch (const Unreadable& reason) {
      add_problem(record.line, reason.what);
    }
  }

  MeasuredGemm row_of(CsvRecord& record) {
    fields_ = &record.fields;
    MeasuredGemm row;
    row.line = record.line;
    row.gpu = known_gpu(field("gpu"));
    row.m = extent("m");
    row.n = extent("n");
    row.k = extent("k");
    row.batch = field("batch").empty() ? 1 : extent("batch");
    row.input = type("dtype_in");
    row.accumulate = field("dtype_acc").empty() ? usual_accumulate(row.input) : type("dtype_acc");
    row.layout = field("layout");
    row.schedule_notes = field("schedule_notes");
    row.source = field("source");
    row.tier = field("tier").empty() ? "B" : field("tier");
    row.time_us = positive("time_us");
    if (!field("tflops").empty()) (void)positive("tflops");
    row.fields = std::move(record.fields);
    return row;
  }

  /// Of the row at hand; "" where the table has no such column.
  [[nodiscard]] std::string field(std::string_view column) const {
    const auto found = index_.find(column);
    return found == index_.end() ? "" : (*fields_)[found->second];
  }

  [[nodiscard]] std::int64_t extent(std::string_view column) const {
    const std::string text = field(column);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
      refuse(column, in_quotes(text) + " is not a whole number");
    if (error == std::errc::result_out_of_range || number < 1 || number > most_extent)
      refuse(column, in_quotes(text) + " is not between 1 and " + std::to_string(most_extent));
    return number;
  }

  [[nodiscard]] double positive(std::string_view column) const {
    const std::string text = field(column);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || end != text.data() + text.size() || error != std::errc() || !std::isfinite(number))
      refuse(column, in_quotes(text) + " is not a number");
    if (number <= 0) refuse(column, in_quotes(text) + " is not above 0");
    return number;
  }

  [[nodiscard]] DType type(std::string_view column) const {
    const std::string text = field(column);
    if (const auto type = dtype_named(text)) return *type;
    std::vector<std::string_view> names;
    names.reserve(all_dtypes.size());
    for (const DType each : all_dtypes) names.push_back(name(each));
    const std::string_view near = nearest(text, names);
    refuse(column, "unknown type " + in_quotes(text) + (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?"));
  }

  std::string known_gpu(std::string gpu) {
    auto known = gpus_.find(gpu);
    if (known == gpus_.end()) known = gpus_.emplace(gpu, why_unknown(gpu)).first;
    if (!known->second.empty()) refuse("gpu", known->second);
    return gpu;
  }

  static std::string why_unknown(const std::string& gpu) {
    if (gpu.empty()) return "is empty";
    if (find_out_of_scope(gpu)) return "";
    try {
      (void)load_profile(gpu);
      return "";
    } catch (const ProfileError& error) {
      return error.problems().front().what;
    }
  }

  std::vector<CsvRecord> records_;
  std::string origin_;
  GemmTable table_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::string, std::int64_t> lines_;
  std::map<std::string, std::string> gpus_;  ///< why each is unknown; "" when it is known
  const std::vector<std::string>* fields_ = nullptr;
};

}  // namespace

GemmTable read_gemms(std::string_view csv, std::string_view origin) { return TableReader(csv, origin).read(); }

}  // namespace gpusim::validate
