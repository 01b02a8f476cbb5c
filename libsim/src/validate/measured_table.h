// Reading a table of measured times: every row is good, or has one problem.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/measured.h"
#include "validate/csv.h"

namespace gpusim::validate {

/// A column of the row at hand cannot be read.
struct UnreadableRow {
  std::string what;
};

[[noreturn]] void refuse_column(std::string_view column, const std::string& what);

/// For problems: in single quotes, and not longer than a line takes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// "; did you mean 'fp16'?", or "" for "".
[[nodiscard]] std::string did_you_mean(std::string_view near);
/// The same, or nothing when no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

/// The row at hand, by column. Its methods throw UnreadableRow.
class RowFields {
 public:
  static constexpr double least_us = 1e-6;  ///< far below what any clock tells

  /// "" where the table has no such column.
  [[nodiscard]] std::string text(std::string_view column) const;
  /// Between 1 and 2^40.
  [[nodiscard]] std::int64_t extent(std::string_view column) const;
  [[nodiscard]] double positive(std::string_view column) const;
  /// The column of that name, from least_us on.
  [[nodiscard]] double time_us() const;
  [[nodiscard]] DType type(std::string_view column) const;
  /// The same, of a text that is a part of the column.
  [[nodiscard]] static DType type(std::string_view column, std::string_view text);

 private:
  friend class TableReader;

  std::map<std::string, std::size_t, std::less<>> index_;
  const std::vector<std::string>* fields_ = nullptr;
};

/// Columns that may be missing in any table.
inline constexpr std::array<std::string_view, 2> common_columns{"source", "tier"};

/// The columns measured_mhz, launch, l2 and data, each of which may be missing or empty.
[[nodiscard]] MeasuredConditions conditions_of(const RowFields& fields);

/// What does not depend on a table's kind.
class TableReader {
 public:
  TableReader(std::string_view csv, std::string_view origin) : records_(parse_csv(csv)), origin_(origin) {}

  /// `row_of(fields)` gives a row without line, fields, gpu and source. What it reads beside needed and common columns
  /// are `other_columns`.
  template <class Row, class RowOf>
  MeasuredTable<Row> read(std::span<const std::string_view> needed_columns,
                          std::span<const std::string_view> other_columns, const RowOf& row_of) {
    MeasuredTable<Row> table;
    if (read_header(needed_columns)) {
      table.remarks = misspelt_columns(needed_columns, other_columns);
      for (std::size_t i = 1; i < records_.size(); ++i) {
        CsvRecord& record = records_[i];
        if (!is_new(record)) continue;
        try {
          begin(record);
          const std::string gpu = known_gpu();
          Row row = row_of(std::as_const(fields_));
          row.gpu = gpu;
          row.source = fields_.text("source");
          row.line = record.line;
          row.fields = std::move(record.fields);
          table.rows.push_back(std::move(row));
        } catch (const UnreadableRow& reason) {
          add_problem(record.line, reason.what);
        }
      }
    }
    table.columns = std::move(columns_);
    table.problems = std::move(problems_);
    return table;
  }

 private:
  bool read_header(std::span<const std::string_view> needed_columns);
  /// Columns no row is read from, for each of which there is a near one that would be, and is missing.
  [[nodiscard]] std::vector<Problem> misspelt_columns(std::span<const std::string_view> needed,
                                                      std::span<const std::string_view> others) const;
  /// False when the record is no row, or one that was there before; then its problem is noted.
  bool is_new(const CsvRecord& record);
  void begin(const CsvRecord& record) { fields_.fields_ = &record.fields; }
  [[nodiscard]] std::string known_gpu();
  void add_problem(std::int64_t line, const std::string& what);

  std::vector<CsvRecord> records_;
  std::string origin_;
  std::vector<std::string> columns_;
  std::vector<Problem> problems_;
  RowFields fields_;
  std::map<std::string, std::int64_t> lines_;
  std::map<std::string, std::string> gpus_;  ///< why each is unknown; "" when it is known
};

}  // namespace gpusim::validate
