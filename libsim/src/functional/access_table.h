// Where the lanes of an operation's instructions begin, with the part that never changes worked out once.
//
// A Layout is a sum over coordinates, so it falls into what lane and repeat give (the table) and what warp, block and
// loop indices add (the base, evaluated once an execution).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpusim/program.h"

namespace gpusim::functional {

/// Where a lane of one instruction begins, relative to the base.
struct Place {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t bound = 0;     ///< of the lanes' bound
  std::size_t lane_slot = 0;  ///< repeat * 32 + lane
};

/// What the other coordinates add.
struct Base {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t bound = 0;
  std::int64_t layer = 0;
};

class AccessTable {
 public:
  AccessTable() = default;
  AccessTable(const Layout& row, const Layout& column, const std::optional<Bound>& lanes, int vector,
              std::int64_t count, Layout layer = 0);

  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] int vector() const { return vector_; }
  [[nodiscard]] Base base(const Coordinates& at) const { return {row_(at), column_(at), bound_(at), layer_(at)}; }
  /// Whether the lanes' bound lets it do anything.
  [[nodiscard]] bool active(const Base& base, std::int64_t bound) const {
    return !bounded_ || base.bound + bound < limit_;
  }

 private:
  std::vector<Place> places_;
  Layout row_;
  Layout column_;
  Layout bound_;
  Layout layer_;
  std::int64_t limit_ = 0;
  bool bounded_ = false;
  int vector_ = 1;
};

/// The distinct elements that an operation's lanes read, as cells of a small matrix: each row and column once, in
/// order.
struct Cells {
  struct Cell {
    std::int64_t row = 0;  ///< relative to the base
    std::int64_t column = 0;
    std::int64_t bound = 0;   ///< the smallest among the lanes that read it
    std::size_t value = 0;    ///< lane_slot * vector + element, of the first of those lanes
    Eigen::Index at_row = 0;  ///< position among `rows`
    Eigen::Index at_column = 0;
  };
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<Cell> cells;

  explicit Cells(const AccessTable& table);
  Cells() = default;
};

}  // namespace gpusim::functional
