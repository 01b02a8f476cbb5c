// Reading a table of ladders.
#include <array>
#include <cmath>
#include <string_view>

#include "gpusim/validate_ladders.h"
#include "validate/measured_table.h"
#include "validate/step_ladder.h"

namespace gpusim::validate {
namespace {

constexpr std::array<std::string_view, 7> step_columns{"gpu", "m", "n", "k", "dtype", "step", "gflops"};
constexpr std::array<std::string_view, 2> optional_step_columns{"kernel_name", "tile_params"};
constexpr double us_a_gflop = 1e-3;  ///< times floating-point operations

/// "fp16(acc16)" and "fp16a16" sum in fp16; others in fp32.
void read_step_types(const std::string& text, MeasuredStep& row) {
  std::string_view input = text;
  row.accumulate = DType::fp32;
  for (const std::string_view sums : {"(acc16)", "a16"})
    if (input.ends_with(sums)) {
      input.remove_suffix(sums.size());
      row.accumulate = DType::fp16;
    }
  row.input = RowFields::type("dtype", input);
  row.dtype = std::string(name(row.input)) + (row.accumulate == DType::fp16 ? "a16" : "");
}

MeasuredStep step_of(const RowFields& fields, const std::vector<Ladder>& known) {
  MeasuredStep row;
  row.m = fields.extent("m");
  row.n = fields.extent("n");
  row.k = fields.extent("k");
  read_step_types(fields.text("dtype"), row);
  row.step = fields.text("step");
  row.kernel_name = fields.text("kernel_name");
  row.tile_params = fields.text("tile_params");
  row.source = fields.text("source");
  row.tier = fields.text("tier").empty() ? "B" : fields.text("tier");
  row.gflops = fields.positive("gflops");
  row.time_us = 2 * us_a_gflop * static_cast<double>(row.m) * static_cast<double>(row.n) * static_cast<double>(row.k) /
                row.gflops;
  if (row.time_us < RowFields::least_us || !std::isfinite(row.time_us))
    refuse_column("gflops", in_quotes(fields.text("gflops")) + " means no time that a clock tells");
  const StepOfLadder found = find_step(row, "", known);
  row.kernel = found.ladder != nullptr ? found.ladder->name : std::string(repository_of(row.source));
  return row;
}

}  // namespace

StepTable read_ladders(std::string_view csv, std::string_view origin) {
  const std::vector<Ladder> known = ladders();
  return TableReader(csv, origin).read<MeasuredStep>(step_columns, optional_step_columns, [&](const RowFields& fields) {
    return step_of(fields, known);
  });
}

}  // namespace gpusim::validate
