#include "probe_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "columns.h"
#include "gpusim/profile_io.h"
#include "gpusim/version.h"

namespace app {

namespace {

using gpusim::ProbeKind;
using gpusim::ProbeReading;

std::optional<double> value_of(const ProbeReading& reading, const std::string& quantity) {
  for (const gpusim::ProbeQuantity& each : reading.quantities)
    if (each.name == quantity) return each.value;
  return std::nullopt;
}

const std::string& parameter_of(const ProbeReading& reading, const std::string& name) {
  return reading.point.parameters.at(name);
}

bool is_constant(const std::vector<ProbeReading>& readings, const std::string& name) {
  return std::all_of(readings.begin(), readings.end(), [&](const ProbeReading& reading) {
    return parameter_of(reading, name) == parameter_of(readings.front(), name);
  });
}

/// Four significant digits, no exponent where it can be helped.
std::string rounded(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string probe_table(const gpusim::Profile& profile, const ProbeKind& kind,
                        const std::vector<ProbeReading>& readings) {
  std::string fixed;
  std::vector<std::string> varying;
  for (const gpusim::ProbeParameter& parameter : kind.parameters) {
    if (is_constant(readings, parameter.name))
      fixed += fmt::format(", {} {}", parameter.name, parameter_of(readings.front(), parameter.name));
    else
      varying.push_back(parameter.name);
  }
  std::vector<std::vector<std::string>> rows(1, varying);
  for (const gpusim::ProbeUnit& quantity : kind.quantities)
    rows[0].push_back(quantity.unit.empty() ? quantity.name : fmt::format("{} ({})", quantity.name, quantity.unit));
  for (const ProbeReading& reading : readings) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& name : varying) row.push_back(parameter_of(reading, name));
    for (const gpusim::ProbeUnit& quantity : kind.quantities) {
      const auto value = value_of(reading, quantity.name);
      row.push_back(value ? rounded(*value) : "-");
    }
  }
  return fmt::format("{}: {}\n{} at {} MHz{}\n\n{}", kind.name, kind.title, profile.name,
                     readings.front().point.clock_mhz.value(), fixed, columns(rows));
}

std::string probe_csv(const ProbeKind& kind, const std::vector<ProbeReading>& readings) {
  std::string text;
  for (const gpusim::ProbeParameter& parameter : kind.parameters) text += parameter.name + ",";
  for (const gpusim::ProbeUnit& quantity : kind.quantities) text += quantity.name + ",";
  text.back() = '\n';
  for (const ProbeReading& reading : readings) {
    for (const gpusim::ProbeParameter& parameter : kind.parameters) {
      const std::string& value = parameter_of(reading, parameter.name);
      const std::optional<std::int64_t> bytes = parameter.is_size ? gpusim::probe_bytes(value) : std::nullopt;
      text += (bytes ? std::to_string(*bytes) : value) + ",";
    }
    for (const gpusim::ProbeUnit& quantity : kind.quantities) {
      const auto value = value_of(reading, quantity.name);
      text += (value ? fmt::format("{:.6g}", *value) : "") + ",";
    }
    text.back() = '\n';
  }
  return text;
}

std::string probe_json(const gpusim::Profile& profile, const ProbeKind& kind,
                       const std::vector<ProbeReading>& readings) {
  nlohmann::ordered_json json;
  json["gpusim"] = gpusim::version();
  json["probe"] = kind.name;
  json["gpu"] = profile.name;
  json["profile_digest"] = fmt::format("{:016x}", gpusim::digest(profile));
  for (const gpusim::ProbeUnit& quantity : kind.quantities) json["units"][quantity.name] = quantity.unit;
  json["readings"] = nlohmann::ordered_json::array();
  for (const ProbeReading& reading : readings) {
    nlohmann::ordered_json& each = json["readings"].emplace_back();
    for (const gpusim::ProbeParameter& parameter : kind.parameters)
      each["parameters"][parameter.name] = parameter_of(reading, parameter.name);
    each["clock_mhz"] = reading.point.clock_mhz.value();
    for (const gpusim::ProbeQuantity& quantity : reading.quantities) each["quantities"][quantity.name] = quantity.value;
  }
  return json.dump(2) + "\n";
}

}  // namespace app
