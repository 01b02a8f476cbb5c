#include "gpusim/dtype.h"

#include <algorithm>
#include <cctype>

#include "gpusim/error.h"

namespace gpusim {
namespace {

struct OtherName {
  std::string_view text;
  DType type;
};

/// As C, CUDA, PyTorch and PTX have them, in any case.
constexpr std::array other_names{
    OtherName{"double", DType::fp64},     OtherName{"float64", DType::fp64},  OtherName{"f64", DType::fp64},
    OtherName{"float", DType::fp32},      OtherName{"float32", DType::fp32},  OtherName{"f32", DType::fp32},
    OtherName{"single", DType::fp32},     OtherName{"half", DType::fp16},     OtherName{"float16", DType::fp16},
    OtherName{"f16", DType::fp16},        OtherName{"bfloat16", DType::bf16}, OtherName{"bfloat", DType::bf16},
    OtherName{"float8", DType::fp8},      OtherName{"e4m3", DType::fp8},      OtherName{"e5m2", DType::fp8},
    OtherName{"fp8_e4m3", DType::fp8},    OtherName{"fp8_e5m2", DType::fp8},  OtherName{"float8_e4m3fn", DType::fp8},
    OtherName{"float8_e5m2", DType::fp8}, OtherName{"i8", DType::int8},       OtherName{"s8", DType::int8},
    OtherName{"char", DType::int8},       OtherName{"int", DType::int32},     OtherName{"i32", DType::int32},
    OtherName{"s32", DType::int32},       OtherName{"i4", DType::int4},       OtherName{"s4", DType::int4}};

}  // namespace

std::string_view nearest_dtype(std::string_view text) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (const OtherName& other : other_names)
    if (std::equal(text.begin(), text.end(), other.text.begin(), other.text.end(), same)) return name(other.type);
  std::array<std::string_view, all_dtypes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = name(all_dtypes[i]);
  return nearest(text, names);
}

}  // namespace gpusim
