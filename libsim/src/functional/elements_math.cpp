// What Map, Reduce and Shuffle make of elements.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "functional/elements.h"

namespace gpusim::functional {
namespace {

double combined(Combination combination, double a, double b) {
  switch (combination) {
    case Combination::sum:
      return a + b;
    case Combination::product:
      return a * b;
    case Combination::quotient:
      return a / b;
    case Combination::maximum:
      return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
    case Combination::power:
      return std::pow(a, b);
  }
  throw std::logic_error("no such combination");
}

double value_of_function(Function function, double x) {
  switch (function) {
    case Function::identity:
      return x;
    case Function::relu:
      return activated(x, Activation::relu);
    case Function::gelu:
      return activated(x, Activation::gelu);
    case Function::silu:
      return activated(x, Activation::silu);
    case Function::tanh:
      return std::tanh(x);
    case Function::exp:
      return std::exp(x);
    case Function::exp2:
      return std::exp2(x);
    case Function::reciprocal:
      return 1 / x;
    case Function::rsqrt:
      return 1 / std::sqrt(x);
    case Function::square:
      return x * x;
  }
  throw std::logic_error("no such function");
}

std::int64_t slot_of(const Dealing& dealing, std::int64_t column) { return column / dealing.vector % dealing.slots; }

/// The element of `b` that meets (row, column).
double met_by(const Map& map, const Elements& b, std::int64_t row, std::int64_t column) {
  switch (map.b_from) {
    case BroadcastFrom::each:
      return b.at(row, column);
    case BroadcastFrom::row:
      return b.at(row, slot_of(map.dealing, column));
    case BroadcastFrom::column:
      return b.at(0, column);
  }
  throw std::logic_error("no such broadcast");
}

double added(Reduction reduction, double before, double value) {
  switch (reduction) {
    case Reduction::sum:
      return before + value;
    case Reduction::sum_of_squares:
      return before + value * value;
    case Reduction::maximum:
      return combined(Combination::maximum, before, value);
  }
  throw std::logic_error("no such reduction");
}

double beginning_of(Reduction reduction) {
  return reduction == Reduction::maximum ? -std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

Elements Elements::mapped(const Map& map, const Elements* b, const Coordinates& at) const {
  constexpr double gone = -std::numeric_limits<double>::infinity();
  Elements made = *this;
  const bool each = b != nullptr && map.b_from == BroadcastFrom::each;
  if (each) made.cover(b->rows_, b->columns_);
  const bool stays_zero =
      map.combination == Combination::product && map.term == 0 && map.function == Function::identity;
  if (b == nullptr)
    made.missing_ = value_of_function(map.function, map.alpha * missing_ + map.term);
  else if (!stays_zero)
    made.missing_ = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < made.rows_.size(); ++i)
    for (std::size_t j = 0; j < made.columns_.size(); ++j) {
      const std::int64_t row = made.rows_[i];
      const std::int64_t column = made.columns_[j];
      const auto at_row = static_cast<Eigen::Index>(i);
      const auto at_column = static_cast<Eigen::Index>(j);
      if (made.present_(at_row, at_column) == 0 && !(each && b->has(row, column))) continue;
      double value = map.alpha * this->at(row, column);
      if (b != nullptr) value = combined(map.combination, value, map.beta * met_by(map, *b, row, column));
      value = value_of_function(map.function, value + map.term);
      if ((map.columns && column >= (*map.columns)(at)) || (map.diagonal && column > row + (*map.diagonal)(at)))
        value = gone;
      made.set(at_row, at_column, value);
    }
  return made;
}

Elements Elements::reduced(const Reduce& reduce, const Elements* before) const {
  std::set<std::int64_t> slots;
  for (const std::int64_t column : columns_) slots.insert(slot_of(reduce.dealing, column));
  Elements made;
  made.cover(rows_, {slots.begin(), slots.end()});
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto row = static_cast<Eigen::Index>(i);
      const auto column = static_cast<Eigen::Index>(j);
      if (present_(row, column) == 0) continue;
      const std::int64_t slot = slot_of(reduce.dealing, columns_[j]);
      const auto place = static_cast<Eigen::Index>(std::lower_bound(made.columns_.begin(), made.columns_.end(), slot) -
                                                   made.columns_.begin());
      if (made.present_(row, place) == 0)
        made.set(row, place, before != nullptr ? before->at(rows_[i], slot) : beginning_of(reduce.reduction));
      made.set(row, place, added(reduce.reduction, made.values_(row, place), values_(row, column)));
    }
  return made;
}

Elements Elements::shuffled(int distance) const {
  std::set<std::int64_t> columns;
  for (const std::int64_t column : columns_) columns.insert(column ^ distance);
  Elements made;
  made.missing_ = missing_;
  made.cover(rows_, {columns.begin(), columns.end()});
  for (std::size_t i = 0; i < made.rows_.size(); ++i)
    for (std::size_t j = 0; j < made.columns_.size(); ++j)
      if (has(made.rows_[i], made.columns_[j] ^ distance))
        made.set(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j),
                 this->at(made.rows_[i], made.columns_[j] ^ distance));
  return made;
}

}  // namespace gpusim::functional
