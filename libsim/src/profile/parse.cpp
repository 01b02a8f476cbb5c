// Files to profiles: names, base, references, and the Specs.
#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "gpusim/profile_io.h"
#include "profile/library.h"
#include "profile/provenance.h"
#include "profile/reader.h"

namespace gpusim {
namespace profile_detail {
namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t most_bases = 16;

/// Where reading a profile is.
struct Chain {
  std::vector<Source> waiting;     ///< for their base, outermost first
  std::vector<std::string> files;  ///< all that were read
};

Profile read_profile(Source source, Chain& chain, Problems& problems);

/// The keys of a file beside those of the Specs.
struct FileKey {
  std::string_view key;
  bool required;
};
constexpr std::array file_keys{
    FileKey{"name", true},          FileKey{"title", true},
    FileKey{"architecture", false}, FileKey{"compute_capability", false},
    FileKey{"aliases", false},      FileKey{"base", false},
    FileKey{"references", false},   FileKey{"description", false},
};

void read_text(const JsonValue& json, const Place& place, std::string_view key, std::string& text, Problems& problems) {
  const JsonValue* value = json.find(key);
  if (value == nullptr) return;
  constexpr std::size_t longest = 4096;
  if (value->is(Kind::string) && !value->text.empty() && value->text.size() <= longest) {
    text = value->text;
  } else {
    problems.add(place.at(key).where, "expected text");
  }
}

void read_names(const JsonValue& json, const Place& place, Profile& profile, Problems& problems) {
  profile.name.clear();
  profile.title.clear();
  profile.aliases.clear();
  read_text(json, place, "name", profile.name, problems);
  read_text(json, place, "title", profile.title, problems);
  read_text(json, place, "architecture", profile.architecture, problems);
  read_text(json, place, "compute_capability", profile.compute_capability, problems);
  std::string description;
  read_text(json, place, "description", description, problems);
  const JsonValue* aliases = json.find("aliases");
  if (aliases == nullptr) return;
  const bool texts =
      aliases->is(Kind::array) && std::all_of(aliases->items.begin(), aliases->items.end(),
                                              [](const JsonValue& alias) { return alias.is(Kind::string); });
  if (!texts) {
    problems.add(place.at("aliases").where, "expected an array of names");
    return;
  }
  for (const JsonValue& alias : aliases->items) profile.aliases.push_back(alias.text);
}

void check_keys(const JsonValue& json, const Place& place, Problems& problems) {
  std::vector<std::string_view> known;
  known.reserve(std::size(file_keys));
  for (const FileKey& each : file_keys) known.push_back(each.key);
  Profile::fields([&](const Field& field, auto) { known.push_back(field.key); });
  for (const auto& [key, value] : json.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    problems.add(place.where + pointer_part(key), "unknown key" + did_you_mean(key, known));
  }
  for (const FileKey& each : file_keys) {
    if (each.required && json.find(each.key) == nullptr) problems.add(place.at(each.key).where, "is missing");
  }
}

/// The source a file's "base" names.
std::optional<Source> find_base(const std::string& name, const Source& source, const std::string& where,
                                Problems& problems) {
  if (is_path(name)) return read_file((std::filesystem::path(source.folder) / name).string(), where, problems);
  const EmbeddedProfile* embedded = find_embedded(name, where, problems);
  return embedded == nullptr ? std::nullopt : std::optional(source_of(*embedded));
}

/// The profile a file starts from; nothing when it names none or a wrong one.
std::optional<Profile> read_base(const JsonValue& json, const Place& place, Chain& chain, Problems& problems) {
  const JsonValue* base = json.find("base");
  if (base == nullptr) return std::nullopt;
  const std::string where = place.at("base").where;
  if (!base->is(Kind::string)) {
    problems.add(where, "expected a profile's name or a file, as text");
    return std::nullopt;
  }
  auto source = find_base(base->text, chain.waiting.back(), where, problems);
  if (!source) return std::nullopt;
  const std::vector<Source>& waiting = chain.waiting;
  const auto begin = std::find_if(waiting.begin(), waiting.end(),
                                  [&](const Source& each) { return each.identity == source->identity; });
  if (begin != waiting.end()) {
    std::string circle;
    for (auto each = begin; each != waiting.end(); ++each) circle += each->origin + " -> ";
    problems.add(where, "the bases go in a circle: " + circle + begin->origin);
    return std::nullopt;
  }
  if (waiting.size() == most_bases) {
    problems.add(where, "more than " + std::to_string(most_bases) + " profiles stand on each other");
    return std::nullopt;
  }
  const std::size_t before = problems.count();
  Profile profile = read_profile(*std::move(source), chain, problems);
  return problems.count() == before ? std::optional(std::move(profile)) : std::nullopt;
}

/// Whether the file is one of `gpusim schedule save`: each of its keys would be a problem.
bool is_schedule(const JsonValue& json) {
  return json.find("roles") != nullptr && json.find("buffers") != nullptr && json.find("sm") == nullptr;
}

Profile read_profile(Source source, Chain& chain, Problems& problems) {
  if (!source.file.empty()) chain.files.push_back(source.file);
  const Place place{source.origin + "#", ""};
  const auto read = read_document(source.text, source.origin, problems);
  if (!read) return {};
  const JsonValue& json = *read;
  if (!json.is(Kind::object)) {
    problems.add(place.where, "expected an object, not " + std::string(kind_name(json.kind)));
    return {};
  }
  if (is_schedule(json)) {
    problems.add(place.where, "is a schedule, not a GPU's profile");
    return {};
  }
  source.text.clear();
  chain.waiting.push_back(std::move(source));
  check_keys(json, place, problems);
  std::optional<Profile> base = read_base(json, place, chain, problems);
  chain.waiting.pop_back();

  Profile profile = base.value_or(Profile{});
  if (base) inherit_provenance(profile, base->title);
  read_names(json, place, profile, problems);
  const JsonValue* references_json = json.find("references");
  const References references = references_json == nullptr
                                    ? References{}
                                    : read_references(*references_json, place.at("references").where, problems);
  // Numbers of one die say nothing about another: a file that names a different compute capability states them all.
  const bool other_die = base && base->compute_capability != profile.compute_capability;
  const bool complete = json.find("base") == nullptr || other_die;
  const std::size_t before = problems.count();
  Reader(profile, references, problems).read_members(json, place, complete, profile);
  if (other_die && problems.count() > before) {
    problems.add(place.at("base").where, "is of compute capability " + in_quotes(base->compute_capability) + ", not " +
                                             in_quotes(profile.compute_capability) + ": nothing is taken over from it");
  }
  return profile;
}

Profile checked(Source source, std::vector<std::string>& files) {
  Problems problems;
  Chain chain;
  const std::string origin = source.origin;
  Profile profile = read_profile(std::move(source), chain, problems);
  files.insert(files.end(), chain.files.begin(), chain.files.end());
  if (problems.empty()) {
    for (Problem& problem : check(profile)) {
      std::replace(problem.where.begin(), problem.where.end(), '.', '/');
      problems.add(origin + "#/" + problem.where, std::move(problem.what));
    }
  }
  std::move(problems).throw_if_any();
  return profile;
}

}  // namespace
}  // namespace profile_detail

using namespace profile_detail;

Profile load_profile(std::string_view name_or_path) {
  std::vector<std::string> files;
  return load_profile(name_or_path, files);
}

Profile load_profile(std::string_view name_or_path, std::vector<std::string>& files) {
  const std::string name(name_or_path);
  Problems problems;
  std::optional<Source> source;
  if (is_path(name)) {
    source = read_file(name, "profile", problems);
  } else if (const EmbeddedProfile* embedded = find_embedded(name, "profile", problems)) {
    source = source_of(*embedded);
  }
  std::move(problems).throw_if_any();
  return checked(*std::move(source), files);
}

Profile parse_profile(std::string_view text, std::string_view origin) {
  const std::string name(origin);
  std::error_code error;
  const std::filesystem::path path(name);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  // read_document refuses what is larger; no need to copy it.
  std::vector<std::string> files;
  return checked({std::string(text.substr(0, most_bytes + 1)), name, error ? name : canonical.string(),
                  path.parent_path().string()},
                 files);
}

}  // namespace gpusim
