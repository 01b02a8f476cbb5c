// What is done to an element of a product before it is stored.
#pragma once

#include "gpusim/functional.h"

namespace gpusim::functional {

/// activation(alpha c + beta source + bias). A source that beta 0 leaves out may be NaN.
[[nodiscard]] inline double scaled(const Scale& scale, double c, double source, double bias) {
  const double sum = scale.alpha * c + (scale.beta != 0 ? scale.beta * source : 0) + bias;
  return activated(sum, scale.activation);
}

}  // namespace gpusim::functional
