// gpusim ladder list|run
#include "gpusim/ladders.h"

#include <fmt/format.h>

#include <algorithm>

#include "columns.h"
#include "commands.h"
#include "counter.h"
#include "errors.h"
#include "files.h"
#include "gpusim/schedules/gemm.h"
#include "option_values.h"
#include "watch.h"

namespace app {

namespace {

using gpusim::validate::Ladder;
using gpusim::validate::LadderFigure;
using gpusim::validate::LadderReport;
using gpusim::validate::LadderRun;
using gpusim::validate::LadderStep;

constexpr std::string_view every_size = "all";

CommandSpec list_spec() {
  return {"gpusim ladder list",
          "gpusim ladder list [NAME]\n\n"
          "Lists the published ladders, or the steps of one: what was published, why a step has no preset, and the\n"
          "parameters of those that are there.\n",
          {},
          "  gpusim ladder list\n"
          "  gpusim ladder list siboehm-a6000\n"};
}

CommandSpec run_spec() {
  return {"gpusim ladder run",
          "gpusim ladder run NAME [options]\n\n"
          "Simulates the steps of a published ladder, by presets that follow the published parameters alone, and\n"
          "compares times and gains with the published ones. A gain is over the step before at the same size; one of\n"
          "more than 5 % is right in the same direction, a smaller one within 7 %.\n",
          {{"Run",
            {{"steps", "LIST", "only these, as 4,5,5.1"},
             {"size", "N|all", "only figures of m = n = k = N (default: the ladder's own size, where it has one)"},
             {"exact", "", "simulate every cycle; else what repeats is skipped"},
             {"jobs", "J", "threads (default 1); they change nothing but how long it takes"}}},
           {"Output", {{"json", "FILE|-", "also write JSON; - is standard output, which then has nothing else"}}}},
          "  gpusim ladder run siboehm-a6000 --jobs 2\n"
          "  gpusim ladder run fast-cu-h100 --steps 4,5,5.1 --json -\n"};
}

constexpr std::string_view ladder_overview =
    "gpusim ladder list|run [options]\n\n"
    "  list   the published ladders, or the steps of one\n"
    "  run    simulate a ladder and compare\n\n"
    "'gpusim ladder run --help' tells more, as does 'list'.\n\n"
    "Examples:\n"
    "  gpusim ladder list\n"
    "  gpusim ladder run siboehm-a6000 --jobs 2\n";

std::size_t presets(const Ladder& ladder) {
  return static_cast<std::size_t>(std::count_if(ladder.steps.begin(), ladder.steps.end(),
                                                [](const LadderStep& step) { return step.preset.has_value(); }));
}

std::string all_ladders() {
  std::vector<std::vector<std::string>> rows{{"ladder", "gpu", "steps", "presets", "what", "source"}};
  for (const Ladder& ladder : gpusim::validate::ladders())
    rows.push_back({ladder.name, ladder.gpu, fmt::format("{}", ladder.steps.size()), fmt::format("{}", presets(ladder)),
                    ladder.title, ladder.source});
  return columns(rows);
}

std::string state(const LadderStep& step) {
  if (step.of_library) return "library";
  return step.preset ? "preset" : "none";
}

/// The first figure at the ladder's own size, or of all where the step has none there.
const LadderFigure* first_figure(const Ladder& ladder, const LadderStep& step) {
  for (const LadderFigure& figure : step.figures)
    if (!ladder.size || (figure.m == *ladder.size && figure.n == *ladder.size && figure.k == *ladder.size))
      return &figure;
  return step.figures.empty() ? nullptr : &step.figures.front();
}

/// "tile=128x128x8 stages=1 ...": what the preset says of the schedule, and what follows from it, or why it has none.
std::string parameters(const Ladder& ladder, const LadderStep& step) {
  const LadderFigure* const figure = first_figure(ladder, step);
  if (figure == nullptr) return "no figures";
  gpusim::schedules::GemmProblem problem = step.problem;
  problem.m = figure->m;
  problem.n = figure->n;
  problem.k = figure->k;
  try {
    const auto choices = gpusim::schedules::gemm_kernels(problem, tiling_of(step, problem)).front().choices;
    // Before it stand m, n, k and types: they are the product's.
    auto choice =
        std::find_if(choices.begin(), choices.end(), [](const auto& each) { return each.first == "schedule"; });
    std::string text;
    for (; choice != choices.end(); ++choice)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", choice->first, choice->second);
    return text;
  } catch (const gpusim::ScheduleError& error) {
    return fmt::format("{}: {}", error.problems().front().where, error.problems().front().what);
  }
}

std::string presets_of(const Ladder& ladder) {
  std::vector<std::vector<std::string>> rows{{"step", "parameters of the preset"}};
  for (const LadderStep& step : ladder.steps)
    if (step.preset) rows.push_back({step.name, parameters(ladder, step)});
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

std::string steps_of(const Ladder& ladder) {
  std::string text = fmt::format("{}: {}\n{}; licence: {}\n", ladder.name, ladder.title, ladder.source, ladder.licence);
  if (!ladder.note.empty()) text += ladder.note + "\n";
  std::vector<std::vector<std::string>> rows{{"step", "preset", "what", "published", "note"}};
  for (const LadderStep& step : ladder.steps)
    rows.push_back({step.name, state(step), step.title, step.published, step.note});
  return text + "\n" + columns(rows) + presets_of(ladder);
}

int list(const std::vector<std::string>& arguments) {
  const CommandSpec command = list_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().size() > 1) throw UsageError("ladder list: one ladder at a time");
  print(options.words().empty() ? all_ladders() : steps_of(gpusim::validate::ladder(options.words().front())));
  return exit_ok;
}

LadderRun read_run(const Options& options, Problems& problems) {
  LadderRun run;
  if (const auto steps = options.value("steps")) run.steps = split(*steps, ',');
  if (options.value("size") == every_size)
    run.size = 0;
  else
    run.size = number_option(options, "size", gemm_side, problems);
  run.exact = options.has("exact");
  run.jobs = small_number_option(options, "jobs", job_range, problems).value_or(1);
  return run;
}

LadderReport report_of(const Ladder& ladder, LadderRun run) {
  const Watch watch;
  Counter counter("figures");
  run.stop = [&] { return watch.interrupted(); };
  run.progress = [&](std::size_t done, std::size_t of) { counter.show(done, of); };
  try {
    auto report = gpusim::validate::run(ladder, run);
    if (!report) throw Interrupted("interrupted; nothing was written");
    return std::move(*report);
  } catch (const gpusim::InputError& error) {
    Problems problems;
    add_problems(error.problems(), {"steps", "size"}, problems);
    throw gpusim::InputError(std::move(problems));
  }
}

int run(const std::vector<std::string>& arguments) {
  const CommandSpec command = run_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().empty()) throw UsageError("ladder run: which one? 'gpusim ladder list' lists all");
  if (options.words().size() > 1)
    throw UsageError(
        fmt::format("ladder run: '{}' beside '{}'; one ladder at a time", options.words()[1], options.words().front()));
  Problems problems;
  const LadderRun wanted = read_run(options, problems);
  refuse(std::move(problems));
  const Ladder ladder = gpusim::validate::ladder(options.words().front());
  CommandFiles files;
  std::optional<OutputFile> json;
  if (const auto path = options.value("json")) json.emplace(*path, "--json", files);
  const LadderReport report = report_of(ladder, wanted);
  if (json) json->commit(gpusim::validate::json(report));
  if (!json || !json->is_standard_output()) print(gpusim::validate::text(report));
  return exit_ok;
}

}  // namespace

int ladder(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("ladder: list or run? ('gpusim ladder --help')");
  const std::string& action = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (action == "list") return list(rest);
  if (action == "run") return run(rest);
  if (action == "--help" || action == "-h") {
    print(ladder_overview);
    return exit_ok;
  }
  throw UsageError(
      fmt::format("ladder {}: no such command{} (there are list, run)", action, suggestion(action, {"list", "run"})));
}

}  // namespace app
