#include "errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

/// "--shared-a" for the library's "shared_a"; "" when there is no such option.
std::string option_called(std::string_view name, const std::vector<std::string>& options) {
  std::string option(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return std::find(options.begin(), options.end(), option) == options.end() ? "" : "--" + option;
}

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// The text with options in the place of the library's names.
std::string with_options(std::string_view text, const std::vector<std::string>& options) {
  std::string told;
  while (!text.empty()) {
    const auto* const end = std::find_if_not(text.begin(), text.end(), is_of_name);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const std::string_view rest = text.substr(word.size());
    const bool in_brackets = told.ends_with('(') && rest.starts_with(')');
    const bool is_name = in_brackets || word.find('_') != std::string_view::npos;
    const std::string option = is_name ? option_called(word, options) : "";
    told += option.empty() ? word : std::string_view(option);
    told += rest.substr(0, 1);
    text = rest.substr(std::min<std::size_t>(1, rest.size()));
  }
  return told;
}

}  // namespace

std::string did_you_mean(std::string_view near) {
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string suggestion(std::string_view text, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return did_you_mean(gpusim::nearest(text, views));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void add_problems(const std::vector<gpusim::Problem>& found, const std::vector<std::string>& options,
                  std::vector<gpusim::Problem>& problems) {
  for (const gpusim::Problem& problem : found) {
    const std::string_view where = problem.where;
    const std::size_t part = where.find('.');
    const std::string option = option_called(where.substr(0, part), options);
    std::string what = with_options(problem.what, options);
    if (!option.empty() && part != std::string_view::npos) what = fmt::format("{}: {}", where.substr(part + 1), what);
    problems.push_back({option.empty() ? problem.where : option, std::move(what)});
  }
}

void remark(const std::vector<gpusim::Problem>& remarks) { say(remarks); }

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
