// Measured kernels other than products against simulated ones: streams, elementwise kernels, reductions,
// transpositions, softmax, norms, attention and decode.
//
//   const auto table = validate::read_kernels(text, "kernels.csv");
//   const auto outcomes = validate::compare(table, validate::select(table, {}).rows, {.jobs = 2});
//
// Columns of a table (measured.h):
//   gpu, op, shape, dtype, time_us      must be there
//   gb_per_s                            looked at for being a number only
//   source                              "repository:file"; how it measured, where we know that (docs/cli.md)
//   measured_mhz, launch, l2, data      how the row was measured (MeasuredConditions); as its source measures when
//                                       empty
//   tier                                for select(); B when empty
// `op` is a kernel's name, "softmax", and who wrote it, "softmax(torch2.1)", "softmax fwd (liger)": it shares the work
// out as that library does, as PyTorch where nobody is named (docs/cli.md lists names and libraries). A name that is
// known and has no schedule makes a row that is refused; one that nobody knows a row that cannot be read.
// `shape` is "16384x1280", rows and columns of the result; "16777216", one row; "b4 s1024 h32 kvh8 d128" of attention,
// with kvlen for s where there is one query; or named numbers, "N=256 {M: 4096}".
// `dtype` is the elements'; "bf16->fp8" has the result's too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/gpu.h"
#include "gpusim/measured.h"

namespace gpusim::validate {

/// Sizes of a kernel; what its kind does not have is 0.
struct KernelShape {
  std::int64_t rows = 0, columns = 0;
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0;
  int head_dim = 0;
};

/// One row of a table; `kernel` is its kind, "elementwise" or "attention", or the name of one that has no schedule.
struct MeasuredKernel : MeasuredRow {
  std::string name;     ///< "add", "rms_norm": `op` without who wrote it
  std::string library;  ///< who wrote it: "torch2.1"; "" where the table does not say
  KernelShape shape;
  std::optional<DType> input;  ///< none: the table has "?", and the row is refused
  DType result = DType::fp32;  ///< as `input` where the table does not say
};

using KernelTable = MeasuredTable<MeasuredKernel>;

/// Reads a table; `origin` names it in problems.
[[nodiscard]] KernelTable read_kernels(std::string_view csv, std::string_view origin);

/// Simulates a row: its kernels as its library shares them out, run and timed as simulate() of validate.h does.
[[nodiscard]] RowOutcome simulate(const MeasuredKernel& row, const Gpu& gpu, const RowRun& run);

/// An outcome for each of `rows`, in their order; nothing when `run.stop` gave up.
[[nodiscard]] std::optional<std::vector<RowOutcome>> compare(const KernelTable& table,
                                                             const std::vector<std::size_t>& rows, const RowRun& run);

}  // namespace gpusim::validate
