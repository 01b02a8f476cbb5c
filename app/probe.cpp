// gpusim probe KIND
#include "gpusim/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "columns.h"
#include "commands.h"
#include "errors.h"
#include "files.h"
#include "machine_options.h"
#include "probe_output.h"
#include "watch.h"

namespace app {

namespace {

using gpusim::ProbeKind;

std::string probe_overview() {
  std::vector<std::vector<std::string>> rows;
  for (const ProbeKind& kind : gpusim::probe_kinds()) rows.push_back({"  " + kind.name, kind.title});
  return "gpusim probe KIND --arch NAME [options]\n\n"
         "Runs a microbenchmark on the simulated GPU and reads it as it is read on silicon. Without parameters it\n"
         "measures a whole curve; each parameter takes a list. 'gpusim probe KIND --help' lists them.\n\n" +
         columns(rows) +
         "\nExamples:\n"
         "  gpusim probe latency --arch A100-SXM4-40GB --footprint 16KiB,1MiB,32MiB,128MiB\n"
         "  gpusim probe dram --arch hopper --csv bandwidth.csv\n";
}

OptionSpec option_of(const gpusim::ProbeParameter& parameter) {
  std::string help = parameter.help;
  if (!parameter.choices.empty()) help += ": " + joined(parameter.choices);
  return {parameter.name, "LIST", fmt::format("{} (otherwise {})", help, parameter.otherwise)};
}

CommandSpec spec(const ProbeKind& kind) {
  OptionGroup parameters{"Parameters, each one value or several as a,b,c", {}};
  for (const gpusim::ProbeParameter& parameter : kind.parameters) parameters.options.push_back(option_of(parameter));
  return {"gpusim probe " + kind.name,
          fmt::format("gpusim probe {} --arch NAME [options]\n\n{}.\nLike {}.\n", kind.name, kind.title, kind.mirrors),
          {profile_option_group(),
           std::move(parameters),
           {"Run and output",
            {{"clock", "CLOCK", one_clock_help},
             {"json", "FILE|-", "also write the readings as JSON; - is standard output, which then has nothing else"},
             {"csv", "FILE|-", "also write them as CSV, one row a reading, to plot"}}}},
          ""};
}

/// Where readings go; whether files can be written is known before anything runs.
class ProbeOutputs {
 public:
  ProbeOutputs(const Options& options, CommandFiles& files, Problems& problems) {
    const auto json = options.value("json");
    const auto csv = options.value("csv");
    if (json == "-" && csv == "-") problems.push_back({"--csv", "standard output cannot hold --json and --csv both"});
    open(json_, json, "--json", files, problems);
    open(csv_, csv, "--csv", files, problems);
    prints_table_ = json != "-" && csv != "-";
  }

  void write(const gpusim::Profile& profile, const ProbeKind& kind, const std::vector<gpusim::ProbeReading>& readings) {
    if (json_) json_->commit(probe_json(profile, kind, readings));
    if (csv_) csv_->commit(probe_csv(kind, readings));
    if (prints_table_) print(probe_table(profile, kind, readings));
  }

 private:
  static void open(std::optional<OutputFile>& file, const std::optional<std::string>& path, const char* option,
                   CommandFiles& files, Problems& problems) {
    try {
      if (path) file.emplace(*path, option, files);
    } catch (const gpusim::InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }

  std::optional<OutputFile> json_;
  std::optional<OutputFile> csv_;
  bool prints_table_ = true;
};

/// What the library refuses, about options as the user knows them.
template <class Call>
auto told(const ProbeKind& kind, const Call& call) {
  try {
    return call();
  } catch (const gpusim::ScheduleError& error) {
    std::vector<std::string> names;
    for (const gpusim::ProbeParameter& parameter : kind.parameters) names.push_back(parameter.name);
    Problems problems;
    add_problems(error.problems(), names, problems);
    throw gpusim::InputError(std::move(problems));
  }
}

int run(const ProbeKind& kind, const Options& options) {
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option; parameters are given by name ('gpusim probe {} --help')",
                                 options.words().front(), kind.name));
  CommandFiles files;
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  const gpusim::RunOptions run_options = read_run_options(options, profile, problems);
  std::map<std::string, std::vector<std::string>> given;
  for (const gpusim::ProbeParameter& parameter : kind.parameters)
    if (const auto list = options.value(parameter.name)) given[parameter.name] = split(*list, ',');
  ProbeOutputs outputs(options, files, problems);
  refuse(std::move(problems));

  std::vector<gpusim::ProbePoint> points = told(kind, [&] { return gpusim::sweep(profile, kind.name, given); });
  std::vector<gpusim::ProbeReading> readings;
  const Watch watch;
  for (gpusim::ProbePoint& point : points) {
    point.clock_mhz = run_options.clock_mhz;
    auto reading = told(kind, [&] { return gpusim::measure(profile, point, [&] { return watch.interrupted(); }); });
    watch.throw_if_interrupted();
    if (reading) readings.push_back(*std::move(reading));
  }
  outputs.write(profile, kind, readings);
  return exit_ok;
}

}  // namespace

int probe(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("probe what? latency, dram, mma ...; 'gpusim probe --help' lists all");
  const std::vector<std::string> ordered = word_first(arguments, {});
  const std::string& name = ordered.front();
  if (name == "--help" || name == "-h") {
    print(probe_overview());
    return exit_ok;
  }
  std::vector<std::string> names;
  for (const ProbeKind& kind : gpusim::probe_kinds()) {
    names.push_back(kind.name);
    if (kind.name != name) continue;
    const CommandSpec command = spec(kind);
    const Options options(command, {ordered.begin() + 1, ordered.end()});
    if (!options.has("help")) return run(kind, options);
    print(help(command));
    return exit_ok;
  }
  throw UsageError(
      fmt::format("probe {}: no such probe{} (there are {})", name, suggestion(name, names), joined(names)));
}

}  // namespace app
