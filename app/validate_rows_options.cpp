#include "validate_rows_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "errors.h"
#include "gpusim/profile_io.h"
#include "machine_options.h"

namespace app {

namespace {

using gpusim::validate::RowClock;
using gpusim::validate::RowRun;
using gpusim::validate::RowSelection;

constexpr std::int64_t most_jobs = 1024;
constexpr std::int64_t most_count = std::numeric_limits<std::int64_t>::max();

void read_clock(const std::string& text, RowRun& run, Problems& problems) {
  const std::vector<std::pair<std::string, RowClock>> names{{"boost", RowClock::boost},
                                                            {"base", RowClock::base},
                                                            {"sustained", RowClock::sustained},
                                                            {"power", RowClock::power}};
  const auto named = std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == text; });
  if (named != names.end()) {
    run.clock = named->second;
  } else if (!text.empty() && text.find_first_not_of("-+.0123456789") == std::string::npos) {
    run.clock = RowClock::fixed;
    run.clock_mhz = whole_number(text, "--clock", {1, gpusim::fastest_mhz}, problems).value_or(1);
  } else {
    refuse_clock(text, {"boost", "base", "sustained", "power", "a number of MHz"}, problems);
  }
}

/// Tried on the profiles of --gpu first; names that nobody knows are told with the rows.
void read_changes(const Options& options, RowRun& run, Problems& problems) {
  run.changes = options.values("set");
  if (run.changes.empty()) return;
  if (!options.has("gpu")) throw UsageError("--set: of which GPU? Give --gpu, too");
  for (const std::string& gpu : split(options.value_or("gpu", ""), ',')) {
    gpusim::Profile profile;
    try {
      profile = gpusim::load_profile(gpu);
    } catch (const gpusim::ProfileError&) {
      continue;
    }
    const Problems found = change(profile, run.changes);
    problems.insert(problems.end(), found.begin(), found.end());
    if (!found.empty()) return;
  }
}

}  // namespace

std::vector<OptionSpec> selection_options() {
  return {{"gpu", "LIST", "only these GPUs, as A100,T4"},
          {"tier", "TIER", "only rows of this tier"},
          {"sample", "N", "only N rows, spread evenly over GPUs, kernels and types"},
          {"seed", "S", "which sample (default 0)"}};
}

std::vector<OptionSpec> run_options() {
  return {{"clock", "CLOCK",
           "SM clock of all rows: boost, base, sustained, power, or a number of MHz (default: what the source locked, "
           "else what the board's power leaves after as long as the source kept it busy)"},
          {"set", "KEY=VALUE",
           "change one number of the profiles of --gpu, as power.scale_percent=100; may be repeated", true},
          {"jobs", "J", "threads (default 1); they change nothing but how long it takes"}};
}

OptionGroup output_options() {
  return {"Output",
          {{"json", "FILE|-", "also write the errors as JSON; - is standard output, which then has nothing else"},
           {"rows", "FILE|-",
            "also write the rows as CSV, with simulated_us, error, clock_mhz, schedule, bound and refused"}}};
}

RowSelection read_selection(const Options& options, Problems& problems) {
  RowSelection selection;
  if (const auto gpus = options.value("gpu")) selection.gpus = split(*gpus, ',');
  selection.tier = options.value_or("tier", "");
  if (const auto text = options.value("sample")) {
    if (const auto count = whole_number(*text, "--sample", {1, most_count}, problems))
      selection.sample = static_cast<std::size_t>(*count);
  }
  if (options.has("seed") && !options.has("sample"))
    problems.push_back({"--seed", "which sample? Without --sample all rows are taken"});
  if (const auto text = options.value("seed"))
    selection.seed = static_cast<std::uint64_t>(whole_number(*text, "--seed", {0, most_count}, problems).value_or(0));
  return selection;
}

std::string run_words(const Options& options) {
  std::string words = options.value_or("clock", "");
  for (const std::string& assignment : options.values("set")) words += " " + assignment;
  return words;
}

void read_run(const Options& options, RowRun& run, Problems& problems) {
  if (const auto text = options.value("clock")) read_clock(*text, run, problems);
  read_changes(options, run, problems);
  if (const auto text = options.value("jobs"))
    run.jobs = static_cast<int>(whole_number(*text, "--jobs", {1, most_jobs}, problems).value_or(1));
}

}  // namespace app
