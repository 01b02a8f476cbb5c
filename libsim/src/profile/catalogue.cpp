// The built-in profiles by name: which one somebody means.
#include <algorithm>
#include <array>

#include "gpusim/profile_io.h"
#include "profile/document.h"
#include "profile/library.h"
#include "profile/names.h"

namespace gpusim {
namespace profile_detail {
namespace {

struct Entry {
  const EmbeddedProfile* profile = nullptr;
  ProfileName names;
  std::vector<NameParts> spelled;  ///< name, title and aliases as they are
};

JsonValue read(const EmbeddedProfile& profile, std::string_view up_to) {
  Problems problems;
  auto json = read_document(profile.text, profile.name, problems, up_to);
  std::move(problems).throw_if_any();
  return *std::move(json);
}

std::string text_member(const JsonValue& json, std::string_view key) {
  const JsonValue* value = json.find(key);
  return value != nullptr && value->is(JsonValue::Kind::string) ? value->text : "";
}

/// dram.capacity as the file has it, or "".
std::string capacity(const JsonValue& json) {
  const JsonValue* dram = json.find("dram");
  const JsonValue* number = dram == nullptr ? nullptr : dram->find("capacity");
  return number == nullptr ? "" : text_member(*number, "value");
}

/// The names, with what they leave out filled in. A GPU whose names speak of no board is one that is plugged in.
std::vector<NameParts> filled_in(const Entry& entry) {
  std::vector<NameParts> names = entry.spelled;
  const bool no_board = std::all_of(names.begin(), names.end(), [](const auto& each) { return each.board.empty(); });
  const std::string memory = name_parts(capacity(read(*entry.profile, "dram"))).memory;
  for (NameParts& each : names) {
    if (no_board) each.board = "pcie";
    if (each.memory.empty()) each.memory = memory;
  }
  return names;
}

/// Of a built-in profile only what names it, which stands at the top: reading all of them whole would take longer than
/// many a run.
Entry entry_of(const EmbeddedProfile& profile) {
  const JsonValue json = read(profile, "aliases");
  Entry entry{
      &profile, {text_member(json, "name"), text_member(json, "title"), text_member(json, "architecture"), {}}, {}};
  entry.spelled = {name_parts(entry.names.name), name_parts(entry.names.title)};
  if (const JsonValue* aliases = json.find("aliases")) {
    for (const JsonValue& alias : aliases->items) {
      entry.names.aliases.push_back(alias.text);
      entry.spelled.push_back(name_parts(alias.text));
    }
  }
  return entry;
}

std::vector<Entry> catalogue() {
  std::vector<Entry> all;
  for (const EmbeddedProfile& profile : embedded_profiles()) all.push_back(entry_of(profile));
  return all;
}

/// The entries that `name` may mean; one alone when one is spelled so.
std::vector<const Entry*> meant_by(std::string_view name, const std::vector<Entry>& all) {
  const NameParts asked = name_parts(name);
  for (const Entry& entry : all)
    if (std::find(entry.spelled.begin(), entry.spelled.end(), asked) != entry.spelled.end()) return {&entry};
  std::vector<const Entry*> meant;
  for (const Entry& entry : all) {
    const std::vector<NameParts> full = filled_in(entry);
    if (std::any_of(full.begin(), full.end(), [&](const auto& each) { return may_mean(asked, each); }))
      meant.push_back(&entry);
  }
  return meant;
}

std::string unknown(std::string_view name, const std::vector<Entry>& all) {
  std::vector<std::string_view> known;
  std::vector<std::string> lines;
  for (const auto& [profile, names, spelled] : all) {
    known.push_back(names.name);
    known.insert(known.end(), names.aliases.begin(), names.aliases.end());
    lines.push_back(names.aliases.empty() ? names.name : names.name + " (" + names.aliases.front() + ")");
  }
  return "no built-in profile is called " + in_quotes(name) + did_you_mean(name, known) +
         " (built in: " + comma_separated(lines) + "; a file's name ends in .json)";
}

}  // namespace

const EmbeddedProfile* find_embedded(std::string_view name, const std::string& where, Problems& problems) {
  const std::vector<Entry> all = catalogue();
  const std::vector<const Entry*> meant = meant_by(name, all);
  if (meant.size() == 1) return meant.front()->profile;
  if (meant.size() > 1) {
    std::vector<std::string> names;
    names.reserve(meant.size());
    for (const Entry* entry : meant) names.push_back(entry->names.name);
    problems.add(where, in_quotes(name) + " may mean any of " + comma_separated(names));
  } else if (const auto gpu = find_out_of_scope(name)) {
    problems.add(where, in_quotes(name) + ": " + gpu->reason + "; the nearest profile is \"" + gpu->nearest + "\"");
  } else {
    problems.add(where, unknown(name, all));
  }
  return nullptr;
}

}  // namespace profile_detail

std::vector<ProfileName> list_profiles() {
  std::vector<ProfileName> all;
  for (auto& entry : profile_detail::catalogue()) all.push_back(std::move(entry.names));
  return all;
}

std::vector<OutOfScope> list_out_of_scope() {
  const std::string reason = "Pascal is out of scope, profiles begin with Volta";
  return {{"P4", "NVIDIA Tesla P4", reason, "t4"}, {"P100", "NVIDIA Tesla P100", reason, "v100-pcie"}};
}

std::optional<OutOfScope> find_out_of_scope(std::string_view name) {
  profile_detail::NameParts asked = profile_detail::name_parts(name);
  asked.board.clear();
  asked.memory.clear();
  for (OutOfScope& gpu : list_out_of_scope()) {
    if (profile_detail::name_parts(gpu.name) == asked) return std::move(gpu);
  }
  return std::nullopt;
}

}  // namespace gpusim
