#include "kernel_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "errors.h"
#include "files.h"
#include "kernel_remedies.h"
#include "machine_options.h"
#include "report.h"
#include "simulate.h"

namespace app {

namespace {

/// Elements or multiply-adds the twin goes through in a few minutes.
constexpr double most_kernel_work = 1e10;

Kernels read_kernels(const KernelCommand& kernel, const Options& options, const gpusim::Profile& profile,
                     Problems& problems) {
  std::vector<std::string> names;
  for (const OptionGroup& group : kernel.groups)
    for (const OptionSpec& option : group.options) names.push_back(option.name);
  KernelAttempt attempt = attempted(kernel, options, profile);
  problems.insert(problems.end(), attempt.of_options.begin(), attempt.of_options.end());
  if (attempt.of_options.empty())
    add_problems(with_remedies(kernel, options, profile, std::move(attempt.of_schedules)), names, problems);
  return std::move(attempt.kernels);
}

CommandSpec run_spec(const KernelCommand& kernel) {
  const std::string name = "gpusim run " + kernel.name;
  std::vector<OptionGroup> groups{profile_option_group()};
  for (const OptionGroup& group : kernel.groups) groups.push_back(group);
  groups.push_back(run_option_group());
  groups.push_back(
      {"Meaning", {{"check", "", "first execute the kernel on random numbers and compare every element"}}});
  groups.push_back(report_option_group());
  std::string examples;
  for (const std::string& example : kernel.examples) examples += fmt::format("  {} {}\n", name, example);
  return {name, fmt::format("{} --arch NAME [options]\n\n{}\n", name, kernel.summary), std::move(groups),
          std::move(examples)};
}

/// Executes the kernels on numbers. What to say about it; throws InputError when they are wrong.
std::string checked(const Kernels& kernels) {
  if (kernels.work > most_kernel_work)
    refuse({{"--check", fmt::format("{:.1e} elements or multiply-adds are too many to execute on numbers; {:.0e} are "
                                    "the most",
                                    kernels.work, most_kernel_work)}});
  const gpusim::functional::KernelCheck check = kernels.check();
  if (check.wrong > 0)
    refuse({{"--check", fmt::format("{} of {} elements are wrong; the first, {}[{}, {}], is {} and should be {}",
                                    check.wrong, check.elements, check.first_buffer, check.first_row,
                                    check.first_column, check.actual, check.expected)}});
  return fmt::format("\nCheck\n  all {} elements equal {}\n", check.elements, kernels.formula);
}

}  // namespace

std::vector<KernelCommand> kernel_commands() {
  return {copy_command(),    elementwise_command(), reduce_command(), transpose_command(),
          softmax_command(), layernorm_command(),   gemv_command(),   attention_command()};
}

std::optional<KernelCommand> kernel_command_named(const std::string& name) {
  for (KernelCommand& command : kernel_commands())
    if (command.name == name) return std::move(command);
  return std::nullopt;
}

std::vector<gpusim::Schedule> kernel_schedules(const KernelCommand& kernel, const Options& options,
                                               CommandFiles& files) {
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  Kernels kernels = read_kernels(kernel, options, profile, problems);
  refuse(std::move(problems));
  return std::move(kernels.schedules);
}

int run_kernel(const KernelCommand& kernel, const std::vector<std::string>& arguments) {
  const CommandSpec command = run_spec(kernel);
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
  const PoweredRun run = read_powered_run(options, profile, problems);
  Report report(options, files, problems);
  const Kernels kernels = read_kernels(kernel, options, profile, problems);
  if (!kernels.schedules.empty()) {
    check_l2_buffers(run.options, kernels.schedules, problems);
    report.check(kernels.schedules, problems);
  }
  refuse(std::move(problems));
  if (kernel.hint) report.hint(kernel.hint(options, profile, kernels, run.options));
  const std::string remark = options.has("check") ? checked(kernels) : "";
  report.write(simulate(profile, kernels.schedules, run), kernels.schedules, run.options, remark);
  return exit_ok;
}

}  // namespace app
