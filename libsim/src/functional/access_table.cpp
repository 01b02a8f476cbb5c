#include "functional/access_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sizes.h"

namespace gpusim::functional {
namespace {

bool is_of_lane(const Term& term) { return term.source == Coordinate::lane || term.source == Coordinate::repeat; }

Layout part(const Layout& layout, bool of_lane) {
  Layout result(of_lane ? 0 : layout.offset());
  for (const Term& term : layout.terms())
    if (is_of_lane(term) == of_lane) result.add(term);
  return result;
}

std::vector<std::int64_t> sorted_unique(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Eigen::Index position(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::lower_bound(values.begin(), values.end(), value) - values.begin();
}

}  // namespace

AccessTable::AccessTable(const Layout& row, const Layout& column, const std::optional<Bound>& lanes, int vector,
                         std::int64_t count, Layout layer)
    : row_(part(row, false)),
      column_(part(column, false)),
      layer_(std::move(layer)),
      bounded_(lanes.has_value()),
      vector_(vector) {
  const Layout lane_row = part(row, true);
  const Layout lane_column = part(column, true);
  const Layout lane_bound = lanes ? part(lanes->value, true) : Layout();
  if (lanes) {
    bound_ = part(lanes->value, false);
    limit_ = lanes->limit;
  }
  Coordinates at{};
  for (std::int64_t repeat = 0; repeat < count; ++repeat)
    for (std::int64_t lane = 0; lane < lanes_per_warp; ++lane) {
      at[static_cast<std::size_t>(Coordinate::lane)] = lane;
      at[static_cast<std::size_t>(Coordinate::repeat)] = repeat;
      places_.push_back({lane_row(at), lane_column(at), lane_bound(at), places_.size()});
    }
}

Cells::Cells(const AccessTable& table) {
  std::map<std::pair<std::int64_t, std::int64_t>, Cell> found;
  const auto vector = static_cast<std::size_t>(table.vector());
  for (const Place& place : table.places())
    for (std::size_t element = 0; element < vector; ++element) {
      const std::int64_t column = place.column + static_cast<std::int64_t>(element);
      rows.push_back(place.row);
      columns.push_back(column);
      const Cell cell{place.row, column, place.bound, place.lane_slot * vector + element};
      Cell& known = found.try_emplace({place.row, column}, cell).first->second;
      if (cell.bound < known.bound) known = cell;
    }
  rows = sorted_unique(std::move(rows));
  columns = sorted_unique(std::move(columns));
  cells.reserve(found.size());
  for (auto& [key, cell] : found) {
    cell.at_row = position(rows, cell.row);
    cell.at_column = position(columns, cell.column);
    cells.push_back(cell);
  }
}

}  // namespace gpusim::functional
