// Rows of aligned columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusim::view {

class Table {
 public:
  /// One letter a column: 'l' aligns left, 'r' right.
  explicit Table(std::string_view columns) : columns_(columns) {}

  /// Missing cells at the end are blank. Throws std::logic_error when there are more cells than columns.
  Table& row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Lines that begin with `indent` blanks and end without.
  [[nodiscard]] std::string text(std::size_t indent = 2) const;

 private:
  std::string columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gpusim::view
