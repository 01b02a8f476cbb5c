// The options of one subcommand, parsed by Boost.Program_options into plain text; their values are read elsewhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

struct OptionSpec {
  std::string name;   ///< without dashes
  std::string value;  ///< what stands for its value in the help; "" for a switch
  std::string help;
  bool repeatable = false;
};

/// Options listed under one heading.
struct OptionGroup {
  std::string title;
  std::vector<OptionSpec> options;
};

/// What a subcommand understands, and how its help reads.
struct CommandSpec {
  std::string name;     ///< "gpusim run matmul"
  std::string summary;  ///< the first lines of its help
  std::vector<OptionGroup> groups;
  std::string examples;
};

class Options {
 public:
  /// Throws UsageError on unknown, repeated or incomplete options. `--help` is always understood.
  Options(const CommandSpec& command, const std::vector<std::string>& arguments);

  [[nodiscard]] bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// The option's value, if it was given.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::string value_or(std::string_view name, std::string_view otherwise) const;
  /// All values of a repeatable option, in order.
  [[nodiscard]] std::vector<std::string> values(std::string_view name) const;
  /// The same options, but for one, which has this value alone.
  [[nodiscard]] Options with(const std::string& name, std::string value) const;
  /// What is no option, in order.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> words_;
};

/// The arguments with the first that is neither an option nor one's value in front of all others: options may stand
/// before what they belong to. Options take a value unless they are switches of `groups`.
[[nodiscard]] std::vector<std::string> word_first(std::vector<std::string> arguments,
                                                  const std::vector<OptionGroup>& groups);

/// The help page of a command.
[[nodiscard]] std::string help(const CommandSpec& command);

}  // namespace app
