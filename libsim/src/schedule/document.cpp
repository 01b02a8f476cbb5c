#include "schedule/document.h"

#include <algorithm>
#include <set>

#include "schedule/format.h"

namespace gpusim::schedule {
namespace {

/// Whether brackets nest deeper than `most` anywhere; looks at brackets outside strings only, valid JSON or not.
bool deeper_than(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char symbol = text[i];
    if (in_string) {
      if (symbol == '\\') ++i;
      if (symbol == '"') in_string = false;
    } else if (symbol == '"') {
      in_string = true;
    } else if (symbol == '{' || symbol == '[') {
      if (++depth > most) return true;
    } else if ((symbol == '}' || symbol == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// Sees each key as it is read, and remembers those of all open objects.
class DuplicateFinder {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      open_.resize(std::max(open_.size(), level + 2));
      open_[level + 1].clear();
    } else if (event == Json::parse_event_t::key && duplicate_.empty()) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_[level].insert(key).second) duplicate_ = key;
    }
    return true;
  }
  [[nodiscard]] const std::string& duplicate() const { return duplicate_; }

 private:
  std::vector<std::set<std::string>> open_;  ///< by depth
  std::string duplicate_;
};

/// "parse error at line 3, column 5" out of nlohmann's message.
std::string short_message(std::string_view what) {
  constexpr std::size_t longest = 120;
  const std::size_t begin = std::min(what.size(), what.find("] ") + 2);
  what.remove_prefix(begin);
  return std::string(what.substr(0, std::min(what.find(": "), longest)));
}

}  // namespace

std::string pointer_part(std::string_view key) {
  constexpr std::size_t longest = 64;
  std::string part = "/";
  for (const char symbol : key.substr(0, longest)) {
    if (symbol == '~')
      part += "~0";
    else if (symbol == '/')
      part += "~1";
    else
      part += symbol;
  }
  return key.size() > longest ? part + "..." : part;
}

std::optional<Json> read_document(std::string_view text, std::string_view origin, std::vector<Problem>& problems) {
  const auto refuse = [&](const std::string& what) {
    problems.push_back({std::string(origin), what});
    return std::nullopt;
  };
  if (text.size() > most_bytes)
    return refuse("a schedule file has at most " + std::to_string(most_bytes >> 20) + " MiB, not " +
                  std::to_string(text.size()) + " bytes");
  if (deeper_than(text, most_levels))
    return refuse("it is nested more than " + std::to_string(most_levels) + " levels deep");
  DuplicateFinder duplicates;
  try {
    Json document = Json::parse(text, std::ref(duplicates));
    if (!duplicates.duplicate().empty())
      return refuse("the key '" + pointer_part(duplicates.duplicate()).substr(1) + "' is given twice in one object");
    if (!document.is_object()) return refuse("a schedule is a JSON object");
    return document;
  } catch (const Json::parse_error& error) {
    return refuse("it is not JSON: " + short_message(error.what()));
  }
}

}  // namespace gpusim::schedule
