// Elements of a matrix by their coordinates: what a fragment holds.
#pragma once

#include <cstdint>
#include <vector>

#include "functional/access_table.h"
#include "gpusim/functional.h"

namespace gpusim::functional {

/// Values at some of the crossings of some rows and columns.
class Elements {
 public:
  Elements() = default;
  /// Room for the cells, at `base`; nothing present.
  Elements(const Cells& cells, const Base& base);

  void set(Eigen::Index row, Eigen::Index column, double value) {
    present_(row, column) = 1;
    values_(row, column) = value;
  }
  /// The element at these coordinates; NaN when there is none.
  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const;

  /// this(i, j) += a(i, k) b(k, j) over all present pairs of equal k. An element that was not there begins at 0.
  void add_product(const Elements& a, const Elements& b);
  /// this = alpha this + beta source; without a source, alpha this.
  void scale(double alpha, double beta, const Elements* source);
  /// Makes NaN of every element that is not the same in `other`, which has the same coordinates.
  void keep_common(const Elements& other);

 private:
  using Mask = Eigen::Array<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] bool complete() const { return present_.all(); }
  void cover(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns);
  void add_present_products(const Elements& a, const Elements& b);

  std::vector<std::int64_t> rows_;  ///< ascending
  std::vector<std::int64_t> columns_;
  Matrix values_;
  Mask present_;
};

}  // namespace gpusim::functional
