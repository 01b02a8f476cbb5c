// A point's parameters: what a kind knows, what was given, and what they mean.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/probe.h"

namespace gpusim::probe {

/// What stands for "follows from the others" until a probe says what it is.
inline constexpr std::string_view automatic = "auto";

enum class Form : std::uint8_t {
  word,    ///< one of the choices
  text,    ///< read by the probe itself
  number,  ///< whole, within [least, most]
  real,    ///< within [least, most]
  size,    ///< bytes, as "16KiB", within [least, most]
};

struct Parameter {
  ProbeParameter description;
  Form form = Form::word;
  double least = 0;
  double most = 0;
};

[[nodiscard]] Parameter word(std::string name, std::string help, std::vector<std::string> choices);
[[nodiscard]] Parameter text(std::string name, std::string help, std::string otherwise);
[[nodiscard]] Parameter number(std::string name, std::string help, std::string otherwise, double least, double most);
[[nodiscard]] Parameter real(std::string name, std::string help, std::string otherwise, double least, double most);
[[nodiscard]] Parameter size(std::string name, std::string help, std::string otherwise, double least, double most);

/// Complete and checked parameters. Reading one that there is not, or as what it is not, is a std::logic_error.
class Values {
 public:
  /// Takes what is given, fills in the rest, and adds what is wrong to `problems`.
  Values(const std::vector<Parameter>& known, const std::map<std::string, std::string>& given,
         std::vector<Problem>& problems);

  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] bool is(std::string_view name, std::string_view value) const { return text(name) == value; }
  [[nodiscard]] bool is_automatic(std::string_view name) const { return is(name, automatic); }
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] std::int64_t bytes(std::string_view name) const;

  /// Says what an automatic value came to.
  void resolve(std::string_view name, std::string value);
  [[nodiscard]] const std::map<std::string, std::string>& all() const { return values_; }

 private:
  std::map<std::string, std::string> values_;
};

/// "16KiB", "38MiB", "1.5MiB" or plain bytes, or -1.
[[nodiscard]] std::int64_t bytes_of(std::string_view text);
/// The same the other way: the largest unit that divides it.
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// "; did you mean 'x'? (there are x, y)"
[[nodiscard]] std::string choices_text(std::string_view text, const std::vector<std::string>& choices);

}  // namespace gpusim::probe
