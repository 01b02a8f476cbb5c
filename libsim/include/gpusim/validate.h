// Measured times against simulated ones.
//
//   const auto table = validate::read_gemms(text, "gemm.csv");
//   const auto chosen = validate::select(table, {.gpus = {"A100"}, .sample = 50});
//   const auto compared = validate::compare(table, chosen.rows, {.jobs = 2});
//   std::cout << validate::text(validate::report(table, chosen, compared));
//
// A table is CSV (RFC 4180). Columns, in any order; others are kept and not looked at:
//   gpu, m, n, k, dtype_in, time_us     must be there
//   batch                               1 when empty
//   dtype_acc                           fp32 when empty; int32 for int8, fp64 for fp64
//   layout                              "NN", "TN ...", "row x col", "op(A)=T op(B)=N col-major" (docs/cli.md); NN when
//                                       empty
//   schedule_notes                      "cta_tile=128x64", "cta_tile=128x128x32" or "128x128x32 CTA" give the tile;
//                                       with "grid=30x32x2" it is a library kernel's, whose first side goes with n;
//                                       splitK, block, stages, thread_tile and others what else is fixed (docs/cli.md).
//                                       What is open is chosen by trying (tune.h)
//   source                              "repository:file"; how it measured, where we know that (docs/cli.md)
//   tier                                for select(); B when empty
// A row is one simulation of every cycle. No number of the model was fitted to these times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/error.h"
#include "gpusim/gpu.h"

