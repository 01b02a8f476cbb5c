#include "errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

namespace app {

namespace {

/// A message nobody can be shown (a full disk, a closed pipe) must not hide the exit code: failures are ignored.
void say(std::string_view message) { std::fputs(fmt::format("gpusim: {}\n", message).c_str(), stderr); }

void say(const std::vector<gpusim::Problem>& problems) {
  for (const gpusim::Problem& problem : problems) say(fmt::format("{}: {}", problem.where, problem.what));
}

}  // namespace

std::string suggestion(std::string_view text, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const std::string_view near = gpusim::nearest(text, views);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void add_problems(const std::vector<gpusim::Problem>& found, const std::vector<std::string>& options,
                  std::vector<gpusim::Problem>& problems) {
  for (const gpusim::Problem& problem : found) {
    const bool option = std::find(options.begin(), options.end(), problem.where) != options.end();
    problems.push_back({(option ? "--" : "") + problem.where, problem.what});
  }
}

void refuse(std::vector<gpusim::Problem> problems) {
  if (!problems.empty()) throw gpusim::InputError(std::move(problems));
}

int guarded(int (*command)(const std::vector<std::string>&), const std::vector<std::string>& arguments) {
  try {
    return command(arguments);
  } catch (const UsageError& error) {
    say(error.what());
    return exit_usage;
  } catch (const gpusim::InputError& error) {
    say(error.problems());
    return exit_input;
  } catch (const gpusim::DeadlockError& error) {
    say("the schedule cannot go on; its warps wait for what will not come:");
    for (const std::string& wait : error.waits()) say("  " + wait);
    return exit_input;
  } catch (const Interrupted& error) {
    say(error.what());
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    say("not enough memory for this run");
    return exit_input;
  } catch (const std::length_error&) {
    say("not enough memory for this run");
    return exit_input;
  } catch (const std::exception& error) {
    say(fmt::format("defect in gpusim, please report it: {}", error.what()));
    return exit_defect;
  }
}

}  // namespace app
