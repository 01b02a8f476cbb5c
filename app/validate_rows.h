// What the comparisons of `gpusim validate` with measured tables have in common: --gemm, --kernels and --ladders.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "files.h"
#include "gpusim/measured.h"
#include "options.h"
#include "row_journal.h"
#include "validate_rows_options.h"

namespace app {

using gpusim::validate::MeasuredRows;
using gpusim::validate::RowOutcome;
using gpusim::validate::RowRun;
using gpusim::validate::RowSelection;
using gpusim::validate::SelectedRows;

/// Where a comparison goes. Whether files can be written is known before anything runs.
class RowOutputs {
 public:
  RowOutputs(const Options& options, CommandFiles& files, Problems& problems);

  /// The first file that is written, if any.
  [[nodiscard]] const std::optional<std::string>& file() const { return file_; }

  /// What cannot be written does not cost what can.
  void write(const MeasuredRows& table, const SelectedRows& selected, const std::vector<RowOutcome>& outcomes,
             const RowRun& run, Problems& problems);

 private:
  std::optional<OutputFile> json_;
  std::optional<OutputFile> rows_;
  std::optional<std::string> file_;
  bool prints_text_ = true;
};

/// The options when something is to be run; nothing when help was asked for and printed. Throws UsageError.
[[nodiscard]] std::optional<Options> row_command_options(const CommandSpec& command,
                                                         const std::vector<std::string>& arguments);

/// The text of the table. Throws InputError when it cannot be read.
[[nodiscard]] std::string read_table(const std::string& path, CommandFiles& files);

/// Throws InputError when nothing is left; then `table_problems` are told, too.
[[nodiscard]] SelectedRows select_rows(const MeasuredRows& table, const Problems& table_problems,
                                       const RowSelection& selection);

/// The profiles that a run of these rows reads, as text that differs when their numbers do. Their files are then of
/// `files`.
[[nodiscard]] std::string profile_words(const MeasuredRows& table, const RowSelection& selection, CommandFiles& files);

/// A comparison: outcomes of the selected rows, or nothing when it was stopped.
using Comparison = std::function<std::optional<std::vector<RowOutcome>>(const std::vector<std::size_t>& rows)>;

/// Runs it with `run` set up for progress, interruption and the journal; rows that `journal` has are not simulated
/// again.
[[nodiscard]] std::vector<RowOutcome> simulate_rows(const MeasuredRows& table, const std::vector<std::size_t>& rows,
                                                    RowRun& run, RowJournal* journal, const Comparison& compare);

/// A kind of table that has nothing of its own to say of a run.
struct PlainRows {
  static void read_run(const Options&, RowRun&, Problems&) {}
  static std::string journal_words(const Options&) { return ""; }
};

/// All of a command. `Kind` has: spec(), option() and the names
///   read_run(options, run, problems)   what of a run is this kind's
///   read(text, path)                   a MeasuredTable
///   journal_words(options)             what else than run_words() an outcome depends on
/// and there is compare(table, rows, run).
template <class Kind>
int validate_rows(const std::vector<std::string>& arguments) {
  const CommandSpec command = Kind::spec();
  const std::optional<Options> options = row_command_options(command, arguments);
  if (!options) return exit_ok;

  Problems problems;
  const RowSelection selection = read_selection(*options, problems);
  RowRun run;
  read_run(*options, run, problems);
  Kind::read_run(*options, run, problems);
  CommandFiles files;
  RowOutputs outputs(*options, files, problems);
  const std::string path = options->value_or(Kind::option, "");
  if (path.empty()) problems.push_back({std::string("--") + Kind::option, "needs the name of a file"});
  refuse(std::move(problems));

  const std::string text = read_table(path, files);
  const auto table = Kind::read(text, path);
  remark(table.remarks);
  if (table.rows.empty()) refuse(table.problems.empty() ? Problems{{path, "the table has no rows"}} : table.problems);
  const SelectedRows selected = select_rows(table, table.problems, selection);
  const std::string profiles = profile_words(table, selection, files);
  std::optional<RowJournal> journal;
  if (outputs.file())
    journal.emplace(*outputs.file() + ".journal",
                    JournaledRun{command.name, text, profiles, run_words(*options) + Kind::journal_words(*options)},
                    files);
  const std::vector<RowOutcome> outcomes =
      simulate_rows(table, selected.rows, run, journal ? &*journal : nullptr,
                    [&](const std::vector<std::size_t>& rows) { return compare(table, rows, run); });
  problems.clear();
  outputs.write(table, selected, outcomes, run, problems);
  if (journal && problems.empty()) journal->finish(table, selected.rows);
  problems.insert(problems.begin(), table.problems.begin(), table.problems.end());
  refuse(std::move(problems));
  return exit_ok;
}

}  // namespace app