namespace gpusim::validate {

/// One row of a table.
struct MeasuredGemm {
  std::int64_t line = 0;            ///< where it begins in its file, from 1
  std::vector<std::string> fields;  ///< its text, by column
  std::string gpu;                  ///< as the table has it
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  DType input = DType::fp16;
  DType accumulate = DType::fp32;
  std::string layout;
  std::string schedule_notes;
  std::string source;
  std::string tier;
  double time_us = 0;
};

struct GemmTable {
  std::vector<std::string> columns;
  std::vector<MeasuredGemm> rows;  ///< those without problems, in order
  std::vector<Problem> problems;   ///< the others, one problem each, at "origin:line"
};

/// Reads a table; `origin` names it in problems. A row is refused when it has more or fewer fields than there are
/// columns, a number that is none, a type or GPU nobody knows, or when it equals an earlier one in every column.
[[nodiscard]] GemmTable read_gemms(std::string_view csv, std::string_view origin);

/// Which rows to compare.
struct GemmSelection {
  std::vector<std::string> gpus;      ///< any of their names; empty: all
  std::string tier;                   ///< "": all
  std::optional<std::size_t> sample;  ///< so many, spread evenly over GPUs and types; none: all
  std::uint64_t seed = 0;             ///< of the sample
};

/// Row numbers of a table, ascending.
struct SelectedGemms {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> out_of_scope;  ///< of GPUs that are known and not modelled
};

/// Throws ProfileError when a name among `gpus` is unknown. Equal seeds give equal samples on any machine.
[[nodiscard]] SelectedGemms select(const GemmTable& table, const GemmSelection& selection);

/// What became of a row.
struct GemmOutcome {
  std::optional<double> simulated_us;  ///< none: it was refused
  double roofline_us = 0;              ///< at the same clock
  std::string schedule;                ///< "async 128x128x32, 4 stages"
  std::string bound;                   ///< the busiest resource, or "latency"
  std::string refused;                 ///< why
  std::int64_t clock_mhz = 0;          ///< SM clock of the simulated time
};

/// The SM clock of a row.
enum class GemmClock : std::uint8_t {
  usual,  ///< the one its source locked; else what the board's power leaves after as long as the source kept it busy
  boost,
  base,
  sustained,  ///< the profile's
  power,      ///< what the board's power leaves in a long run; of a profile without power its sustained clock
  fixed,
};

struct GemmRun {
  GemmClock clock = GemmClock::usual;
  std::int64_t clock_mhz = 0;  ///< for `fixed`
  int jobs = 1;                ///< threads; they change nothing but the time it takes
  /// Of a product of several waves of CTAs one is simulated, at two lengths of k, and the rest taken in proportion:
  /// seconds where the whole takes minutes. What one wave leaves in L2 for the next, and CTAs that drift apart over
  /// waves, are not in it. With warm code, and at the sustained clock where no other is given: `power` is not taken.
  bool waves = false;
  std::function<bool()> stop;  ///< asked now and then, by several threads; true gives up
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< told after each row, by one thread at a time
  std::map<std::size_t, GemmOutcome> known;                        ///< by row number: these are not simulated again
  /// Told of each row that was simulated to its end, by one thread at a time.
  std::function<void(std::size_t row, const GemmOutcome&)> finished;
};

/// Simulates a row: its kernels from the dispatcher's start to the last store, at the row's clock, and after each the
/// time between kernels that the source's way of measuring has in it (of the profile: `launch.gap_ns` for back-to-back
/// launches, `launch.graph_gap_ns` for graphs, none for kernel traces).
[[nodiscard]] GemmOutcome simulate(const MeasuredGemm& row, const Gpu& gpu, const GemmRun& run);

using GemmSimulation = std::function<GemmOutcome(const MeasuredGemm&, const Gpu&, const GemmRun&)>;

/// An outcome for each of `rows`, in their order; nothing when `run.stop` gave up. A row that the GPU or the schedules
/// cannot do is refused, with the reason.
[[nodiscard]] std::optional<std::vector<GemmOutcome>> compare(const GemmTable& table,
                                                              const std::vector<std::size_t>& rows, const GemmRun& run,
                                                              const GemmSimulation& simulation = simulate);

/// Errors in percent: 100 (simulated / measured - 1). Percentiles are interpolated linearly between ranks.
struct GemmErrors {
  std::size_t attempted = 0;
  std::size_t simulated = 0;
  std::size_t refused = 0;
  /// A refused row counts as an absolute error of 100.
  struct Over {
    double mape = 0;        ///< mean of absolute errors
    double median_abs = 0;  ///< median of absolute errors
    double p95 = 0;         ///< of absolute errors
    double max = 0;         ///< of absolute errors
    /// Of the simulated rows alone; none when there are none.
    std::optional<double> median_signed;         ///< median of errors
    std::optional<double> spearman;              ///< rank correlation of simulated and measured times; not in percent
    std::optional<double> kendall;               ///< Kendall's tau-b of the same
    std::optional<double> roofline_mape;         ///< mean of the roofline's absolute errors
    std::optional<double> scaled_roofline_mape;  ///< the same, each group's times scaled to a median error of 0
  };
  std::optional<Over> over;  ///< none when no row was attempted
};

struct GemmGroup {
  std::string gpu;  ///< as the table has it
  std::string dtype;
  GemmErrors errors;
};

struct GemmReport {
  std::vector<GemmGroup> groups;  ///< by GPU and type, in the order of the table
  GemmErrors overall;
  std::vector<std::pair<std::string, std::size_t>> out_of_scope;  ///< GPU, and its rows
  std::vector<std::pair<std::string, std::size_t>> refusals;      ///< reason, and its rows; the most frequent first
};

[[nodiscard]] GemmReport report(const GemmTable& table, const SelectedGemms& selected,
                                const std::vector<GemmOutcome>& outcomes);

/// Columns for people.
[[nodiscard]] std::string text(const GemmReport& report);
/// An object with `groups`, `overall`, `out_of_scope` and `refusals`; ends with a newline.
[[nodiscard]] std::string json(const GemmReport& report);
/// The rows' own columns and simulated_us, error (simulated / measured - 1), clock_mhz, schedule, bound, refused, as
/// CSV.
[[nodiscard]] std::string csv(const GemmTable& table, const std::vector<std::size_t>& rows,
                              const std::vector<GemmOutcome>& outcomes);

}  // namespace gpusim::validate
