// gpusim schedule show|save
#include <fmt/format.h>

#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gpusim/schedule_io.h"
#include "machine_options.h"
#include "matmul_options.h"
#include "saved_schedule.h"

namespace app {

namespace {

CommandSpec show_spec() {
  return {"gpusim schedule show",
          "gpusim schedule show --arch NAME [options]\n"
          "gpusim schedule show FILE.json\n\n"
          "Lists a schedule: grid, shared memory, and every role's program, like assembly.\n",
          {profile_option_group(), matmul_option_group()},
          "  gpusim schedule show --arch ampere --m 1024 --n 1024 --k 1024 --schedule async\n"
          "  gpusim schedule show product.json\n"};
}

CommandSpec save_spec() {
  return {"gpusim schedule save",
          "gpusim schedule save FILE|- --arch NAME [options]\n\n"
          "Writes the schedule of a matrix product as JSON, to be read, edited and replayed ('gpusim run FILE').\n",
          {profile_option_group(), matmul_option_group()},
          "  gpusim schedule save product.json --arch ampere --m 1024 --n 1024 --k 1024\n"};
}

constexpr std::string_view overview =
    "gpusim schedule show|save [options]\n\n"
    "  show   list a schedule like assembly\n"
    "  save   write a schedule as JSON\n\n"
    "'gpusim schedule show --help' tells more, as does 'save'.\n\n"
    "Examples:\n"
    "  gpusim schedule show --arch ada --schedule simt\n"
    "  gpusim schedule save product.json --arch ada\n";

gpusim::Schedule chosen(const Options& options) {
  const gpusim::Profile profile = read_profile(options);
  Problems problems;
  const std::optional<Matmul> matmul = read_matmul(options, profile, problems);
  refuse(std::move(problems));
  return matmul->schedule;
}

int show(const std::vector<std::string>& arguments) {
  const CommandSpec command = show_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().size() > 1) throw UsageError("schedule show: one file at a time");
  print(gpusim::to_string(options.words().empty() ? chosen(options) : read_schedule(options.words().front())));
  return exit_ok;
}

int save(const std::vector<std::string>& arguments) {
  const CommandSpec command = save_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().size() != 1) throw UsageError("schedule save: to which file? One, or - for standard output");
  OutputFile file(options.words().front(), "schedule save");
  file.commit(gpusim::to_json(chosen(options)));
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
    print(overview);
    return exit_ok;
  }
  throw UsageError(fmt::format("schedule {}: no such command{} (there are show, save)", action,
                               suggestion(action, {"show", "save"})));
}

}  // namespace app
