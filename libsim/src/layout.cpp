#include "gpusim/layout.h"

#include <algorithm>
#include <stdexcept>

namespace gpusim {

bool Layout::depends_on(Coordinate source) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return term.source == source; });
}

Layout& Layout::add(Term term) {
  if (term.divisor <= 0) throw std::logic_error("a layout term needs a positive divisor");
  if (term.modulus < 0) throw std::logic_error("a layout term's modulus is zero (none) or positive");
  if (term.shift < 0) throw std::logic_error("a layout term's shift is not negative");
  terms_.push_back(term);
  return *this;
}

Layout& Layout::operator+=(const Layout& other) {
  // By index and with the size taken first: `other` may be this layout.
  const std::size_t count = other.terms_.size();
  for (std::size_t i = 0; i < count; ++i) terms_.push_back(other.terms_[i]);
  offset_ += other.offset_;
  return *this;
}

Layout operator*(const Layout& layout, std::int64_t factor) {
  Layout product = layout;
  product.offset_ *= factor;
  for (Term& term : product.terms_) term.stride *= factor;
  return product;
}

Layout along(Coordinate source, std::int64_t stride, std::int64_t divisor, std::int64_t modulus, std::int64_t shift) {
  return Layout().add({source, stride, divisor, modulus, shift});
}

}  // namespace gpusim
