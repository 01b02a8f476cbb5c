// gpusim schedule show|save
#include <fmt/format.h>

#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gpusim/schedule_io.h"
#include "kernel_command.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "saved_schedule.h"

namespace app {

namespace {

/// The kernel an argument names; none: a product.
std::optional<KernelCommand> kernel_at(const std::vector<std::string>& arguments, std::size_t place) {
  return place < arguments.size() ? kernel_command_named(arguments[place]) : std::nullopt;
}

/// Which GPU, which product or other kernel, and `more`.
std::vector<OptionGroup> groups(const std::optional<KernelCommand>& kernel, std::vector<OptionGroup> more = {}) {
  std::vector<OptionGroup> all{profile_option_group()};
  for (OptionGroup& group : kernel ? std::vector(kernel->groups) : matmul_option_groups())
    all.push_back(std::move(group));
  for (OptionGroup& group : more) all.push_back(std::move(group));
  return all;
}

CommandSpec show_spec(const std::optional<KernelCommand>& kernel) {
  return {"gpusim schedule show",
          "gpusim schedule show --arch NAME [options]\n"
          "gpusim schedule show KERNEL --arch NAME [options]\n"
          "gpusim schedule show FILE.json\n\n"
          "Lists a schedule: grid, shared memory, and every role's program, like assembly.\n",
          groups(kernel),
          "  gpusim schedule show --arch ampere --m 1024 --n 1024 --k 1024 --schedule async\n"
          "  gpusim schedule show softmax --arch ampere --columns 1024\n"
          "  gpusim schedule show product.json\n"};
}

CommandSpec save_spec(const std::optional<KernelCommand>& kernel) {
  return {"gpusim schedule save",
          "gpusim schedule save FILE|- [KERNEL] --arch NAME [options]\n\n"
          "Writes the schedule of a matrix product, or of another kernel, as JSON, to be read, edited and replayed "
          "('gpusim run FILE').\n",
          groups(kernel, {{"File", {{"kernel", "N", "which kernel, where it takes several"}}}}),
          "  gpusim schedule save product.json --arch ampere --m 1024 --n 1024 --k 1024\n"};
}

constexpr std::string_view schedule_overview =
    "gpusim schedule show|save [options]\n\n"
    "  show   list a schedule like assembly\n"
    "  save   write a schedule as JSON\n\n"
    "'gpusim schedule show --help' tells more, as does 'save'.\n\n"
    "Examples:\n"
    "  gpusim schedule show --arch ada --schedule simt\n"
    "  gpusim schedule save product.json --arch ada\n";

std::vector<gpusim::Schedule> chosen(const Options& options, const std::optional<KernelCommand>& kernel,
                                     CommandFiles& files) {
  if (kernel) return kernel_schedules(*kernel, options, files);
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  const std::optional<Matmul> matmul = read_matmul(options, profile, {}, problems);
  refuse(std::move(problems));
  return matmul->schedules;
}

/// The kernel --kernel names, or the only one.
gpusim::Schedule chosen_kernel(const Options& options, const std::optional<KernelCommand>& kernel,
                               CommandFiles& files) {
  const std::vector<gpusim::Schedule> kernels = chosen(options, kernel, files);
  const auto count = static_cast<std::int64_t>(kernels.size());
  const auto text = options.value("kernel");
  if (!text && count == 1) return kernels.front();
  Problems problems;
  if (!text)
    problems.push_back({"--kernel", fmt::format("{} takes {} kernels; which, 1 to {}?",
                                                kernel ? kernel->name : "the product", count, count)});
  const auto number = text ? whole_number(*text, "--kernel", {1, count}, problems) : std::nullopt;
  refuse(std::move(problems));
  return kernels[static_cast<std::size_t>(*number - 1)];
}

std::string listing(const std::vector<gpusim::Schedule>& kernels) {
  std::string text;
  for (const gpusim::Schedule& kernel : kernels) text += (text.empty() ? "" : "\n") + gpusim::to_string(kernel);
  return text;
}

/// The product is what is meant where no kernel is named; it may be named, too.
std::vector<std::string> without_matmul(std::vector<std::string> arguments, std::size_t place) {
  if (place < arguments.size() && arguments[place] == "matmul")
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(place));
  return arguments;
}

int show(const std::vector<std::string>& given) {
  const std::vector<std::string> arguments = without_matmul(given, 0);
  const std::optional<KernelCommand> kernel = kernel_at(arguments, 0);
  const CommandSpec command = show_spec(kernel);
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().size() > 1) throw UsageError("schedule show: one file at a time");
  const bool is_file = !kernel && !options.words().empty();
  if (is_file && arguments.size() > 1)
    throw UsageError(fmt::format("schedule show {}: a file says all of its schedule, and takes no options",
                                 options.words().front()));
  CommandFiles files;
  print(is_file ? gpusim::to_string(read_schedule(options.words().front(), files))
                : listing(chosen(options, kernel, files)));
  return exit_ok;
}

int save(const std::vector<std::string>& given) {
  const std::vector<std::string> arguments = without_matmul(given, 1);
  const std::optional<KernelCommand> kernel = kernel_at(arguments, 1);
  const CommandSpec command = save_spec(kernel);
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().size() != (kernel ? 2 : 1))
    throw UsageError("schedule save: to which file? One, or - for standard output");
  if (const std::string& name = options.words().front(); name != "-" && !means_file(name))
    refuse({{"schedule save", fmt::format("'{}' is not a file that 'gpusim run' would take: its name ends in .json, or "
                                          "has a / in it",
                                          name)}});
  CommandFiles files;
  OutputFile file(options.words().front(), "schedule save", files);
  file.commit(gpusim::to_json(chosen_kernel(options, kernel, files)));
  return exit_ok;
}

}  // namespace

int schedule(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("schedule: show or save? ('gpusim schedule --help')");
  const std::string& action = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (action == "show") return show(rest);
  if (action == "save") return save(rest);
  if (action == "--help" || action == "-h") {
    print(schedule_overview);
    return exit_ok;
  }
  throw UsageError(fmt::format("schedule {}: no such command{} (there are show, save)", action,
                               suggestion(action, {"show", "save"})));
}

}  // namespace app
