// Measured matrix products against simulated ones.
//
//   const auto table = validate::read_gemms(text, "gemm.csv");
//   const auto chosen = validate::select(table, {.gpus = {"A100"}, .sample = 50});
//   const auto compared = validate::compare(table, chosen.rows, {.jobs = 2});
//   std::cout << validate::text(validate::report(table, chosen, *compared));
//
// Columns of a table (measured.h):
//   gpu, m, n, k, dtype_in, time_us     must be there
//   batch                               1 when empty
//   dtype_acc                           fp32 when empty; int32 for int8, fp64 for fp64
//   layout                              "NN", "TN", "row x col", "op(A)=T op(B)=N col-major" (docs/cli.md), which a
//                                       remark in brackets may follow; NN when empty
//   schedule_notes                      "cta_tile=128x64", "cta_tile=128x128x32" or "128x128x32 CTA" give the tile;
//                                       with "grid=30x32x2" it is a library kernel's, whose first side goes with n;
//                                       splitK, block, stages, thread_tile and others what else is fixed (docs/cli.md).
//                                       What is open is chosen by trying (tune.h). Other text means nothing
//   source                              "repository:file"; how it measured, where we know that (docs/cli.md)
//   measured_mhz, launch, l2, data      how the row was measured (MeasuredConditions); as its source measures when
//                                       empty
//   tier                                for select(); B when empty
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/gpu.h"
#include "gpusim/measured.h"

namespace gpusim::validate {

/// One row of a table.
struct MeasuredGemm : MeasuredRow {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  std::optional<DType> result;  ///< of C; none: what the source's protocol or the usual library gives
  std::string layout;
  std::string schedule_notes;
  std::string library;  ///< or kernel
};

using GemmTable = MeasuredTable<MeasuredGemm>;
using GemmOutcome = RowOutcome;
using GemmClock = RowClock;
using GemmRun = RowRun;

/// Reads a table; `origin` names it in problems.
[[nodiscard]] GemmTable read_gemms(std::string_view csv, std::string_view origin);

/// Simulates a row: its kernels from the dispatcher's start to the last store, at the row's clock, and for each what
/// the source's way of measuring has beside them (of the profile: `launch.gap_ns` for back-to-back launches,
/// `launch.graph_gap_ns` for graphs, `launch.trace_ns` for kernel traces).
[[nodiscard]] GemmOutcome simulate(const MeasuredGemm& row, const Gpu& gpu, const GemmRun& run);

using GemmSimulation = std::function<GemmOutcome(const MeasuredGemm&, const Gpu&, const GemmRun&)>;

/// simulate() of products, whichever other headers declare a simulate() too.
inline GemmOutcome simulate_gemm(const MeasuredGemm& row, const Gpu& gpu, const GemmRun& run) {
  return simulate(row, gpu, run);
}

/// An outcome for each of `rows`, in their order; nothing when `run.stop` gave up. A row that the GPU or the schedules
/// cannot do is refused, with the reason.
[[nodiscard]] std::optional<std::vector<GemmOutcome>> compare(const GemmTable& table,
                                                              const std::vector<std::size_t>& rows, const GemmRun& run,
                                                              const GemmSimulation& simulation = simulate_gemm);

}  // namespace gpusim::validate
