// gpusim validate --anchors
#include <fmt/format.h>

#include <cstdio>

#include "columns.h"
#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gpusim/validate_anchors.h"
#include "machine_options.h"
#include "options.h"
#include "watch.h"

namespace app {

namespace {

namespace validate = gpusim::validate;

CommandSpec anchors_spec() {
  return {"gpusim validate --anchors",
          "gpusim validate --anchors [--arch NAME] [--json FILE|-]\n\n"
          "Runs microbenchmarks that were measured and published, or measured for gpusim (anchors), on the\n"
          "simulated GPUs they were measured on. Every quantity is a check: expected is what was measured, error is\n"
          "of simulated against it, and the verdict is pass (within tolerance), miss, or input: a number of the\n"
          "profile comes from this very measurement, and the check is not counted. An anchor's score is the share\n"
          "of its counted checks that pass; docs/validation.md gives a reason for each that does not.\n",
          {profile_option_group(),
           {"Anchors",
            {{"anchors", "", "this command"},
             {"json", "FILE|-", "also write the checks as JSON; - is standard output, which then has nothing else"}}}},
          "  gpusim validate --anchors\n"
          "  gpusim validate --anchors --arch H100-PCIe --json h100.json\n"};
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string expected(const validate::AnchorCheck& check) {
  const validate::Expected& each = check.expected;
  const std::string range = each.low == each.high ? number(each.low) : number(each.low) + ".." + number(each.high);
  return fmt::format("{} {}", range, check.unit);
}

std::string checks_table(const validate::AnchorReport& report) {
  std::vector<std::vector<std::string>> rows{
      {"anchor", "GPU", "quantity", "expected", "simulated", "error", "tolerance", "verdict", "source"}};
  for (const validate::AnchorCheck& check : report.checks) {
    const bool simulated = check.simulated.has_value();
    rows.push_back({check.anchor, check.gpu, check.quantity, expected(check),
                    simulated ? number(*check.simulated) : "-",
                    simulated ? fmt::format("{:+.1f} %", *check.error) : "-", check.tolerance,
                    std::string(validate::name(check.verdict)),
                    simulated || check.note.empty() ? check.source : fmt::format("{}: {}", check.source, check.note)});
  }
  return columns(rows);
}

std::string scores_table(const validate::AnchorReport& report) {
  std::vector<std::vector<std::string>> rows{{"anchor", "score", "passed", "counted", ""}};
  int counted = 0;
  for (const validate::AnchorScore& anchor : report.anchors) {
    counted += anchor.score ? 1 : 0;
    rows.push_back({anchor.anchor, anchor.score ? fmt::format("{:.0f} %", 100 * *anchor.score) : "-",
                    std::to_string(anchor.passed), std::to_string(anchor.counted),
                    anchor.note.empty() ? anchor.title : fmt::format("{}: {}", anchor.title, anchor.note)});
  }
  const std::string mean = report.score ? fmt::format("{:.1f} %", 100 * *report.score) : "-";
  return columns(rows) + fmt::format("\nMean over {} counted anchors: {}\n", counted, mean);
}

}  // namespace

int validate_anchors(const std::vector<std::string>& arguments) {
  const CommandSpec command = anchors_spec();
  const Options options(command, arguments);
  if (options.has("help")) {
    print(help(command));
    return exit_ok;
  }
  if (!options.words().empty())
    throw UsageError(fmt::format("validate --anchors: takes no '{}' (--arch NAME chooses a GPU)", options.words()[0]));

  CommandFiles files;
  std::optional<OutputFile> json;
  if (const auto path = options.value("json")) json.emplace(*path, "--json", files);
  if (!options.has("arch") && options.has("set")) throw UsageError("--set: of which GPU? Give --arch, too");
  const Watch watch;
  const auto before_check = [&watch] { watch.throw_if_interrupted(); };
  const validate::AnchorReport report = options.has("arch")
                                            ? validate::anchors(read_profile(options, files), before_check)
                                            : validate::anchors(before_check);
  watch.throw_if_interrupted();
  if (json) json->commit(validate::to_json(report));
  if (!json || !json->is_standard_output()) print(checks_table(report) + "\n" + scores_table(report));
  return exit_ok;
}

}  // namespace app
