#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "errors.h"

namespace app {

namespace {

namespace po = boost::program_options;

constexpr unsigned help_width = 100;
constexpr const char* words_key = "(words)";

po::options_description description(const OptionGroup& group) {
  po::options_description description(group.title, help_width, help_width / 2);
  for (const OptionSpec& option : group.options) {
    if (option.value.empty()) {
      description.add_options()(option.name.c_str(), option.help.c_str());
    } else {
      auto* text = po::value<std::vector<std::string>>()->value_name(option.value);
      description.add_options()(option.name.c_str(), text, option.help.c_str());
    }
  }
  return description;
}

const OptionSpec* find(const std::vector<OptionGroup>& groups, std::string_view name) {
  for (const OptionGroup& group : groups)
    for (const OptionSpec& option : group.options)
      if (option.name == name) return &option;
  return nullptr;
}

/// "; see --shared-a, --shared-b" where the help of a few options has the word, else "".
std::string speaking_of(const CommandSpec& command, std::string_view word) {
  constexpr std::size_t shortest = 4, most = 4;
  std::vector<std::string> names;
  for (const OptionGroup& group : command.groups)
    for (const OptionSpec& option : group.options)
      if (option.help.find(word) != std::string::npos) names.push_back("--" + option.name);
  if (word.size() < shortest || names.empty() || names.size() > most) return "";
  return fmt::format("; see {}", joined(names));
}

/// Names are compared without their dashes, which would make any two alike.
[[noreturn]] void refuse_option(const CommandSpec& command, const std::string& token) {
  std::vector<std::string_view> known{"help"};
  for (const OptionGroup& group : command.groups)
    for (const OptionSpec& option : group.options) known.push_back(option.name);
  const std::string name = token.substr(0, token.find('='));
  const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string_view near = gpusim::nearest(bare, known);
  throw UsageError(fmt::format("{}: no such option of '{}'{} ('{} --help' lists them)", name, command.name,
                               near.empty() ? speaking_of(command, bare) : did_you_mean(fmt::format("--{}", near)),
                               command.name));
}

po::parsed_options parse(const CommandSpec& command, const std::vector<std::string>& arguments) {
  po::options_description known;
  known.add_options()("help", "");
  known.add_options()(words_key, po::value<std::vector<std::string>>());
  for (const OptionGroup& group : command.groups) known.add(description(group));
  po::positional_options_description positions;
  positions.add(words_key, -1);
  // Long options alone, spelled out: "-5" is a value, and "--tile" never means "--tiles".
  using namespace po::command_line_style;
  const int style = allow_long | long_allow_adjacent | long_allow_next;
  try {
    return po::command_line_parser(arguments).options(known).positional(positions).style(style).run();
  } catch (const po::unknown_option& error) {
    refuse_option(command, error.get_option_name());
  } catch (const po::invalid_command_line_syntax& error) {
    const bool superfluous = error.kind() == po::invalid_syntax::extra_parameter;
    throw UsageError(fmt::format("{}: {}", error.get_option_name(), superfluous ? "takes no value" : "needs a value"));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

Options::Options(const CommandSpec& command, const std::vector<std::string>& arguments) {
  for (const po::option& option : parse(command, arguments).options) {
    if (option.position_key >= 0 || option.string_key == words_key) {
      const std::string& word = option.value.front();
      if (word == "-h") {
        values_["help"];
      } else if (word.size() > 1 && word.front() == '-') {
        refuse_option(command, word);
      } else {
        words_.push_back(word);
      }
      continue;
    }
    const OptionSpec* spec = find(command.groups, option.string_key);
    if (!option.value.empty() && option.value.front().starts_with("--"))
      throw UsageError(fmt::format("--{}: needs a value", option.string_key));
    std::vector<std::string>& given = values_[option.string_key];
    if (!given.empty() && spec != nullptr && !spec->repeatable)
      throw UsageError(fmt::format("--{}: given more than once", option.string_key));
    given.insert(given.end(), option.value.begin(), option.value.end());
  }
}

std::optional<std::string> Options::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::string Options::value_or(std::string_view name, std::string_view otherwise) const {
  return value(name).value_or(std::string(otherwise));
}

std::vector<std::string> Options::values(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Options Options::with(const std::string& name, std::string value) const {
  Options changed = *this;
  changed.values_[name] = {std::move(value)};
  return changed;
}

std::vector<std::string> word_first(std::vector<std::string> arguments, const std::vector<OptionGroup>& groups) {
  bool is_value = false;
  for (auto each = arguments.begin(); each != arguments.end(); ++each) {
    const bool is_option = !is_value && each->starts_with("-");
    if (!is_value && !is_option) {
      std::rotate(arguments.begin(), each, each + 1);
      break;
    }
    const std::string_view name = std::string_view(*each).substr(std::min<std::size_t>(2, each->size()));
    const OptionSpec* const spec = is_option ? find(groups, name) : nullptr;
    const bool is_switch = name == "help" || *each == "-h" || (spec != nullptr && spec->value.empty());
    is_value = is_option && name.find('=') == std::string_view::npos && !is_switch;
  }
  return arguments;
}

std::string help(const CommandSpec& command) {
  std::ostringstream page;
  page << command.summary;
  for (const OptionGroup& group : command.groups) page << "\n" << description(group);
  if (!command.examples.empty()) page << "\nExamples:\n" << command.examples;
  return page.str();
}

}  // namespace app
