// Numbers as narrower types hold them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusim/functional.h"

namespace gpusim::functional {
namespace {

/// A binary floating-point format: significant bits (with the implicit one), exponent of the smallest normal number.
struct Format {
  int bits;
  int smallest_exponent;
  double largest;
  bool has_infinity;
};

double rounded_to(double value, const Format& format) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last_bit = std::max(exponent - 1, format.smallest_exponent) - (format.bits - 1);
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -last_bit)), last_bit);
  if (std::abs(result) <= format.largest) return result;
  return std::copysign(format.has_infinity ? std::numeric_limits<double>::infinity() : format.largest, value);
}

double rounded_to_integer(double value, double lowest, double highest) {
  return std::isnan(value) ? value : std::clamp(std::nearbyint(value), lowest, highest);
}

}  // namespace

double rounded(double value, DType dtype) {
  constexpr double fp32_largest = std::numeric_limits<float>::max();
  switch (dtype) {
    case DType::fp64:
      return value;
    case DType::fp32:
      return rounded_to(value, {24, -126, fp32_largest, true});
    case DType::tf32:
      return rounded_to(value, {11, -126, fp32_largest, true});
    case DType::bf16:
      return rounded_to(value, {8, -126, fp32_largest, true});
    case DType::fp16:
      return rounded_to(value, {11, -14, 65504, true});
    case DType::fp8:  // e4m3
      return rounded_to(value, {4, -6, 448, false});
    case DType::int8:
      return rounded_to_integer(value, -128, 127);
    case DType::int32:
      return rounded_to_integer(value, std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max());
    case DType::int4:
      return rounded_to_integer(value, -8, 7);
    case DType::b1:
      return rounded_to_integer(value, 0, 1);
  }
  return value;
}

}  // namespace gpusim::functional
