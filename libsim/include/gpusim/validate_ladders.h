// Measured ladders, kernels that people improved step by step, against simulated ones.
//
//   const auto table = validate::read_ladders(text, "ladders.csv");
//   const auto outcomes = validate::compare(table, validate::select(table, {}).rows, {.jobs = 2});
//
// Columns of a table (measured.h):
//   gpu, m, n, k, dtype, step, gflops   must be there; time is 2 m n k over gflops
//   kernel_name                         a library's, cuBLAS or CUTLASS, is chosen by trying (tune.h)
//   tile_params                         "128x128x8, 8x8", "CTA 256x128x64, ...", "BM128 BN128 BK8 ...": the tile
//   source                              "repository:file"
//   features, percent_of_cublas         not looked at
// `dtype` is that of A and B; "fp16(acc16)" and "fp16a16" sum in fp16.
// A step of a published ladder (ladders.h), found by source and figure or name, is simulated with its preset; another
// one with its tile, and what is open chosen by trying; one that states no tile is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/measured.h"

namespace gpusim::validate {

/// One row of a table; `kernel` is the ladder's name, or its source's repository.
struct MeasuredStep : MeasuredRow {
  std::int64_t m = 0, n = 0, k = 0;
  DType input = DType::fp32;
  DType accumulate = DType::fp32;
  std::string step;
  std::string kernel_name;
  std::string tile_params;
  double gflops = 0;
};

using StepTable = MeasuredTable<MeasuredStep>;

/// Reads a table; `origin` names it in problems.
[[nodiscard]] StepTable read_ladders(std::string_view csv, std::string_view origin);

/// An outcome for each of `rows`, in their order; nothing when `run.stop` gave up.
[[nodiscard]] std::optional<std::vector<RowOutcome>> compare(const StepTable& table,
                                                             const std::vector<std::size_t>& rows, const RowRun& run);

}  // namespace gpusim::validate
