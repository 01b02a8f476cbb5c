#include <cmath>
#include <numbers>

#include "gpusim/functional.h"

namespace gpusim::functional {

double activated(double value, Activation activation) {
  switch (activation) {
    case Activation::none:
      return value;
    case Activation::relu:
      return value < 0 ? 0 : value;
    case Activation::gelu:
      return value / 2 * std::erfc(-value / std::numbers::sqrt2);
    case Activation::silu:
      return value / (1 + std::exp(-value));
  }
  return value;
}

}  // namespace gpusim::functional
