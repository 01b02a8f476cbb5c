// Reading a table of measured GEMMs.
#include <array>
#include <string_view>

#include "gpusim/validate.h"
#include "validate/gemm_notes.h"
#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

constexpr std::array<std::string_view, 6> gemm_columns{"gpu", "m", "n", "k", "dtype_in", "time_us"};

constexpr std::array<std::string_view, 11> optional_gemm_columns{
    "batch",        "dtype_acc", "dtype_out", "layout", "schedule_notes", "library_or_kernel", "tflops",
    "measured_mhz", "launch",    "l2",        "data"};

DType usual_accumulate(DType input) {
  if (input == DType::fp64) return DType::fp64;
  const bool whole = input == DType::int8 || input == DType::int32 || input == DType::int4 || input == DType::b1;
  return whole ? DType::int32 : DType::fp32;
}

MeasuredGemm gemm_of(const RowFields& fields) {
  MeasuredGemm row;
  row.m = fields.extent("m");
  row.n = fields.extent("n");
  row.k = fields.extent("k");
  row.batch = fields.text("batch").empty() ? 1 : fields.extent("batch");
  row.input = fields.type("dtype_in");
  row.dtype = name(row.input);
  row.accumulate = fields.text("dtype_acc").empty() ? usual_accumulate(row.input) : fields.type("dtype_acc");
  if (!fields.text("dtype_out").empty()) row.result = fields.type("dtype_out");
  row.layout = fields.text("layout");
  row.schedule_notes = fields.text("schedule_notes");
  if (const auto problem = unreadable(row.layout, row.schedule_notes)) refuse_column(problem->where, problem->what);
  row.library = fields.text("library_or_kernel");
  row.tier = fields.text("tier").empty() ? "B" : fields.text("tier");
  row.time_us = fields.time_us();
  row.conditions = conditions_of(fields);
  if (!fields.text("tflops").empty()) (void)fields.positive("tflops");
  return row;
}

}  // namespace

GemmTable read_gemms(std::string_view csv, std::string_view origin) {
  return TableReader(csv, origin).read<MeasuredGemm>(gemm_columns, optional_gemm_columns, gemm_of);
}

}  // namespace gpusim::validate
