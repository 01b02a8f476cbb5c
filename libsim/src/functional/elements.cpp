#include "functional/elements.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "functional/epilogue.h"
#include "functional/sparse.h"

namespace gpusim::functional {
namespace {

using Positions = std::vector<std::int64_t>;

Positions shifted(Positions positions, std::int64_t by) {
  for (std::int64_t& position : positions) position += by;
  return positions;
}

Positions united(const Positions& a, const Positions& b) {
  Positions both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

/// Index of `value`, or -1.
Eigen::Index find(const Positions& positions, std::int64_t value) {
  const auto found = std::lower_bound(positions.begin(), positions.end(), value);
  return found != positions.end() && *found == value ? found - positions.begin() : -1;
}

/// The index of each of `positions` among others, or -1. Both ascend.
std::vector<Eigen::Index> places(const Positions& positions, const Positions& among) {
  std::vector<Eigen::Index> found;
  found.reserve(positions.size());
  auto next = among.begin();
  for (const std::int64_t position : positions) {
    next = std::lower_bound(next, among.end(), position);
    found.push_back(next != among.end() && *next == position ? next - among.begin() : -1);
  }
  return found;
}

Eigen::Index size(const Positions& positions) { return static_cast<Eigen::Index>(positions.size()); }
std::size_t index(Eigen::Index position) { return static_cast<std::size_t>(position); }

}  // namespace

Elements::Elements(const Cells& cells, const Base& base)
    : rows_(shifted(cells.rows, base.row)),
      columns_(shifted(cells.columns, base.column)),
      values_(Matrix::Zero(size(rows_), size(columns_))),
      present_(Mask::Zero(size(rows_), size(columns_))) {}

Elements Elements::zeros() {
  Elements elements;
  elements.missing_ = 0;
  return elements;
}

double Elements::at(std::int64_t row, std::int64_t column) const {
  const Eigen::Index i = find(rows_, row);
  const Eigen::Index j = find(columns_, column);
  return is_at(i, j) ? values_(i, j) : missing_;
}

bool Elements::has(std::int64_t row, std::int64_t column) const {
  const Eigen::Index i = find(rows_, row);
  const Eigen::Index j = find(columns_, column);
  return is_at(i, j);
}

void Elements::cover(const Positions& rows, const Positions& columns) {
  if (rows_ == rows && columns_ == columns) return;
  Elements wider;
  wider.rows_ = united(rows_, rows);
  wider.columns_ = united(columns_, columns);
  wider.values_ = Matrix::Zero(size(wider.rows_), size(wider.columns_));
  wider.present_ = Mask::Zero(size(wider.rows_), size(wider.columns_));
  wider.missing_ = missing_;
  const std::vector<Eigen::Index> to_rows = places(rows_, wider.rows_);
  const std::vector<Eigen::Index> to_columns = places(columns_, wider.columns_);
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j)
      if (present_(i, j) != 0) wider.set(to_rows[index(i)], to_columns[index(j)], values_(i, j));
  *this = std::move(wider);
}

void Elements::add_product(const Elements& a, const Elements& b) {
  cover(a.rows_, b.columns_);
  const bool dense =
      a.columns_ == b.rows_ && a.rows_ == rows_ && b.columns_ == columns_ && a.complete() && b.complete();
  if (!dense) return add_present_products(a, b);
  values_.noalias() += a.values_ * b.values_;
  present_.setOnes();
}

void Elements::add_present_products(const Elements& a, const Elements& b) {
  const std::vector<Eigen::Index> rows = places(a.rows_, rows_);
  const std::vector<Eigen::Index> columns = places(b.columns_, columns_);
  const std::vector<Eigen::Index> others = places(a.columns_, b.rows_);
  for (Eigen::Index i = 0; i < size(a.rows_); ++i) {
    const Eigen::Index row = rows[index(i)];
    for (Eigen::Index k = 0; k < size(a.columns_); ++k) {
      const Eigen::Index other = others[index(k)];
      if (other < 0 || a.present_(i, k) == 0) continue;
      for (Eigen::Index j = 0; j < size(b.columns_); ++j) {
        if (b.present_(other, j) == 0) continue;
        const Eigen::Index column = columns[index(j)];
        set(row, column, values_(row, column) + a.values_(i, k) * b.values_(other, j));
      }
    }
  }
}

Elements Elements::transposed() const {
  Elements other;
  other.rows_ = columns_;
  other.columns_ = rows_;
  other.values_ = values_.transpose();
  other.present_ = present_.transpose();
  other.missing_ = missing_;
  return other;
}

Elements Elements::unpacked() const {
  constexpr std::int64_t word = products_of_a_dot;
  Elements wide;
  wide.missing_ = missing_;
  for (const std::int64_t row : rows_)
    for (std::int64_t element = 0; element < word; ++element) wide.rows_.push_back(word * row + element);
  for (const std::int64_t column : columns_)
    if (wide.columns_.empty() || wide.columns_.back() != column / word) wide.columns_.push_back(column / word);
  wide.values_ = Matrix::Zero(size(wide.rows_), size(wide.columns_));
  wide.present_ = Mask::Zero(size(wide.rows_), size(wide.columns_));
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j)
      if (present_(i, j) != 0)
        wide.set(word * i + columns_[index(j)] % word, find(wide.columns_, columns_[index(j)] / word), values_(i, j));
  return wide;
}

