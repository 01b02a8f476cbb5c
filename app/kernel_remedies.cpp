#include "kernel_remedies.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace app {

namespace {

/// Problems' places that remedies are for, and how they are called where there is none.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> resources{{{"schedule.shared", "shared memory"},
                                                                                  {"schedule.registers", "registers"},
                                                                                  {"schedule.buffers", "memory"},
                                                                                  {"place", "place"}}};

bool is_about(const Problems& problems, std::string_view where) {
  return std::any_of(problems.begin(), problems.end(),
                     [where](const gpusim::Problem& problem) { return problem.where == where; });
}

/// Whether there is enough of `resource`, and nothing that was right has become wrong.
bool is_solved(const KernelAttempt& attempt, const Problems& before, const std::string& resource) {
  return attempt.of_options.empty() && !is_about(attempt.of_schedules, resource) &&
         std::all_of(attempt.of_schedules.begin(), attempt.of_schedules.end(),
                     [&](const gpusim::Problem& problem) { return is_about(before, problem.where); });
}

/// Every smaller one of a small number, halves of a large one.
std::vector<std::string> smaller_numbers(const std::string& text) {
  constexpr std::int64_t small = 1024;
  std::vector<std::string> values;
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return {};
  while ((number = number > small ? number / 2 : number - 1) > 0) values.push_back(std::to_string(number));
  return values;
}

/// A value with which there is enough of the remedy's resource; "" for none.
std::string value_that_would_do(const KernelCommand& kernel, const Remedy& remedy, const Options& options,
                                const gpusim::Profile& profile, const Problems& before) {
  const auto given = options.value(remedy.option);
  for (const std::string& value : remedy.values.empty() && given ? smaller_numbers(*given) : remedy.values) {
    if (value == given) continue;
    const KernelAttempt attempt = attempted(kernel, options.with(remedy.option, value), profile);
    if (is_solved(attempt, before, remedy.resource)) return value;
  }
  return "";
}

gpusim::Problem with_remedy(const KernelCommand& kernel, const Options& options, const gpusim::Profile& profile,
                            const Problems& before, const gpusim::Problem& problem, std::string_view resource) {
  for (const bool given : {true, false})
    for (const Remedy& remedy : kernel.remedies) {
      if (remedy.resource != problem.where || options.has(remedy.option) != given) continue;
      const std::string value = value_that_would_do(kernel, remedy, options, profile, before);
      if (!value.empty()) return {"--" + remedy.option, problem.what + "; " + value + " would do"};
    }
  return {std::string(resource), problem.what};
}

}  // namespace

KernelAttempt attempted(const KernelCommand& kernel, const Options& options, const gpusim::Profile& profile) {
  KernelAttempt attempt;
  try {
    attempt.kernels = kernel.read(options, profile, attempt.of_options);
    if (!attempt.of_options.empty()) return attempt;
    for (const gpusim::Schedule& schedule : attempt.kernels.schedules)
      for (gpusim::Problem& problem : gpusim::check(schedule, profile))
        attempt.of_schedules.push_back(std::move(problem));
  } catch (const gpusim::ScheduleError& error) {
    attempt.of_schedules = error.problems();
  }
  return attempt;
}

Problems with_remedies(const KernelCommand& kernel, const Options& options, const gpusim::Profile& profile,
                       Problems found) {
  const Problems before = found;
  for (gpusim::Problem& problem : found)
    for (const auto& [where, resource] : resources)
      if (problem.where == where) {
        problem = with_remedy(kernel, options, profile, before, problem, resource);
        break;
      }
  return found;
}

}  // namespace app
