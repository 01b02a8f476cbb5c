#include "profile/references.h"

#include <algorithm>

namespace gpusim::profile_detail {
namespace {

constexpr std::string_view mark = "ref:";

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
}

bool is_name(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_name_letter); }

}  // namespace

References read_references(const JsonValue& json, const std::string& where, Problems& problems) {
  References references;
  if (!json.is(JsonValue::Kind::object)) {
    problems.add(where, "expected an object of citations by short name, not " + std::string(kind_name(json.kind)));
    return references;
  }
  for (const auto& [name, citation] : json.members) {
    const std::string place = where + pointer_part(name);
    if (!is_name(name)) problems.add(place, "a short name has only a-z, 0-9 and hyphens");
    if (!citation.is(JsonValue::Kind::string) || citation.text.empty()) {
      problems.add(place, "expected a citation as text");
      continue;
    }
    references.emplace(name, citation.text);
  }
  return references;
}

std::string resolve(std::string_view source, const References& references, const std::string& where,
                    Problems& problems) {
  std::string resolved;
  while (true) {
    const std::size_t at = source.find(mark);
    resolved += source.substr(0, at);
    if (at == std::string_view::npos) return resolved;
    source.remove_prefix(at + mark.size());
    const auto end = std::find_if_not(source.begin(), source.end(), is_name_letter);
    const auto name = source.substr(0, static_cast<std::size_t>(end - source.begin()));
    source.remove_prefix(name.size());
    const auto found = references.find(std::string(name));
    if (found != references.end()) {
      resolved += found->second;
      continue;
    }
    std::vector<std::string_view> known;
    for (const auto& [other, citation] : references) known.push_back(other);
    problems.add(where, "the file has no reference " + in_quotes(name) + did_you_mean(name, known));
  }
}

}  // namespace gpusim::profile_detail
