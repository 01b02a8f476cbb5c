#include "view/table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gpusim::view {

Table& Table::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a row has more cells than its table has columns");
  rows_.push_back(std::move(cells));
  return *this;
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());

  std::string text;
  for (const auto& cells : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - cells[i].size(), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == 'r' ? padding + cells[i] : cells[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gpusim::view
