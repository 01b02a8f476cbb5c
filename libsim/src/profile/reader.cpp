#include "profile/reader.h"

#include <algorithm>
#include <array>

namespace gpusim::profile_detail {

bool Reader::is_object(const JsonValue& json, const Field& field, const Place& place) {
  if (json.is(JsonValue::Kind::object)) return true;
  problems_.add(place.where, "expected an object, not " + shown(json) + ": " + std::string(field.doc));
  return false;
}

void Reader::refuse_others(const JsonValue& json, const Place& place, std::span<const std::string_view> known) {
  for (const auto& [key, value] : json.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string hint = did_you_mean(key, known);
    problems_.add(place.where + pointer_part(key),
                  "unknown key" + (hint.empty() ? "; known: " + comma_separated(known) : hint));
  }
}

const JsonValue* Reader::number_value(const JsonValue& json, const Place& place, const std::string& expected) {
  if (!json.is(JsonValue::Kind::object)) {
    problems_.add(place.where, "expected {\"value\": ..., \"method\": ..., \"source\": ...} with a value that is " +
                                   expected + ", not " + shown(json));
    return nullptr;
  }
  static constexpr std::array<std::string_view, 3> known{"value", "method", "source"};
  refuse_others(json, place, known);
  read_provenance(json, place);
  const JsonValue* value = json.find("value");
  if (value == nullptr) problems_.add(place.where + "/value", "is missing: expected " + expected);
  return value;
}

void Reader::read_provenance(const JsonValue& json, const Place& place) {
  Provenance provenance;
  const JsonValue* method = json.find("method");
  const auto methods = words(Method{});
  if (method == nullptr || !method->is(JsonValue::Kind::string) ||
      !from_text(method->text, Field{}, provenance.method)) {
    const std::string hint = method == nullptr ? "" : did_you_mean(method->text, methods);
    problems_.add(place.where + "/method",
                  "expected how the number is known, one of " + comma_separated(methods) + hint);
  }
  const JsonValue* source = json.find("source");
  if (source == nullptr || !source->is(JsonValue::Kind::string) || source->text.empty()) {
    problems_.add(place.where + "/source", "expected where the number comes from, as text");
  } else {
    provenance.source = resolve(source->text, references_, place.where + "/source", problems_);
  }
  profile_.provenance.insert_or_assign(place.key, std::move(provenance));
}

std::string Reader::shown(const JsonValue& json) {
  switch (json.kind) {
    case JsonValue::Kind::string:
      return in_quotes(json.text);
    case JsonValue::Kind::number: {
      const std::string spelling = in_quotes(json.text);
      return spelling.substr(1, spelling.size() - 2);
    }
    default:
      return std::string(kind_name(json.kind));
  }
}

}  // namespace gpusim::profile_detail
