// gpusim tune matmul
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gemm_request_options.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "option_values.h"

namespace app {

namespace {

constexpr Range top_range{2, 1000};
constexpr std::int64_t default_top = 10;

/// Pieces of the product have a length of their own.
OptionGroup piece_option_group() {
  OptionGroup group = run_option_group();
  std::erase_if(group.options, [](const auto& option) {
    return option.name == "max-cycles" || option.name == "max-ctas" || option.name == "exact";
  });
  return group;
}

CommandSpec tune_spec() {
  std::vector<OptionGroup> groups{profile_option_group()};
  for (OptionGroup& group : matmul_option_groups()) groups.push_back(std::move(group));
  groups.push_back(piece_option_group());
  groups.push_back(
      {"Tuning",
       {{"top", "N", "how many are simulated, best by the quick model first (default 10), beside what 'run' takes"},
        {"whole", "", "simulate the whole product, not a piece of it"},
        {"jobs", "J", "threads (default: one for each core); they change nothing but how long it takes"}}});
  groups.push_back({"Output",
                    {{"json", "FILE|-", "also write JSON; - is standard output, which then has nothing else"},
                     {"csv", "FILE|-", "also write the ranking as CSV"}}});
  return {"gpusim tune matmul",
          "gpusim tune matmul --arch NAME [options]\n\n"
          "Ranks the ways a good library would cut a matrix product: all by the quick model, the best of them\n"
          "simulated. What options fix is fixed in all of them.\n",
          std::move(groups),
          "  gpusim tune matmul --arch ampere --m 2048 --n 2048 --k 2048\n"
          "  gpusim tune matmul --arch hopper --dtype bf16 --m 8192 --n 8192 --k 8192 --top 6 --csv ranking.csv\n"
          "  gpusim tune matmul --arch ada --tile 128x128x32 --schedule async --top 4 --json -\n"};
}

/// Where the ranking goes. Whether files can be written is known before anything runs.
class ChoiceOutputs {
 public:
  ChoiceOutputs(const Options& options, CommandFiles& files, Problems& problems) {
    const auto json = options.value("json");
    const auto csv = options.value("csv");
    if (json == "-" && csv == "-") problems.push_back({"--csv", "standard output cannot hold --json and --csv both"});
    attempt(problems, [&] {
      if (json) json_.emplace(*json, "--json", files);
    });
    attempt(problems, [&] {
      if (csv) csv_.emplace(*csv, "--csv", files);
    });
    prints_text_ = json != "-" && csv != "-";
  }

  /// What cannot be written does not cost what can. The text has `most` of them, and all that were simulated.
  void write(const gpusim::Profile& profile, const gpusim::schedules::GemmProblem& problem,
             const gpusim::GemmChoice& choice, std::size_t most) {
    const auto simulated = std::count_if(choice.trials.begin(), choice.trials.end(),
                                         [](const auto& trial) { return trial.simulated_us.has_value(); });
    most = std::max(most, static_cast<std::size_t>(simulated));
    Problems problems;
    attempt(problems, [&] {
      if (json_) json_->commit(gpusim::choice_json(choice));
    });
    attempt(problems, [&] {
      if (csv_) csv_->commit(gpusim::choice_csv(choice));
    });
    attempt(problems, [&] {
      if (prints_text_) print(gpusim::choice_text(choice, most) + as_options(profile, problem, choice));
    });
    refuse(std::move(problems));
  }

 private:
  template <class Action>
  static void attempt(Problems& problems, const Action& action) {
    try {
      action();
    } catch (const gpusim::InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }

  std::optional<OutputFile> json_;
  std::optional<OutputFile> csv_;
  bool prints_text_ = true;
};

gpusim::GemmChoice ranked(const gpusim::Profile& profile, const MatmulRequest& asked,
                          gpusim::GemmChoiceOptions choosing) {
  try {
    return choose_by_trying(profile, asked.problem, std::move(choosing));
  } catch (const gpusim::ScheduleError& error) {
    Problems problems;
    add_gemm_problems(error.problems(), problems);
    throw gpusim::ScheduleError(std::move(problems));
  }
}

int tune_matmul(const std::vector<std::string>& arguments) {
  const CommandSpec command = tune_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option; everything is given by name, as --arch ada ('{} --help')",
                                 options.words().front(), command.name));
  CommandFiles files;
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  gpusim::GemmChoiceOptions choosing;
  choose_as_run(read_powered_run(options, profile, problems), profile, choosing);
  choosing.simulated = static_cast<int>(number_option(options, "top", top_range, problems).value_or(default_top));
  choosing.within = std::numeric_limits<double>::infinity();
  choosing.usual = true;
  choosing.whole = options.has("whole");
  choosing.settle_within = gpusim::settled_within;
  choosing.jobs = small_number_option(options, "jobs", job_range, problems).value_or(0);
  choosing.library = read_library(options, problems).value_or(choosing.library);
  ChoiceOutputs outputs(options, files, problems);
  const auto asked = read_matmul_request(options, profile, problems);
  refuse(std::move(problems));

  choosing.tile = fixed_tile(options, asked->request);
  choosing.request = asked->request;
  const auto most = static_cast<std::size_t>(choosing.simulated);
  outputs.write(profile, asked->problem, ranked(profile, *asked, std::move(choosing)), most);
  return exit_ok;
}

constexpr std::string_view tune_overview =
    "gpusim tune matmul --arch NAME [options]\n\n"
    "Ranks the ways to cut a matrix product. 'gpusim tune matmul --help' lists all options.\n\n"
    "Examples:\n"
    "  gpusim tune matmul --arch ampere --m 2048 --n 2048 --k 2048\n";

}  // namespace

int tune(const std::vector<std::string>& arguments) {
  constexpr const char* what = "tune what? 'matmul' ('gpusim tune --help')";
  if (arguments.empty()) throw UsageError(what);
  const std::vector<std::string> ordered = word_first(arguments, tune_spec().groups);
  const std::string& word = ordered.front();
  if (word == "--help" || word == "-h") {
    print(tune_overview);
    return exit_ok;
  }
  if (word.starts_with("--")) throw UsageError(what);  // options alone
  if (word == "matmul") return tune_matmul({ordered.begin() + 1, ordered.end()});
  throw UsageError(fmt::format("tune {}: no such kernel{} (there is matmul)", word, suggestion(word, {"matmul"})));
}

}  // namespace app
