#include "validate_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "counter.h"
#include "gpusim/profile_io.h"
#include "saved_schedule.h"
#include "watch.h"

namespace app {

namespace {

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

}  // namespace

RowOutputs::RowOutputs(const Options& options, CommandFiles& files, Problems& problems) {
  const auto json = options.value("json");
  const auto rows = options.value("rows");
  if (json == "-" && rows == "-") problems.push_back({"--rows", "standard output cannot hold --json and --rows both"});
  if (json) attempt(problems, [&] { json_.emplace(*json, "--json", files); });
  if (rows) attempt(problems, [&] { rows_.emplace(*rows, "--rows", files); });
  prints_text_ = json != "-" && rows != "-";
  for (const auto& path : {rows, json})
    if (!file_ && path && *path != "-") file_ = path;
}

void RowOutputs::write(const MeasuredRows& table, const SelectedRows& selected, const std::vector<RowOutcome>& outcomes,
                       const RowRun& run, Problems& problems) {
  const gpusim::validate::ErrorReport report = gpusim::validate::report(table, selected, outcomes, run.changes);
  if (json_) attempt(problems, [&] { json_->commit(gpusim::validate::json(report)); });
  if (rows_) attempt(problems, [&] { rows_->commit(gpusim::validate::csv(table, selected.rows, outcomes)); });
  if (prints_text_) attempt(problems, [&] { print(gpusim::validate::text(report)); });
}

std::optional<Options> row_command_options(const CommandSpec& command, const std::vector<std::string>& arguments) {
  // Before the options are read: who asks for help has no file to name yet.
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const auto& word) { return word == "--help" || word == "-h"; })) {
    print(help(command));
    return std::nullopt;
  }
  Options options(command, arguments);
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option ('{} --help' lists them)", options.words().front(), command.name));
  return options;
}

std::string read_table(const std::string& path, CommandFiles& files) {
  files.add_input(path);
  return read_text(path, longest_table);
}

SelectedRows select_rows(const MeasuredRows& table, const Problems& table_problems, const RowSelection& selection) {
  SelectedRows selected;
  try {
    selected = gpusim::validate::select(table, selection);
  } catch (const gpusim::ProfileError& error) {
    refuse({{"--gpu", error.problems().front().what}});
  }
  const bool narrowed = !selection.gpus.empty() || !selection.tier.empty();
  if (narrowed && selected.rows.empty() && selected.out_of_scope.empty()) {
    Problems problems = table_problems;
    problems.push_back({selection.tier.empty() ? "--gpu" : "--tier", "no row of the table is left"});
    refuse(std::move(problems));
  }
  return selected;
}

std::string profile_words(const MeasuredRows& table, const RowSelection& selection, CommandFiles& files) {
  std::string words;
  std::vector<std::string> read;
  for (gpusim::validate::RowProfile& profile : gpusim::validate::profiles(table)) {
    words += fmt::format("{} {:016x}\n", profile.name, profile.digest);
    read.insert(read.end(), profile.files.begin(), profile.files.end());
  }
  for (const std::string& gpu : selection.gpus)
    if (means_file(gpu)) (void)gpusim::load_profile(gpu, read);
  for (const std::string& file : read) files.add_input(file);
  return words;
}

std::vector<RowOutcome> simulate_rows(const MeasuredRows& table, const std::vector<std::size_t>& rows, RowRun& run,
                                      RowJournal* journal, const Comparison& compare) {
  const Watch watch;
  Counter counter("rows");
  run.stop = [&] { return watch.interrupted(); };
  run.progress = [&](std::size_t done, std::size_t of) { counter.show(done, of); };
  if (journal != nullptr) {
    run.known = journal->read(table);
    run.finished = [&](std::size_t row, const RowOutcome& outcome) { journal->add(table.rows[row]->line, outcome); };
  }
  auto outcomes = compare(rows);
  if (outcomes) return std::move(*outcomes);
  const std::string kept =
      journal == nullptr || journal->is_empty()
          ? "nothing was written"
          : fmt::format("what is done is kept in {}: the same command goes on there", journal->path());
  throw Interrupted(fmt::format("interrupted within {} rows; {}", rows.size(), kept));
}

}  // namespace app
