// Elements of a matrix by their coordinates: what a fragment holds.
#pragma once

#include <cstdint>
#include <limits>
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
  /// A register file's zeros: 0 wherever one looks, until something is added.
  [[nodiscard]] static Elements zeros();

  void set(Eigen::Index row, Eigen::Index column, double value) {
    present_(row, column) = 1;
    values_(row, column) = value;
  }
  /// The element at these coordinates; NaN, or the 0 it began as, when there is none.
  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const;

  /// this(i, j) += a(i, k) b(k, j) over all present pairs of equal k. An element that was not there begins at 0.
  void add_product(const Elements& a, const Elements& b);
  /// Rows as columns.
  [[nodiscard]] Elements transposed() const;
  /// Of a 2:4 sparse matrix's stored columns, each at its place among all.
  [[nodiscard]] Elements spread() const;
  /// The same as metadata have them: element (i, j) of `metadata` is a word of row j / words (program.h). All four of a
  /// place's k are present, two of them 0; NaN where the word is missing.
  [[nodiscard]] Elements spread(const Elements& metadata, int words) const;
  /// Packed words taken apart: element (w, 4 j + e) becomes (4 w + e, j).
  [[nodiscard]] Elements unpacked() const;
  /// this = activation(alpha this + beta source + row 0 of bias), where this or source has an element. One that was not
  /// there begins at 0; of some of them the source may have none, and they have no such term.
  void scale(const Scale& scale, const Elements* source, const Elements* bias);
  /// Each element times its factors.
  [[nodiscard]] Elements times(const BlockFactors& factors, const Elements& rows, const Elements& columns,
                               const Coordinates& at) const;
  /// What a Map makes of this and `b`, its elements ending where `columns` and `diagonal` say.
  [[nodiscard]] Elements mapped(const Map& map, const Elements* b, const Coordinates& at) const;
  /// What a Reduce makes of this, going on from `before`.
  [[nodiscard]] Elements reduced(const Reduce& reduce, const Elements* before) const;
  /// Column c is what column c ^ distance was.
  [[nodiscard]] Elements shuffled(int distance) const;
  /// Makes NaN of every element that is not the same in `other`, which has the same coordinates.
  void keep_common(const Elements& other);

 private:
  using Mask = Eigen::Array<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] bool has(std::int64_t row, std::int64_t column) const;
  /// Whether there is an element at these positions of rows_ and columns_; -1 is none.
  [[nodiscard]] bool is_at(Eigen::Index row, Eigen::Index column) const {
    return row >= 0 && column >= 0 && present_(row, column) != 0;
  }
  [[nodiscard]] bool complete() const { return present_.all(); }
  /// It has elements, and `other` has none of them.
  [[nodiscard]] bool shares_none(const Elements& other) const;
  void cover(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns);
  void add_present_products(const Elements& a, const Elements& b);

  std::vector<std::int64_t> rows_;  ///< ascending
  std::vector<std::int64_t> columns_;
  Matrix values_;
  Mask present_;
  double missing_ = std::numeric_limits<double>::quiet_NaN();  ///< what an element that is not there reads as
};

}  // namespace gpusim::functional
