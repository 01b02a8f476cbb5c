// What tables of measured times have in common: reading, selection, outcomes, errors.
//
// A table is CSV (RFC 4180) with a line that names its columns, in any order; columns nobody asks for are kept. Which
// there are say validate.h (matrix products), validate_kernels.h (other kernels) and validate_ladders.h (kernels
// improved step by step). A row is refused when it has more or fewer fields than there are columns, a number that is
// none, a type, layout or GPU nobody knows, or when it equals an earlier one in every column; the others are read.
//
//   const auto table = validate::read_kernels(text, "kernels.csv");
//   const auto selected = validate::select(table, {.gpus = {"A100"}, .sample = 50});
//   const auto outcomes = validate::compare(table, selected.rows, {.jobs = 2});
//   std::cout << validate::text(validate::report(table, selected, *outcomes));
//
// Which numbers of the model were chosen on measured rows, and on which: docs/validation.md, Fitted parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/run_options.h"

namespace gpusim::validate {

/// What a measured time has beside each kernel's cycles.
enum class Gap : std::uint8_t {
  trace,   ///< kernel traces
  stream,  ///< back-to-back launches
  graph,   ///< replay of a CUDA graph
};

enum class OperandData : std::uint8_t { random, zeros };

/// How a row itself says it was measured; what it leaves open is as its source measures.
struct MeasuredConditions {
  std::optional<std::int64_t> clock_mhz;  ///< column measured_mhz: the SM clock meanwhile
  std::optional<Gap> gap;                 ///< column launch: trace, stream or graph
  /// Column l2: warm or cold when a kernel begins. Warm, an array that does not fit L2 beside what else a repeat moves
  /// is cold all the same: repeats evict what the next one reads first. Cold, L2 is full of what others moved.
  std::optional<L2State> l2;
  std::optional<OperandData> data;  ///< column data: random or zeros, which switch nothing
};

/// What every row has.
struct MeasuredRow {
  std::int64_t line = 0;            ///< where it begins in its file, from 1
  std::vector<std::string> fields;  ///< its text, by column
  std::string gpu;                  ///< as the table has it
  std::string kernel;               ///< what rows are told apart by beside GPU and type; "" in tables of products
  std::string dtype;                ///< of the elements
  std::string source;               ///< "repository:file"; how it measured, where we know that (docs/cli.md)
  std::string tier;                 ///< for select()
  double time_us = 0;
  MeasuredConditions conditions;
};

template <class Row>
struct MeasuredTable {
  std::vector<std::string> columns;
  std::vector<Row> rows;          ///< those without problems, in order
  std::vector<Problem> problems;  ///< the others, one problem each, at "origin:line"
  std::vector<Problem> remarks;   ///< columns that are not read, called almost like one that would be
};

/// The rows of any table, as far as all have it; as long as the table lives.
struct MeasuredRows {
  template <class Row>
  MeasuredRows(const MeasuredTable<Row>& table) : columns(&table.columns) {  // NOLINT: every table is some rows
    rows.reserve(table.rows.size());
    for (const Row& row : table.rows) rows.push_back(&row);
  }

