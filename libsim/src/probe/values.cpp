#include "probe/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "binary_units.h"

namespace gpusim::probe {

namespace {

constexpr std::string_view byte = "B";

std::optional<double> real_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string plain(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// What is wrong with a value, or "".
std::string fault_of(const Parameter& parameter, const std::string& value) {
  const std::vector<std::string>& choices = parameter.description.choices;
  switch (parameter.form) {
    case Form::word:
      if (std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
      return "there is no '" + value + "'" + choices_text(value, choices);
    case Form::text:
      return value.empty() ? "it needs a value" : "";
    case Form::number:
    case Form::real: {
      const std::optional<double> found = real_of(value);
      const bool whole = parameter.form == Form::number;
      const bool right = found && *found >= parameter.least && *found <= parameter.most;
      if (right && (!whole || *found == std::floor(*found))) return "";
      return "'" + value + "' is not a " + (whole ? "whole " : "") + "number from " + plain(parameter.least) + " to " +
             plain(parameter.most);
    }
    case Form::size: {
      const std::int64_t bytes = bytes_of(value);
      const auto least = static_cast<std::int64_t>(parameter.least);
      const auto most = static_cast<std::int64_t>(parameter.most);
      const auto within = [&](std::int64_t size) { return size >= least && size <= most; };
      if (within(bytes)) return "";
      const std::string meant = in_binary_unit(value);
      return "'" + value + "' is not a size from " + size_text(least) + " to " + size_text(most) +
             (within(bytes_of(meant)) ? "; did you mean '" + meant + "'?" : "");
    }
  }
  return "";
}

Parameter parameter(std::string name, std::string help, std::string otherwise, std::vector<std::string> choices,
                    Form form, double least, double most) {
  return {{std::move(name), std::move(help), std::move(otherwise), std::move(choices), form == Form::size},
          form,
          least,
          most};
}

}  // namespace

Parameter word(std::string name, std::string help, std::vector<std::string> choices) {
  std::string first = choices.front();
  return parameter(std::move(name), std::move(help), std::move(first), std::move(choices), Form::word, 0, 0);
}

Parameter text(std::string name, std::string help, std::string otherwise) {
  return parameter(std::move(name), std::move(help), std::move(otherwise), {}, Form::text, 0, 0);
}

Parameter number(std::string name, std::string help, std::string otherwise, double least, double most) {
  return parameter(std::move(name), std::move(help), std::move(otherwise), {}, Form::number, least, most);
}

Parameter real(std::string name, std::string help, std::string otherwise, double least, double most) {
  return parameter(std::move(name), std::move(help), std::move(otherwise), {}, Form::real, least, most);
}

Parameter size(std::string name, std::string help, std::string otherwise, double least, double most) {
  return parameter(std::move(name), std::move(help), std::move(otherwise), {}, Form::size, least, most);
}

Values::Values(const std::vector<Parameter>& known, const std::map<std::string, std::string>& given,
               std::vector<Problem>& problems) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Parameter& each : known) names.push_back(each.description.name);
  for (const auto& [name, value] : given)
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems.push_back({name, "there is no such parameter" + choices_text(name, names)});
  for (const Parameter& each : known) {
    const std::string& name = each.description.name;
    const auto found = given.find(name);
    const std::string& value = found == given.end() ? each.description.otherwise : found->second;
    values_[name] = value;
    if (value == automatic && each.description.otherwise == automatic) continue;
    const std::string fault = fault_of(each, value);
    if (!fault.empty()) problems.push_back({name, fault});
  }
}

const std::string& Values::text(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) throw std::logic_error("a probe has no parameter '" + std::string(name) + "'");
  return found->second;
}

double Values::real(std::string_view name) const {
  const std::optional<double> value = real_of(text(name));
  if (!value) throw std::logic_error("parameter '" + std::string(name) + "' is no number");
  return *value;
}

std::int64_t Values::number(std::string_view name) const { return std::llround(real(name)); }

std::int64_t Values::bytes(std::string_view name) const { return bytes_of(text(name)); }

void Values::resolve(std::string_view name, std::string value) {
  (void)text(name);
  values_[std::string(name)] = std::move(value);
}

std::int64_t bytes_of(std::string_view text) {
  const auto unit_of = std::find_if(binary_units.begin(), binary_units.end(),
                                    [&](const BinaryUnit& each) { return text.ends_with(each.name); });
  const bool is_binary = unit_of != binary_units.end();
  const std::int64_t unit = is_binary ? std::int64_t{1} << unit_of->shift : 1;
  if (is_binary)
    text.remove_suffix(unit_of->name.size());
  else if (text.ends_with(byte))
    text.remove_suffix(byte.size());
  const std::optional<double> count = real_of(text);
  constexpr double most = 0x1p60;
  if (!count || *count < 0 || *count * static_cast<double>(unit) > most) return -1;
  return std::llround(*count * static_cast<double>(unit));
}

std::string size_text(std::int64_t bytes) {
  for (const BinaryUnit& each : binary_units) {
    const std::int64_t unit = std::int64_t{1} << each.shift;
    if (bytes != 0 && bytes % unit == 0) return std::to_string(bytes / unit) + std::string(each.name);
  }
  return std::to_string(bytes) + std::string(byte);
}

std::string choices_text(std::string_view text, const std::vector<std::string>& choices) {
  const std::vector<std::string_view> candidates(choices.begin(), choices.end());
  const std::string_view near = nearest(text, candidates);
  std::string all;
  for (const std::string& each : choices) all += (all.empty() ? "" : ", ") + each;
  return (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?") + std::string(" (there are ") + all + ")";
}

}  // namespace gpusim::probe
