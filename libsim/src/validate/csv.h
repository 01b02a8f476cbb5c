// Comma-separated values as RFC 4180 has them: fields in double quotes may hold commas, line ends and doubled quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusim::validate {

struct CsvRecord {
  std::int64_t line = 0;  ///< it begins there, counted from 1
  std::vector<std::string> fields;
  std::string problem;  ///< why it cannot be read; "" when it can
};

/// The records of a text, empty lines left out. After one that cannot be read, reading goes on at the line after its
/// first.
[[nodiscard]] std::vector<CsvRecord> parse_csv(std::string_view text);

/// The field as it stands in a file: in quotes where it has to be.
[[nodiscard]] std::string csv_field(std::string_view field);

/// A record with its line end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gpusim::validate
