// Reading a table of measured kernels.
#include <array>
#include <string_view>

#include "gpusim/validate_kernels.h"
#include "validate/kernel_names.h"
#include "validate/kernel_shape.h"
#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

constexpr std::array<std::string_view, 5> kernel_columns{"gpu", "op", "shape", "dtype", "time_us"};
constexpr std::array<std::string_view, 5> optional_kernel_columns{"gb_per_s", "measured_mhz", "launch", "l2", "data"};
constexpr std::string_view not_stated = "?";

DType element_type(std::string_view text) {
  struct OtherName {
    std::string_view name;
    DType type;
  };
  constexpr std::array others{OtherName{"float32", DType::fp32}, OtherName{"float16", DType::fp16},
                              OtherName{"bfloat16", DType::bf16}};
  for (const OtherName& other : others)
    if (text == other.name) return other.type;
  return RowFields::type("dtype", text);
}

void read_types(const std::string& text, MeasuredKernel& row) {
  row.dtype = text;
  if (text == not_stated) return;
  constexpr std::string_view arrow = "->";
  const std::size_t at = text.find(arrow);
  row.input = element_type(std::string_view(text).substr(0, at));
  row.result = at == std::string::npos ? *row.input : element_type(std::string_view(text).substr(at + arrow.size()));
  row.dtype = name(*row.input);
  if (row.result != *row.input) row.dtype += std::string(arrow) + std::string(name(row.result));
}

MeasuredKernel kernel_of(const RowFields& fields) {
  MeasuredKernel row;
  const WrittenName written = take_apart(fields.text("op"));
  const KernelName* known = kernel_named(written.name);
  if (known == nullptr) refuse_column("op", "unknown kernel " + in_quotes(written.name) + nearest_kernel(written.name));
  row.name = known->name;
  row.kernel = kind_text(*known);
  row.library = written.library;
  row.shape = kernel_shape(fields.text("shape"), known->kind);
  read_types(fields.text("dtype"), row);
  row.tier = fields.text("tier").empty() ? "B" : fields.text("tier");
  row.time_us = fields.time_us();
  row.conditions = conditions_of(fields);
  if (!fields.text("gb_per_s").empty()) (void)fields.positive("gb_per_s");
  return row;
}

}  // namespace

KernelTable read_kernels(std::string_view csv, std::string_view origin) {
  return TableReader(csv, origin).read<MeasuredKernel>(kernel_columns, optional_kernel_columns, kernel_of);
}

}  // namespace gpusim::validate
