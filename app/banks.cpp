// gpusim banks
#include <fmt/format.h>

#include "bank_access.h"
#include "bank_report.h"
#include "commands.h"
#include "errors.h"
#include "files.h"

namespace app {

namespace {

CommandSpec banks_spec() {
  return {
      "gpusim banks",
      "gpusim banks --layout LAYOUT --access NAME [options]\n\n"
      "How many wavefronts one warp instruction takes in shared memory, and which lanes meet in which bank, as the\n"
      "simulator counts them. Lanes whose bytes fill a wavefront are listed together: 32 of 4 bytes, 16 of 8, 8 of\n"
      "16. The same on every GPU.\n",
      {bank_access_option_group(),
       {"Output", {{"json", "FILE|-", "write JSON; - is standard output, which then has nothing else"}}}},
      "  gpusim banks --layout 32x32:fp32 --access lds.32 --lanes column\n"
      "  gpusim banks --layout 64x64:fp16:swizzle128 --access ldmatrix\n"
      "  gpusim banks --layout 16x128:fp32 --access lds.128 --lanes 4x8 --spacing 0x4\n"};
}

gpusim::BankConflicts conflicts_of(const BankAccess& access) {
  try {
    return gpusim::bank_conflicts(access.tile, access.access, access.how);
  } catch (const gpusim::ScheduleError& error) {
    Problems problems;
    add_problems(error.problems(), {"access"}, problems);
    throw gpusim::InputError(std::move(problems));
  }
}

}  // namespace

int banks(const std::vector<std::string>& arguments) {
  const CommandSpec command = banks_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (!options.words().empty())
    throw UsageError(fmt::format("{}: not an option ('{} --help' lists them)", options.words().front(), command.name));
  Problems problems;
  const auto access = read_bank_access(options, problems);
  refuse(std::move(problems));
  CommandFiles files;
  std::optional<OutputFile> json;
  if (const auto path = options.value("json")) json.emplace(*path, "--json", files);
  const gpusim::BankConflicts conflicts = conflicts_of(*access);
  if (json) json->commit(bank_json(*access, conflicts));
  if (!json || !json->is_standard_output()) print(bank_table(*access, conflicts));
  return exit_ok;
}

}  // namespace app
