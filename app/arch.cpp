// gpusim arch list|show|check|diff|schema
#include <fmt/format.h>

#include "columns.h"
#include "commands.h"
#include "errors.h"
#include "files.h"
#include "gpusim/profile_io.h"
#include "machine_options.h"
#include "options.h"
#include "saved_schedule.h"

namespace app {

namespace {

constexpr std::string_view arch_overview =
    "gpusim arch list|show|check|diff|schema\n\n"
    "Profiles: what a GPU is, as numbers with sources.\n\n"
    "  list             the built-in profiles and their other names\n"
    "  show NAME        every number of a profile; --sources: where each comes from; --json: as a file\n"
    "  check FILE       whether a profile's file is right, and everything that is not\n"
    "  diff A B         the numbers in which two profiles differ\n"
    "  schema           the JSON Schema of profile files\n\n"
    "Examples:\n"
    "  gpusim arch list\n"
    "  gpusim arch show ada --sources\n"
    "  gpusim arch show ada --set l2.capacity=6MiB --json > smaller-l2.json\n"
    "  gpusim arch check smaller-l2.json\n"
    "  gpusim arch diff ampere hopper\n";

CommandSpec spec(const std::string& action, std::vector<OptionSpec> options) {
  std::vector<OptionGroup> groups;
  if (!options.empty()) groups.push_back({"Options of " + action, std::move(options)});
  return {"gpusim arch " + action, std::string(arch_overview), std::move(groups), ""};
}

/// Exactly `count` words, or UsageError saying what they are.
void expect_words(const Options& options, std::size_t count, std::string_view what) {
  if (options.words().size() != count) throw UsageError(fmt::format("arch {}", what));
}

std::string value_with_unit(const gpusim::ProfileEntry& entry) {
  return entry.unit.empty() ? entry.value : entry.value + " " + entry.unit;
}

int list(const Options& options) {
  expect_words(options, 0, "list takes no names");
  std::vector<std::vector<std::string>> rows{{"name", "GPU", "architecture", "other names"}};
  for (const gpusim::ProfileName& profile : gpusim::list_profiles())
    rows.push_back({profile.name, profile.title, profile.architecture, joined(profile.aliases)});
  std::vector<std::string> others;
  for (const gpusim::OutOfScope& gpu : gpusim::list_out_of_scope()) others.push_back(gpu.title);
  print(columns(rows) + fmt::format("\nknown and out of scope: {}\n", joined(others)));
  return exit_ok;
}

int show(const Options& options) {
  if (options.words().size() > 1)
    throw UsageError(fmt::format("arch show: takes one profile, not '{}' as well{}", options.words()[1],
                                 options.has("json") ? "; --json takes no file: send the output to one" : ""));
  expect_words(options, 1, "show: which profile? 'gpusim arch list' shows all");
  CommandFiles files;
  const gpusim::Profile profile = read_profile(options.words().front(), "arch show", options, files);
  if (options.has("json")) {
    print(gpusim::to_json(profile));
    return exit_ok;
  }
  const bool sources = options.has("sources");
  std::vector<std::vector<std::string>> rows;
  for (const gpusim::ProfileEntry& entry : gpusim::entries(profile)) {
    std::vector<std::string> row{entry.key, value_with_unit(entry)};
    if (sources) {
      row.emplace_back(spec_names(gpusim::Method{})[static_cast<std::size_t>(entry.provenance.method)]);
      row.push_back(entry.provenance.source);
    } else {
      row.push_back(entry.doc);
    }
    rows.push_back(std::move(row));
  }
  print(fmt::format("{} ({}), {}\n\n", profile.title, profile.name, profile.architecture) + columns(rows));
  return exit_ok;
}

int check(const Options& options) {
  expect_words(options, 1, "check: which file?");
  const std::string& word = options.words().front();
  const std::string path = means_file(word) ? word : "./" + word;
  CommandFiles files;
  const gpusim::Profile profile = read_profile(path, "arch check", options, files);
  print(fmt::format("{}: right; {} numbers\n", word, gpusim::entries(profile).size()));
  return exit_ok;
}

int diff(const Options& options) {
  expect_words(options, 2, "diff: which two profiles?");
  CommandFiles files;
  const gpusim::Profile a = read_profile(options.words()[0], "arch diff", options, files);
  const gpusim::Profile b = read_profile(options.words()[1], "arch diff", options, files);
  std::vector<std::vector<std::string>> rows{{"", a.name, b.name, ""}};
  const auto value = [](const std::string& text) { return text.empty() ? "-" : text; };
  for (const gpusim::ProfileDifference& difference : gpusim::diff(a, b))
    rows.push_back({difference.key, value(difference.left), value(difference.right), difference.unit});
  print(columns(rows));
  return exit_ok;
}

int schema(const Options& options) {
  expect_words(options, 0, "schema takes no names");
  print(gpusim::profile_schema());
  return exit_ok;
}

struct Action {
  std::string name;
  int (*run)(const Options&);
  std::vector<OptionSpec> options;
};

std::vector<Action> actions() {
  return {{"list", list, {}},
          {"show",
           show,
           {{"sources", "", "where each number comes from"},
            {"json", "", "the complete profile as JSON"},
            {"set", "KEY=VALUE", "change one number first; may be repeated", true}}},
          {"check", check, {}},
          {"diff", diff, {}},
          {"schema", schema, {}}};
}

}  // namespace

int arch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("arch: list, show, check, diff or schema? ('gpusim arch --help')");
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print(arch_overview);
    return exit_ok;
  }
  std::vector<std::string> names;
  for (const Action& action : actions()) {
    names.push_back(action.name);
    if (action.name != name) continue;
    const CommandSpec command = spec(name, action.options);
    const Options options(command, {arguments.begin() + 1, arguments.end()});
    if (!options.has("help")) return action.run(options);
    print(help(command));
    return exit_ok;
  }
  throw UsageError(
      fmt::format("arch {}: no such command{} (there are {})", name, suggestion(name, names), joined(names)));
}

}  // namespace app