Elements Elements::spread() const {
  Elements wide = *this;
  std::transform(columns_.begin(), columns_.end(), wide.columns_.begin(), place_of_stored);
  return wide;
}

Elements Elements::spread(const Elements& metadata, int words) const {
  Elements wide;
  wide.rows_ = rows_;
  for (const std::int64_t column : columns_) {
    const std::int64_t first = column / stored_of_four * four;
    if (!wide.columns_.empty() && wide.columns_.back() >= first) continue;
    for (std::int64_t place = 0; place < four; ++place) wide.columns_.push_back(first + place);
  }
  wide.values_ = Matrix::Zero(size(wide.rows_), size(wide.columns_));
  wide.present_ = Mask::Ones(size(wide.rows_), size(wide.columns_));
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j) {
      const std::int64_t stored = columns_[index(j)];
      const std::int64_t word = stored / stored_of_word;
      const double bits = metadata.at(word / words, rows_[index(i)] * words + word % words);
      const std::int64_t first = stored / stored_of_four * four;
      const bool is_known = present_(i, j) != 0 && !std::isnan(bits);
      const std::int64_t place = std::isnan(bits) ? stored % stored_of_four : place_in_word(bits, stored);
      wide.set(i, find(wide.columns_, first + place),
               is_known ? values_(i, j) : std::numeric_limits<double>::quiet_NaN());
    }
  return wide;
}

bool Elements::shares_none(const Elements& other) const {
  if (!present_.any()) return false;
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j)
      if (present_(i, j) != 0 && other.has(rows_[index(i)], columns_[index(j)])) return false;
  return true;
}

void Elements::scale(const Scale& scale, const Elements* source, const Elements* bias) {
  // A source may be of some of the elements; one of none of them was read from elsewhere, and shows.
  const bool shares = source != nullptr && !shares_none(*source);
  std::vector<Eigen::Index> rows;
  std::vector<Eigen::Index> columns;
  if (source != nullptr) {
    cover(source->rows_, source->columns_);
    rows = places(rows_, source->rows_);
    columns = places(columns_, source->columns_);
  }
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j) {
      const bool of_source = source != nullptr && source->is_at(rows[index(i)], columns[index(j)]);
      if (present_(i, j) == 0 && !of_source) continue;
      double added = 0;
      if (of_source) added = source->values_(rows[index(i)], columns[index(j)]);
      if (source != nullptr && !of_source && !shares) added = source->missing_;
      set(i, j, scaled(scale, values_(i, j), added, bias != nullptr ? bias->at(0, columns_[index(j)]) : 0));
    }
}

Elements Elements::times(const BlockFactors& factors, const Elements& rows, const Elements& columns,
                         const Coordinates& at) const {
  Elements made = *this;
  const std::int64_t before = factors.before(at);
  const std::int64_t k = factors.k(at);
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j)
      made.values_(i, j) *= rows.at(0, rows_[index(i)]) * columns.at((before + columns_[index(j)]) / factors.width, k);
  return made;
}

void Elements::keep_common(const Elements& other) {
  const std::vector<Eigen::Index> rows = places(rows_, other.rows_);
  const std::vector<Eigen::Index> columns = places(columns_, other.columns_);
  for (Eigen::Index i = 0; i < size(rows_); ++i)
    for (Eigen::Index j = 0; j < size(columns_); ++j) {
      const Eigen::Index row = rows[index(i)];
      const Eigen::Index column = columns[index(j)];
      if (values_(i, j) != (other.is_at(row, column) ? other.values_(row, column) : other.missing_))
        values_(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace gpusim::functional
