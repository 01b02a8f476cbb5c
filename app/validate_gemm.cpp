// gpusim validate --gemm
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commands.h"
#include "counter.h"
#include "errors.h"
#include "files.h"
#include "gemm_journal.h"
#include "validate_gemm_options.h"
#include "watch.h"

namespace app {

namespace {

using gpusim::validate::GemmOutcome;
using gpusim::validate::GemmReport;
using gpusim::validate::GemmRun;
using gpusim::validate::GemmSelection;
using gpusim::validate::GemmTable;
using gpusim::validate::SelectedGemms;

constexpr std::size_t longest_table = std::size_t{64} << 20;

/// Does `write`; what goes wrong is added to the problems.
template <class Write>
void attempt(Problems& problems, const Write& write) {
  try {
    write();
  } catch (const gpusim::InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

/// The first file that is written, if any.
std::optional<std::string> output_file(const Options& options) {
  for (const char* option : {"rows", "json"}) {
    const auto path = options.value(option);
    if (path && *path != "-") return path;
  }
  return std::nullopt;
}

/// Where the comparison goes. Whether files can be written is known before anything runs.
class GemmOutputs {
 public:
  GemmOutputs(const Options& options, Problems& problems) {
    const auto json = options.value("json");
    const auto rows = options.value("rows");
    if (json == "-" && rows == "-")
      problems.push_back({"--rows", "standard output cannot hold --json and --rows both"});
    if (json) attempt(problems, [&] { json_.emplace(*json, "--json"); });
    if (rows) attempt(problems, [&] { rows_.emplace(*rows, "--rows"); });
    prints_text_ = json != "-" && rows != "-";
  }

  /// What cannot be written does not cost what can.
  void write(const GemmTable& table, const SelectedGemms& selected, const std::vector<GemmOutcome>& outcomes,
             Problems& problems) {
    const GemmReport report = gpusim::validate::report(table, selected, outcomes);
    if (json_) attempt(problems, [&] { json_->commit(gpusim::validate::json(report)); });
    if (rows_) attempt(problems, [&] { rows_->commit(gpusim::validate::csv(table, selected.rows, outcomes)); });
    if (prints_text_) attempt(problems, [&] { print(gpusim::validate::text(report)); });
  }

 private:
  std::optional<OutputFile> json_;
  std::optional<OutputFile> rows_;
  bool prints_text_ = true;
};

SelectedGemms select_rows(const GemmTable& table, const GemmSelection& selection) {
  SelectedGemms selected;
  try {
    selected = gpusim::validate::select(table, selection);
  } catch (const gpusim::ProfileError& error) {
    refuse({{"--gpu", error.problems().front().what}});
  }
  const bool narrowed = !selection.gpus.empty() || !selection.tier.empty();
  if (narrowed && selected.rows.empty() && selected.out_of_scope.empty()) {
    Problems problems = table.problems;
    problems.push_back({selection.tier.empty() ? "--gpu" : "--tier", "no row of the table is left"});
    refuse(std::move(problems));
  }
  return selected;
}

/// Rows that `journal` has are not simulated again.
std::vector<GemmOutcome> simulate_rows(const GemmTable& table, const std::vector<std::size_t>& rows, GemmRun run,
                                       GemmJournal* journal) {
  const Watch watch;
  Counter counter("rows");
  run.stop = [&] { return watch.interrupted(); };
  run.progress = [&](std::size_t done, std::size_t of) { counter.show(done, of); };
  if (journal != nullptr) {
    run.known = journal->read(table);
    run.finished = [&](std::size_t row, const GemmOutcome& outcome) { journal->add(table.rows[row].line, outcome); };
  }
  auto outcomes = gpusim::validate::compare(table, rows, run);
  if (outcomes) return std::move(*outcomes);
  const std::string kept =
      journal == nullptr ? "nothing was written"
                         : fmt::format("what is done is kept in {}: the same command goes on there", journal->path());
  throw Interrupted(fmt::format("interrupted within {} rows; {}", rows.size(), kept));
}

}  // namespace

int validate_gemm(const std::vector<std::string>& arguments) {
  const CommandSpec command = validate_gemm_spec();
  // Before the options are read: who asks for help has no file to name yet.
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const auto& word) { return word == "--help" || word == "-h"; })) {
    print(help(command));
    return exit_ok;
  }
  const Options options(command, arguments);
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option ('{} --help' lists them)", options.words().front(), command.name));

  Problems problems;
  const GemmSelection selection = read_gemm_selection(options, problems);
  const GemmRun run = read_gemm_run(options, problems);
  GemmOutputs outputs(options, problems);
  refuse(std::move(problems));

  const std::string path = options.value_or("gemm", "");
  const std::string text = read_text(path, longest_table);
  const GemmTable table = gpusim::validate::read_gemms(text, path);
  if (table.rows.empty()) refuse(table.problems.empty() ? Problems{{path, "the table has no rows"}} : table.problems);
  const SelectedGemms selected = select_rows(table, selection);
  std::optional<GemmJournal> journal;
  if (const auto beside = output_file(options))
    journal.emplace(*beside + ".journal", text, options.value_or("clock", "") + (options.has("waves") ? " waves" : ""));
  const std::vector<GemmOutcome> outcomes = simulate_rows(table, selected.rows, run, journal ? &*journal : nullptr);
  problems.clear();
  outputs.write(table, selected, outcomes, problems);
  if (journal && problems.empty()) journal->remove();
  problems.insert(problems.begin(), table.problems.begin(), table.problems.end());
  refuse(std::move(problems));
  return exit_ok;
}

}  // namespace app
