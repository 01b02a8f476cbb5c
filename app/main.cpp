// The gpusim command: finds the subcommand; each has a file of its own.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gpusim/version.h"
#include "kernel_command.h"
#include "large_pages.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "options.h"
#include "saved_schedule.h"

namespace {

constexpr std::string_view command_overview =
    "gpusim: how long a kernel takes on a GPU, cycle by cycle, and why\n\n"
    "  gpusim run matmul --arch NAME [options]   simulate a matrix product\n"
    "  gpusim run KERNEL --arch NAME [options]   a copy, elementwise, reduce, transpose, softmax, layernorm, gemv, "
    "attention\n"
    "  gpusim run FILE.json --arch NAME          simulate a saved schedule\n"
    "  gpusim arch list|show|check|diff|schema   GPU profiles\n"
    "  gpusim schedule show|save                 what runs, as a listing or as JSON\n"
    "  gpusim probe KIND --arch NAME [options]   microbenchmarks, read as on silicon\n"
    "  gpusim ladder list|run                    kernels improved step by step, against published figures\n"
    "  gpusim banks --layout L --access A        bank conflicts of an access to shared memory\n"
    "  gpusim tune matmul --arch NAME [options]  ways to cut a product, ranked\n"
    "  gpusim validate --gemm|--kernels|--ladders|--anchors\n"
    "                                            measured times against simulated ones\n"
    "  gpusim --version\n\n"
    "Every command has --help. Exit codes: 0, 1 (a value or file is wrong), 2 (no such command or option).\n\n"
    "Examples:\n"
    "  gpusim run matmul --arch ada --tile 128\n"
    "  gpusim run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt --l2 warm \\\n"
    "                    --view derivation\n"
    "  gpusim arch show hopper --sources\n";

constexpr std::string_view run_overview =
    "gpusim run matmul --arch NAME [options]\n"
    "gpusim run copy|elementwise|reduce|transpose|softmax|layernorm|gemv|attention --arch NAME [options]\n"
    "gpusim run FILE.json... --arch NAME [options]\n\n"
    "Simulates a matrix product, another kernel, or saved schedules. 'gpusim run matmul --help' lists all options.\n\n"
    "Examples:\n"
    "  gpusim run matmul --arch ada --tile 128\n"
    "  gpusim run softmax --arch ampere --columns 1024\n"
    "  gpusim run product.json --arch ampere\n";

/// Of which the switches tell where a kernel's name follows them.
std::vector<app::OptionGroup> options_of_run() {
  std::vector<app::OptionGroup> groups = app::matmul_option_groups();
  for (const app::KernelCommand& kernel : app::kernel_commands())
    groups.insert(groups.end(), kernel.groups.begin(), kernel.groups.end());
  groups.push_back(app::run_option_group());
  return groups;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw app::UsageError(app::run_what);
  const std::vector<std::string> ordered =
      arguments.front().starts_with("-") ? app::word_first(arguments, options_of_run()) : arguments;
  const std::string& word = ordered.front();
  if (word == "--help" || word == "-h") {
    app::print(run_overview);
    return app::exit_ok;
  }
  if (word.starts_with("--") && std::none_of(ordered.begin(), ordered.end(), app::means_file))
    throw app::UsageError(app::run_what);  // options alone
  if (word == "matmul") return app::run_matmul({ordered.begin() + 1, ordered.end()});
  if (app::means_file(word) || word.empty() || word.front() == '-') return app::run_replay(ordered);
  if (const auto kernel = app::kernel_command_named(word))
    return app::run_kernel(*kernel, {ordered.begin() + 1, ordered.end()});
  std::vector<std::string> names{"matmul"};
  for (const app::KernelCommand& kernel : app::kernel_commands()) names.push_back(kernel.name);
  throw app::UsageError(fmt::format("run {}: no such kernel{} (there are {}; a schedule's file ends in .json)", word,
                                    app::suggestion(word, names), app::joined(names)));
}

int dispatch(const std::vector<std::string>& arguments) {
  const std::string& word = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (word == "run") return run(rest);
  if (word == "arch") return app::arch(rest);
  if (word == "schedule") return app::schedule(rest);
  if (word == "probe") return app::probe(rest);
  if (word == "ladder") return app::ladder(rest);
  if (word == "banks") return app::banks(rest);
  if (word == "tune") return app::tune(rest);
  if (word == "validate") return app::validate(rest);
  if (word == "--version") {
    if (!rest.empty()) throw app::UsageError(fmt::format("--version: takes nothing, and has {}", rest.front()));
    app::print(fmt::format("gpusim {}\n", gpusim::version()));
    return app::exit_ok;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    app::print(command_overview);
    return app::exit_ok;
  }
  const bool option = word.starts_with("-");
  throw app::UsageError(fmt::format(
      "{}: no such {}{} (there are run, arch, schedule, probe, ladder, banks, tune, validate; 'gpusim --help')", word,
      option ? "option" : "command",
      app::suggestion(
          word, {"run", "arch", "schedule", "probe", "ladder", "banks", "tune", "validate", "--help", "--version"})));
}

int command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().empty())
    throw app::UsageError("what shall it do? 'gpusim --help' tells, and 'gpusim run matmul --arch ada' is a start");
  return dispatch(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  app::use_large_pages();
  app::hold_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a pipe closed early must not cost the files that are yet to be written
  return app::guarded(command, {argv + std::min(argc, 1), argv + argc});
}
