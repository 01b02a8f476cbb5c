// Schedules from JSON, by their lists of fields.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "gpusim/schedule_io.h"
#include "schedule/document.h"
#include "schedule/fields.h"
#include "schedule/format.h"
#include "schedule/layout_text.h"
#include "schedule/words.h"

namespace gpusim {
namespace {

using schedule::Json;
using schedule::pointer_part;
using Keys = std::vector<std::string_view>;

/// As much of a word as belongs into a message.
constexpr std::size_t longest_word = 64;

std::string choices_text(const Keys& words) {
  std::string text;
  for (const std::string_view word : words)
    text += (text.empty() ? "" : ", ") + std::string(word.substr(0, longest_word));
  return text;
}

template <class T>
Keys keys_of() {
  Keys keys;
  schedule::for_each_field<T>([&](const auto& member) { keys.push_back(member.key); });
  return keys;
}

class Reader {
 public:
  Reader(std::string_view origin, std::vector<Problem>& problems) : origin_(origin), problems_(problems) {}

  Schedule read(const Json& json) {
    Schedule schedule;
    names_from_ = &schedule;
    if (is_profile(json)) {
      refuse("", "is a GPU's profile, not a schedule");
      return schedule;
    }
    Keys known = keys_of<Schedule>();
    known.emplace_back("schema_version");
    refuse_others(json, "", known);
    read_fields(json, "", schedule);
    const auto version = json.find("schema_version");
    if (version == json.end() || *version != Json(schedule::schema_version))
      refuse("/schema_version",
             "this version of gpusim reads schema_version " + std::to_string(schedule::schema_version));
    return schedule;
  }

 private:
  /// Each of whose keys would be a problem.
  static bool is_profile(const Json& json) {
    return !json.contains("roles") && (json.contains("base") || (json.contains("title") && json.contains("sm")));
  }

  /// Whether `json` is an object; its keys beyond `known` are refused.
  bool refuse_others(const Json& json, const std::string& where, const Keys& known) {
    if (!json.is_object()) {
      refuse(where, "an object is expected here");
      return false;
    }
    for (const auto& [key, ignored] : json.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string_view meant = key.size() > longest_word ? "" : nearest(key, known);
      refuse(where + pointer_part(key),
             "there is no such key here" + (meant.empty() ? "" : "; did you mean '" + std::string(meant) + "'?"));
    }
    return true;
  }

  template <class T>
  void read_fields(const Json& json, const std::string& where, T& value) {
    schedule::for_each_field<T>([&](const auto& member) {
      const auto found = json.find(member.key);
      const std::string place = where + pointer_part(member.key);
      if (found != json.end())
        read_value(*found, place, value.*member.pointer);
      else if (member.required)
        refuse(place, "it is missing");
    });
  }

  template <class T>
  requires std::is_integral_v<T>
  void read_value(const Json& json, const std::string& where, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return refuse(where, "true or false is expected here");
      value = json.get<bool>();
    } else {
      const bool too_large = json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{1} << 62;
      if (!json.is_number_integer() || too_large) return refuse(where, "a whole number is expected here");
      const auto number = json.get<std::int64_t>();
      if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max())
        return refuse(where, std::to_string(number) + " is too large");
      value = static_cast<T>(number);
    }
  }
  void read_value(const Json& json, const std::string& where, double& value) {
    if (!json.is_number()) return refuse(where, "a number is expected here");
    value = json.get<double>();
  }
  void read_value(const Json& json, const std::string& where, Bytes& value) {
    std::int64_t count = 0;
    read_value(json, where, count);
    value = Bytes(count);
  }
  void read_value(const Json& json, const std::string& where, std::string& value) {
    if (!json.is_string()) return refuse(where, "a text is expected here");
    value = json.get<std::string>();
  }
  void read_value(const Json& json, const std::string& where, Layout& value) {
    if (json.is_number_integer()) {
      std::int64_t offset = 0;
      read_value(json, where, offset);
      value = Layout(offset);
      return;
    }
    const auto layout =
        json.is_string() ? schedule::layout_from_text(json.get_ref<const std::string&>()) : std::nullopt;
    if (!layout)
      return refuse(where, "a number or a layout such as '128*block_m + lane/4 + 8*(repeat%2)' is expected here");
    value = *layout;
  }
  template <schedule::HasWords Enum>
  void read_value(const Json& json, const std::string& where, Enum& value) {
    Keys words;
    for (const auto& [word, meant] : schedule::WordsOf<Enum>::list) {
      if (json.is_string() && json.get_ref<const std::string&>() == word) {
        value = meant;
        return;
      }
      words.push_back(word);
    }
    refuse(where, "one of " + choices_text(words) + " is expected here");
  }

