#include "profile/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "gpusim/profile_io.h"
#include "profile/document.h"

namespace gpusim {
namespace profile_detail {
namespace {

/// Names are the same whatever their case, spaces and hyphens.
std::string folded(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter == ' ' || letter == '-') continue;
    letters += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return letters;
}

std::string text_member(const JsonValue& json, std::string_view key) {
  const JsonValue* value = json.find(key);
  return value != nullptr && value->is(JsonValue::Kind::string) ? value->text : "";
}

/// Only the names of a built-in profile: reading it whole would cost more than a listing needs.
ProfileName names_of(const EmbeddedProfile& profile) {
  Problems problems;
  const auto read = read_document(profile.text, profile.name, problems);
  std::move(problems).throw_if_any();
  const JsonValue& json = *read;
  ProfileName names{text_member(json, "name"), text_member(json, "title"), text_member(json, "architecture"), {}};
  if (const JsonValue* aliases = json.find("aliases")) {
    for (const JsonValue& alias : aliases->items) names.aliases.push_back(alias.text);
  }
  return names;
}

std::string listing(const std::vector<ProfileName>& all) {
  std::vector<std::string> lines;
  for (const ProfileName& names : all) {
    lines.push_back(names.aliases.empty() ? names.name : names.name + " (" + names.aliases.front() + ")");
  }
  return comma_separated(lines);
}

}  // namespace

bool is_path(std::string_view name) { return name.ends_with(".json") || name.find('/') != std::string_view::npos; }

const EmbeddedProfile* find_embedded(std::string_view name, const std::string& where, Problems& problems) {
  const std::string wanted = folded(name);
  const auto embedded = embedded_profiles();
  const std::vector<ProfileName> all = list_profiles();
  std::vector<std::string_view> known;
  for (const ProfileName& names : all) {
    known.push_back(names.name);
    known.insert(known.end(), names.aliases.begin(), names.aliases.end());
    const bool meant =
        folded(names.name) == wanted || std::any_of(names.aliases.begin(), names.aliases.end(),
                                                    [&](const std::string& alias) { return folded(alias) == wanted; });
    if (!meant) continue;
    return &*std::find_if(embedded.begin(), embedded.end(), [&](const auto& each) { return each.name == names.name; });
  }
  problems.add(where, "no built-in profile is called " + in_quotes(name) + did_you_mean(name, known) +
                          " (built in: " + listing(all) + "; a file's name ends in .json)");
  return nullptr;
}

Source source_of(const EmbeddedProfile& profile) {
  const std::string name(profile.name);
  return {std::string(profile.text), "arch/" + name + ".json", "built-in " + name, ""};
}

std::optional<Source> read_file(const std::string& path, const std::string& where, Problems& problems) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file(path);
  if (!fs::is_regular_file(file, error)) {
    problems.add(where, "there is no file " + in_quotes(path));
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  // One byte beyond the limit is enough to see that a file is too large, however large it is.
  std::string text(most_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (stream.gcount() == 0 && !stream.eof())) {
    problems.add(where, "cannot read " + in_quotes(path));
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const fs::path canonical = fs::weakly_canonical(file, error);
  return Source{std::move(text), path, error ? path : canonical.string(), file.parent_path().string()};
}

}  // namespace profile_detail

std::vector<ProfileName> list_profiles() {
  std::vector<ProfileName> all;
  for (const profile_detail::EmbeddedProfile& profile : profile_detail::embedded_profiles()) {
    all.push_back(profile_detail::names_of(profile));
  }
  return all;
}

}  // namespace gpusim
