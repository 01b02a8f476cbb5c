// Element types of operands and accumulators.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpusim {

/// int4 and b1 (single bits) are types of tensor-core fragments only: no buffer or tile may have them.
enum class DType : std::uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8, int32, int4, b1 };

inline constexpr std::array all_dtypes{DType::fp64, DType::fp32, DType::tf32,  DType::bf16, DType::fp16,
                                       DType::fp8,  DType::int8, DType::int32, DType::int4, DType::b1};

[[nodiscard]] constexpr std::string_view name(DType type) {
  constexpr std::array<std::string_view, 10> names{"fp64", "fp32", "tf32",  "bf16", "fp16",
                                                   "fp8",  "int8", "int32", "int4", "b1"};
  return names[static_cast<std::size_t>(type)];
}

/// Whether buffers and tiles may have this type.
[[nodiscard]] constexpr bool is_storable(DType type) { return type != DType::int4 && type != DType::b1; }

/// Bytes an element takes in memory (tf32 is stored as fp32); 0 of one that cannot be stored.
[[nodiscard]] constexpr int size_of(DType type) {
  constexpr std::array<int, 10> sizes{8, 4, 4, 2, 2, 1, 1, 4, 0, 0};
  return sizes[static_cast<std::size_t>(type)];
}

/// int8 products that one lane's DP4A adds up.
inline constexpr int products_of_a_dot = 4;
/// fp16 multiply-adds of one lane's HFMA2.
inline constexpr int products_of_a_pair = 2;

/// The type called `text`, or nothing.
[[nodiscard]] constexpr std::optional<DType> dtype_named(std::string_view text) {
  for (const DType type : all_dtypes)
    if (name(type) == text) return type;
  return std::nullopt;
}

/// Of text that names none the type it may mean, by what others call it ("half" and "float16" are fp16) or by its
/// letters; or "".
[[nodiscard]] std::string_view nearest_dtype(std::string_view text);

}  // namespace gpusim