  void read_value(const Json& json, const std::string& where, BufferId& id) {
    id = BufferId(index_of(json, where, names_from_->buffers, "buffer"));
  }
  void read_value(const Json& json, const std::string& where, TileId& id) {
    id = TileId(index_of(json, where, names_from_->shared_tiles, "shared tile"));
  }
  void read_value(const Json& json, const std::string& where, BarrierId& id) {
    id = BarrierId(index_of(json, where, names_from_->barriers, "barrier"));
  }
  void read_value(const Json& json, const std::string& where, Token& token) {
    token = Token(index_of(json, where, *tokens_, "token"));
  }
  /// A fragment is a name, an access an object.
  void read_value(const Json& json, const std::string& where, std::variant<SharedAccess, Token>& operand) {
    if (json.is_string())
      read_value(json, where, operand.emplace<Token>());
    else
      read_value(json, where, operand.emplace<SharedAccess>());
  }
  template <class Things>
  std::int64_t index_of(const Json& json, const std::string& where, const Things& things, const std::string& kind) {
    Keys names;
    for (const auto& thing : things) names.push_back(name_of(thing));
    if (json.is_string()) {
      const auto found = std::find(names.begin(), names.end(), json.get_ref<const std::string&>());
      if (found != names.end()) return found - names.begin();
    }
    refuse(where, "the name of a " + kind + " is expected here" +
                      (names.empty() || names.size() > 16 ? "" : ": " + choices_text(names)));
    return 0;
  }
  static std::string_view name_of(const std::string& text) { return text; }
  template <class Thing>
  static std::string_view name_of(const Thing& thing) {
    return thing.name;
  }

  template <class T>
  void read_value(const Json& json, const std::string& where, std::optional<T>& value) {
    read_value(json, where, value.emplace());
  }
  template <class T>
  void read_value(const Json& json, const std::string& where, std::vector<T>& values) {
    if (!json.is_array()) return refuse(where, "a list is expected here");
    for (std::size_t i = 0; i < json.size(); ++i)
      read_value(json[i], where + "/" + std::to_string(i), values.emplace_back());
  }
  void read_value(const Json& json, const std::string& where, std::pair<std::string, std::string>& choice) {
    const bool sound = json.is_object() && json.size() == 2 && json.contains("name") && json.contains("value");
    if (!sound) return refuse(where, "an object with name and value is expected here");
    read_value(json["name"], where + "/name", choice.first);
    read_value(json["value"], where + "/value", choice.second);
  }
  template <schedule::HasFields T>
  void read_value(const Json& json, const std::string& where, T& value) {
    if constexpr (std::is_same_v<T, Program>) tokens_ = &value.tokens;
    if (refuse_others(json, where, keys_of<T>())) read_fields(json, where, value);
  }

  void read_value(const Json& json, const std::string& where, Statement& statement) {
    if (json.is_object() && json.contains("body")) {
      read_value(json, where, statement.emplace<Loop>());
      return;
    }
    const auto word = json.is_object() ? json.find("operation") : json.end();
    if (!json.is_object() || word == json.end())
      return refuse(where,
                    "an operation (with the key 'operation') or a loop (with 'trips' and 'body') is expected here");
    auto& operation = statement.emplace<Operation>();
    Keys actions;
    if (!read_action<0>(json, where, *word, operation, actions))
      refuse(where + "/operation", "one of " + choices_text(actions) + " is expected here");
  }

  /// Tries the alternatives of Action from the I-th on; collects their names on the way.
  template <std::size_t I>
  bool read_action(const Json& json, const std::string& where, const Json& word, Operation& operation, Keys& actions) {
    if constexpr (I == std::variant_size_v<Action>) {
      return false;
    } else {
      using One = std::variant_alternative_t<I, Action>;
      actions.push_back(schedule::FieldsOf<One>::name);
      if (word != Json(std::string(schedule::FieldsOf<One>::name)))
        return read_action<I + 1>(json, where, word, operation, actions);
      Keys known = keys_of<One>();
      for (const std::string_view key : keys_of<Operation>()) known.push_back(key);
      known.emplace_back("operation");
      refuse_others(json, where, known);
      read_fields(json, where, operation.action.emplace<I>());
      read_fields(json, where, operation);
      return true;
    }
  }

  void refuse(const std::string& where, const std::string& what) {
    if (problems_.size() < schedule::most_problems) problems_.push_back({std::string(origin_) + "#" + where, what});
  }

  std::string_view origin_;
  std::vector<Problem>& problems_;
  const Schedule* names_from_ = nullptr;
  const std::vector<std::string>* tokens_ = nullptr;  ///< of the program being read
};

}  // namespace

Schedule parse_schedule(std::string_view text, std::string_view origin) {
  std::vector<Problem> problems;
  const auto document = schedule::read_document(text, origin, problems);
  Schedule schedule;
  if (document && document->contains("profile_digest"))
    problems.push_back({std::string(origin), "is a result of a run; a schedule is what 'schedule save' writes"});
  else if (document)
    schedule = Reader(origin, problems).read(*document);
  if (problems.empty())
    for (Problem& problem : check(schedule)) {
      if (problems.size() == schedule::most_problems) break;
      problems.push_back({std::string(origin) + "#" + problem.where, std::move(problem.what)});
    }
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return schedule;
}

}  // namespace gpusim
