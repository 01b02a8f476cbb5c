// gpusim run FILE.json...
#include <fmt/format.h>

#include "commands.h"
#include "errors.h"
#include "gpusim/schedule_io.h"
#include "machine_options.h"
#include "report.h"
#include "saved_schedule.h"
#include "simulate.h"

namespace app {

namespace {

CommandSpec replay_spec() {
  return {"gpusim run",
          "gpusim run FILE.json... --arch NAME [options]\n\n"
          "Simulates saved schedules ('gpusim schedule save'), one after another on one GPU.\n"
          "'gpusim run matmul --help' tells how to run a matrix product without a file.\n",
          {profile_option_group(), run_option_group(), report_option_group()},
          "  gpusim schedule save product.json --arch ampere --m 1024 --n 1024 --k 1024\n"
          "  gpusim run product.json --arch ampere\n"
          "  gpusim run first.json second.json --arch hopper --l2 warm --json -\n"};
}

}  // namespace

int run_replay(const std::vector<std::string>& arguments) {
  const CommandSpec command = replay_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (options.words().empty()) throw UsageError(run_what);

  CommandFiles files;
  std::vector<gpusim::Schedule> schedules;
  for (const std::string& path : options.words()) schedules.push_back(read_schedule(path, files));
  const gpusim::Profile profile = read_profile(options, files);
  Problems problems;
  const PoweredRun run = read_powered_run(options, profile, problems);
  Report report(options, files, problems);
  report.check(schedules, problems);
  check_l2_buffers(run.options, schedules, problems);
  refuse(std::move(problems));

  report.write(simulate(profile, schedules, run), schedules, run.options, "");
  return exit_ok;
}

}  // namespace app
