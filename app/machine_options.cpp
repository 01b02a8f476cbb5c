#include "machine_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "errors.h"
#include "gpusim/profile_io.h"
#include "option_values.h"

namespace app {

namespace {

std::optional<gpusim::L2State> l2_state(std::string_view text, Problems& problems) {
  constexpr auto names = names_of(gpusim::L2State{});
  const auto* const found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<gpusim::L2State>(found - names.begin());
  refuse_choice(text, "--l2", "state", {names.begin(), names.end()}, problems);
  return std::nullopt;
}

void read_l2(std::string_view text, gpusim::RunOptions& run, Problems& problems) {
  if (text.find('=') == std::string_view::npos) {
    run.l2 = l2_state(text, problems).value_or(run.l2);
    return;
  }
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.push_back({"--l2", fmt::format("'{}' is not BUFFER=cold, BUFFER=warm or BUFFER=dirty", part)});
      continue;
    }
    const std::string buffer = part.substr(0, equals);
    const auto state = l2_state(std::string_view(part).substr(equals + 1), problems);
    if (!state) continue;
    if (!run.l2_by_buffer.emplace(buffer, *state).second)
      problems.push_back({"--l2", fmt::format("names buffer '{}' more than once", buffer)});
  }
}

constexpr std::string_view power_clock = "power";

std::optional<std::int64_t> clock_mhz(const std::string& text, const gpusim::Profile& profile, bool power_too,
                                      Problems& problems) {
  if (text == "boost") return profile.clock.boost_mhz;
  if (text == "base") return profile.clock.base_mhz;
  if (text == "sustained") return profile.clock.sustained_mhz;
  const bool numeric = !text.empty() && text.find_first_not_of("-+.0123456789") == std::string::npos;
  if (numeric) return whole_number(text, "--clock", {1, gpusim::fastest_mhz}, problems);
  std::vector<std::string> choices{"boost", "base", "sustained", "a number of MHz"};
  if (power_too) choices.insert(choices.begin() + 3, std::string(power_clock));
  refuse_clock(text, choices, problems);
  return std::nullopt;
}

/// All but the clock.
gpusim::RunOptions read_but_clock(const Options& options, Problems& problems) {
  gpusim::RunOptions run;
  if (const auto text = options.value("l2")) read_l2(*text, run, problems);
  run.l2_dirty_percent =
      small_number_option(options, "l2-dirty-percent", {0, 100}, problems).value_or(run.l2_dirty_percent);
  run.code = word_option<gpusim::CodeState>(options, "code", "state", problems).value_or(run.code);
  if (const auto text = options.value("max-cycles")) {
    if (const auto cycles = whole_number(*text, "--max-cycles", {}, problems)) run.max_cycles = gpusim::Cycles(*cycles);
  }
  if (const auto text = options.value("max-ctas")) run.max_ctas = whole_number(*text, "--max-ctas", {}, problems);
  run.exact = options.has("exact");
  return run;
}

/// A name that means no profile is told as a problem of who gave it; the rest has its place in the file.
gpusim::Profile named_profile(std::string_view name, std::string_view where, CommandFiles& files) {
  try {
    std::vector<std::string> read;
    gpusim::Profile profile = gpusim::load_profile(name, read);
    for (const std::string& file : read) files.add_input(file);
    return profile;
  } catch (const gpusim::ProfileError& error) {
    Problems problems = error.problems();
    for (gpusim::Problem& problem : problems)
      if (problem.where == "profile") problem.where = where;
    throw gpusim::InputError(std::move(problems));
  }
}

/// Nothing is warm where there is nothing.
void check_l2(const gpusim::RunOptions& run, const gpusim::Profile& profile, Problems& problems) {
  const bool asked = run.l2 != gpusim::L2State::cold ||
                     std::any_of(run.l2_by_buffer.begin(), run.l2_by_buffer.end(),
                                 [](const auto& each) { return each.second != gpusim::L2State::cold; });
  if (asked && !profile.l2) problems.push_back({"--l2", fmt::format("the profile '{}' has no L2", profile.name)});
  if (run.l2_dirty_percent != 0 && (!profile.l2 || profile.l2->capacity.is_unlimited()))
    problems.push_back(
        {"--l2-dirty-percent", fmt::format("the profile '{}' has no L2 that others could fill; take 0", profile.name)});
}

