#include "validate/anchor_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gpusim/error.h"
#include "validate/embedded_anchors.h"

namespace gpusim::validate {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> reading_names{"value", "difference", "ratio", "spread", "knee", "first"};
constexpr std::array<std::string_view, 18> check_keys{
    "gpu",     "quantity", "unit",  "source", "note",      "probe",  "parameters", "clock_mhz", "read",
    "reading", "against",  "sweep", "at",     "threshold", "offset", "expected",   "tolerance", "input"};
constexpr std::array<std::string_view, 7> anchor_keys{"id",       "title",    "setup", "source",
                                                      "left_out", "defaults", "checks"};

std::optional<Tolerance> tolerance_from(const std::string& text) {
  if (text == "exact") return Tolerance{};
  Tolerance tolerance{0, text.ends_with("%"), text};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, tolerance.amount);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || !(tolerance.amount > 0) || unit.empty()) return std::nullopt;
  if (tolerance.relative) tolerance.amount /= 100;
  if (!tolerance.relative && unit.front() != ' ') return std::nullopt;
  return tolerance;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); }

/// "footprint 20MiB" from "footprint {}".
std::string filled(std::string text, const std::string& value) {
  const std::size_t place = text.find("{}");
  return place == std::string::npos ? text : text.replace(place, 2, value);
}

/// Reads one file; keeps all problems.
class AnchorReader {
 public:
  explicit AnchorReader(std::string_view origin) : origin_(origin) {}

  std::vector<AnchorSpec> file(const Json& json) {
    std::vector<AnchorSpec> anchors;
    if (json.is_array()) {
      for (const Json& each : json) anchors.push_back(anchor(each));
    } else {
      refuse("", "expected an array of anchors");
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return anchors;
  }

 private:
  AnchorSpec anchor(const Json& json) {
    AnchorSpec anchor;
    if (!json.is_object()) {
      refuse("", "expected an object");
      return anchor;
    }
    where_ = json.value("id", std::string("?"));
    refuse_unknown(json, anchor_keys);
    read(json, "id", anchor.id, true);
    read(json, "title", anchor.title, true);
    read(json, "setup", anchor.setup, true);
    read(json, "source", anchor.source, true);
    read(json, "left_out", anchor.left_out, false);
    Json defaults = json.value("defaults", Json::object());
    if (!defaults.contains("source")) defaults["source"] = anchor.source;
    for (const Json& entry : json.value("checks", Json::array())) {
      Json complete = defaults;
      complete.merge_patch(entry);
      add_checks(complete, anchor.checks);
    }
    if (anchor.checks.empty() == anchor.left_out.empty()) refuse("", "expected either checks or why it is left_out");
    return anchor;
  }

  /// One check, or one for each value of a sweep.
  void add_checks(const Json& json, std::vector<CheckSpec>& checks) {
    CheckSpec check;
    Json expected;
    Json input;
    read_check(json, check, expected, input);
    const bool series = check.reading == Reading::value && !check.sweep.empty();
    if (!series) {
      read_expected(expected, check.expected);
      if (input.is_string()) check.input = input.get<std::string>();
      checks.push_back(std::move(check));
      return;
    }
    if (!expected.is_array() || expected.size() != check.at.size()) {
      refuse(check.quantity, "a sweep expects a value for each of 'at'");
      return;
    }
    for (std::size_t i = 0; i < check.at.size(); ++i) {
      CheckSpec one = check;
      one.at.clear();
      one.sweep.clear();
      one.parameters[check.sweep] = check.at[i];
      one.quantity = filled(check.quantity, check.at[i]);
      read_expected(expected[i], one.expected);
      const Json& key = input.is_array() && i < input.size() ? input[i] : input;
      if (key.is_string()) one.input = key.get<std::string>();
      checks.push_back(std::move(one));
    }
  }

  void read_check(const Json& json, CheckSpec& check, Json& expected, Json& input) {
    refuse_unknown(json, check_keys);
    read(json, "quantity", check.quantity, true);
    read(json, "gpu", check.gpu, true);
    read(json, "unit", check.unit, true);
    read(json, "source", check.source, true);
    read(json, "note", check.note, false);
    read(json, "probe", check.probe, false);
    read(json, "read", check.read, !check.probe.empty());
    read(json, "sweep", check.sweep, false);
    read_map(json, "parameters", check.parameters);
    read_map(json, "against", check.against);
    if (json.contains("clock_mhz")) check.clock = text_of(json["clock_mhz"]);
    for (const Json& value : json.value("at", Json::array())) check.at.push_back(text_of(value));
    check.threshold = json.value("threshold", 0.0);
    check.offset = json.value("offset", 0.0);
    const std::string reading = json.value("reading", std::string("value"));
    const auto* place = std::find(reading_names.begin(), reading_names.end(), reading);
    if (place == reading_names.end()) {
      refuse(check.quantity, "there is no reading '" + reading + "'");
    } else {
      check.reading = static_cast<Reading>(place - reading_names.begin());
    }
    if (const auto tolerance = tolerance_from(json.value("tolerance", std::string()))) {
      check.tolerance = *tolerance;
    } else {
      refuse(check.quantity, "expected a tolerance: \"5%\", \"1 cycle\" or \"exact\"");
    }
    expected = json.value("expected", Json());
    input = json.value("input", Json());
  }

  void read_expected(const Json& json, Expected& expected) {
    if (json.is_number()) {
      expected = {json.get<double>(), json.get<double>()};
    } else if (json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number()) {
      expected = {json[0].get<double>(), json[1].get<double>()};
    } else {
      refuse("expected", "expected a number or [low, high]");
    }
  }

  void read(const Json& json, const char* key, std::string& text, bool required) {
    if (json.contains(key) && json[key].is_string()) {
      text = json[key].get<std::string>();
    } else if (required || (json.contains(key) && !json[key].is_null())) {
      refuse(key, "expected text");
    }
  }

  static void read_map(const Json& json, const char* key, std::map<std::string, std::string>& map) {
    if (!json.contains(key)) return;
    for (const auto& [name, value] : json[key].items()) map[name] = text_of(value);
  }

  template <std::size_t Count>
  void refuse_unknown(const Json& json, const std::array<std::string_view, Count>& known) {
    for (const auto& [key, value] : json.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string_view near = nearest(key, known);
      refuse(key, "unknown key" + (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
    }
  }

  void refuse(const std::string& what, std::string why) {
    problems_.push_back({origin_ + ": " + where_ + (what.empty() ? "" : ": " + what), std::move(why)});
  }

  std::string origin_;
  std::string where_ = "file";
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<AnchorSpec> parse_anchors(std::string_view text, std::string_view origin) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError({Problem{std::string(origin), "is not JSON"}});
  return AnchorReader(origin).file(json);
}

std::vector<AnchorSpec> all_anchors() {
  std::vector<AnchorSpec> all;
  for (const AnchorFile& file : anchor_files()) {
    for (AnchorSpec& anchor : parse_anchors(file.text, file.name)) all.push_back(std::move(anchor));
  }
  return all;
}

}  // namespace gpusim::validate