  const std::vector<std::string>* columns;
  std::vector<const MeasuredRow*> rows;
};

/// A profile that rows are simulated on.
struct RowProfile {
  std::string name;                ///< that it is loaded by
  std::uint64_t digest = 0;        ///< of its numbers, before RowRun::changes
  std::vector<std::string> files;  ///< that it is read from; none when it is built in
};
/// Those of the table's rows, by name. A GPU that is out of scope has none.
[[nodiscard]] std::vector<RowProfile> profiles(const MeasuredRows& table);

/// Which rows to compare.
struct RowSelection {
  std::vector<std::string> gpus;      ///< any of their names; empty: all
  std::string tier;                   ///< "": all
  std::optional<std::size_t> sample;  ///< so many, spread evenly over GPUs, kernels and types; none: all
  std::uint64_t seed = 0;             ///< of the sample
};

/// Row numbers of a table, ascending.
struct SelectedRows {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> out_of_scope;  ///< of GPUs that are known and not modelled
};

/// Throws ProfileError when a name among `gpus` is unknown. Equal seeds give equal samples on any machine.
[[nodiscard]] SelectedRows select(const MeasuredRows& table, const RowSelection& selection);

/// What became of a row.
struct RowOutcome {
  std::optional<double> simulated_us;  ///< none: it was refused
  double roofline_us = 0;              ///< at the same clock
  std::string schedule;                ///< "async 128x128x32, 4 stages"
  std::string bound;                   ///< the busiest resource, or "latency"
  std::string refused;                 ///< why
  std::int64_t clock_mhz = 0;          ///< SM clock of the simulated time
};

/// The SM clock of a row.
enum class RowClock : std::uint8_t {
  /// The row's own measured_mhz; else the one its source locked; else what the board's power leaves after as long as
  /// the source kept it busy.
  usual,
  boost,
  base,
  sustained,  ///< the profile's
  power,      ///< what the board's power leaves in a long run; of a profile without power its sustained clock
  fixed,
};

/// How the rows of a table are simulated.
struct RowRun {
  RowClock clock = RowClock::usual;
  std::int64_t clock_mhz = 0;  ///< for `fixed`
  int jobs = 1;                ///< threads; they change nothing but the time it takes
  /// Of a product of four waves of CTAs and more, two and four are simulated, at two lengths of k; what a
  /// wave adds each further one does: within some 7 %, and seconds for minutes where CTAs share SMs unevenly. With warm
  /// code; the clock that power leaves is the longest part's. What would save nothing is simulated whole.
  bool waves = false;
  /// "key=value": numbers that are changed first in the profile of every row's GPU, as gpusim::set() has them. One that
  /// a profile does not have, or cannot have, throws ProfileError before any row is simulated. report() is given them,
  /// too.
  std::vector<std::string> changes;
  std::function<bool()> stop;  ///< asked now and then, by several threads; true gives up
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< told after each row, by one thread at a time
  std::map<std::size_t, RowOutcome> known;                         ///< by row number: these are not simulated again
  /// Told of each row that was simulated to its end, by one thread at a time.
  std::function<void(std::size_t row, const RowOutcome&)> finished;
};

/// Errors in percent: 100 (simulated / measured - 1). Percentiles are interpolated linearly between ranks.
struct RowErrors {
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

struct ErrorGroup {
  std::string gpu;  ///< as the table has it
  std::string kernel;
  std::string dtype;
  RowErrors errors;
};

struct ErrorReport {
  std::vector<ErrorGroup> groups;  ///< by GPU, kernel and type, in the order of the table
  RowErrors overall;
  std::vector<std::pair<std::string, std::size_t>> out_of_scope;  ///< GPU, and its rows
  std::vector<std::pair<std::string, std::size_t>> refusals;      ///< reason, and its rows; the most frequent first
  std::vector<std::string> changes;                               ///< "key=value" of all profiles, as RowRun had them
};

/// `outcomes` are of `selected.rows`, in their order, with those `changes` of the profiles.
[[nodiscard]] ErrorReport report(const MeasuredRows& table, const SelectedRows& selected,
                                 const std::vector<RowOutcome>& outcomes, const std::vector<std::string>& changes = {});

/// Columns for people.
[[nodiscard]] std::string text(const ErrorReport& report);
/// An object with `set` (the changes), `groups`, `overall`, `out_of_scope` and `refusals`; ends with a newline.
[[nodiscard]] std::string json(const ErrorReport& report);
/// The rows' own columns and simulated_us, error (simulated / measured - 1), clock_mhz, schedule, bound, refused, as
/// CSV.
[[nodiscard]] std::string csv(const MeasuredRows& table, const std::vector<std::size_t>& rows,
                              const std::vector<RowOutcome>& outcomes);

}  // namespace gpusim::validate