/// Code that is not there costs what the profile says.
void check_code(const gpusim::RunOptions& run, const gpusim::Profile& profile, Problems& problems) {
  if (run.code != gpusim::CodeState::warm && !profile.code)
    problems.push_back({"--code", fmt::format("'{}': the profile '{}' says nothing of how code comes to an SM; take "
                                              "warm",
                                              name(run.code), profile.name)});
}

}  // namespace

OptionGroup profile_option_group() {
  return {"GPU",
          {{"arch", "NAME|FILE", "profile: a name or alias of 'gpusim arch list', or a JSON file"},
           {"set", "KEY=VALUE", "change one number of the profile, as l2.capacity=6MiB; may be repeated", true}}};
}

OptionGroup run_option_group() {
  return {
      "Run",
      {{"clock", "CLOCK",
        "SM clock: boost (default), base, sustained, a number of MHz, or power: what the board's limit leaves the run"},
       {"l2", "STATE",
        "L2 before the run: cold (default), warm, dirty (written by a run before), or by buffer, as "
        "NAME=warm,NAME=dirty"},
       {"l2-dirty-percent", "N", "of L2, what other kernels wrote and DRAM has yet to get (default 0)"},
       {"code", "STATE",
        "instruction caches when a kernel begins: warm (default), cold, or repeated, as the kernel before left them"},
       {"max-cycles", "N", "stop after so many cycles; the result says so"},
       {"max-ctas", "N", "the first so many CTAs of each kernel alone; the result says so"},
       {"exact", "", "simulate every cycle; else what repeats is skipped (the result says so)"}}};
}

Problems change(gpusim::Profile& profile, const std::vector<std::string>& assignments) {
  Problems problems;
  for (const std::string& assignment : assignments) {
    try {
      gpusim::set(profile, assignment);
    } catch (const gpusim::ProfileError& error) {
      for (const gpusim::Problem& problem : error.problems()) problems.push_back({"--set " + assignment, problem.what});
    }
  }
  if (!problems.empty()) return problems;
  for (const gpusim::Problem& problem : gpusim::check(profile))  // it was right before
    problems.push_back({fmt::format("--set {}", fmt::join(assignments, " --set ")),
                        fmt::format("{}: {}", problem.where, problem.what)});
  return problems;
}

gpusim::Profile read_profile(std::string_view name, std::string_view where, const Options& options,
                             CommandFiles& files) {
  gpusim::Profile profile = named_profile(name, where, files);
  refuse(change(profile, options.values("set")));
  return profile;
}

gpusim::Profile read_profile(const Options& options, CommandFiles& files) {
  const std::optional<std::string> name = options.value("arch");
  if (!name) throw UsageError("--arch: which GPU? For example --arch ada; 'gpusim arch list' shows all");
  return read_profile(*name, "--arch", options, files);
}

gpusim::RunOptions read_run_options(const Options& options, const gpusim::Profile& profile, Problems& problems) {
  gpusim::RunOptions run = read_but_clock(options, problems);
  run.clock_mhz = clock_mhz(options.value_or("clock", "boost"), profile, false, problems);
  check_l2(run, profile, problems);
  check_code(run, profile, problems);
  return run;
}

PoweredRun read_powered_run(const Options& options, const gpusim::Profile& profile, Problems& problems) {
  const std::string clock = options.value_or("clock", "boost");
  PoweredRun run{read_but_clock(options, problems), clock == power_clock};
  check_l2(run.options, profile, problems);
  check_code(run.options, profile, problems);
  if (!run.under_power)
    run.options.clock_mhz = clock_mhz(clock, profile, true, problems);
  else if (!profile.power)
    problems.push_back({"--clock", fmt::format("'power': the profile '{}' says nothing of power; take boost, base, "
                                               "sustained or a number of MHz",
                                               profile.name)});
  return run;
}

void check_l2_buffers(const gpusim::RunOptions& options, const std::vector<gpusim::Schedule>& schedules,
                      Problems& problems) {
  std::vector<std::string> names;
  for (const gpusim::Schedule& schedule : schedules) {
    for (const gpusim::Buffer& buffer : schedule.buffers)
      if (std::find(names.begin(), names.end(), buffer.name) == names.end()) names.push_back(buffer.name);
  }
  for (const auto& [name, state] : options.l2_by_buffer)
    if (std::find(names.begin(), names.end(), name) == names.end())
      refuse_choice(name, "--l2", "buffer", names, problems);
}

}  // namespace app
