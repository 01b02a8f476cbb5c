// Profiles to JSON: one line a number.
#include <nlohmann/json.hpp>
#include <string>

#include "gpusim/profile_io.h"
#include "profile/provenance.h"
#include "profile/value_text.h"
#include "profile/walk.h"

namespace gpusim {
namespace profile_detail {
namespace {

std::string json_string(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(const Profile& profile) : profile_(profile) {}

  std::string take() && { return std::move(text_); }

  void text_member(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    text_ += json_string(value);
  }

  void list_member(std::string_view key, const std::vector<std::string>& values) {
    begin(key);
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const std::string& value : values) texts.push_back(json_string(value));
    text_ += '[';
    text_ += comma_separated(texts);
    text_ += ']';
  }

  void open(char bracket) {
    text_ += bracket;
    indent_ += 2;
    first_ = true;
  }
  void close(char bracket) {
    indent_ -= 2;
    if (!first_) new_line();
    first_ = false;
    text_ += bracket;
  }

  template <class GroupType>
  void members(const GroupType& group, const std::string& parent) {
    GroupType::fields([&](const Field& field, auto pointer) {
      begin(field.key);
      write(group.*pointer, dotted(parent, field.key));
    });
  }

 private:
  void new_line() { text_.append(1, '\n').append(indent_, ' '); }

  /// Begins a member of an object, or with no key an item of an array.
  void begin(std::string_view key) {
    if (!first_) text_ += ',';
    first_ = false;
    new_line();
    if (!key.empty()) text_ += json_string(key) + ": ";
  }

  template <class T>
  void write(const T& value, const std::string& key) {
    if constexpr (Number<T>) {
      number(to_text(value), key);
    } else if constexpr (std::same_as<T, bool>) {
      text_ += to_text(value);
    } else if constexpr (Word<T>) {
      text_ += json_string(to_text(value));
    } else if constexpr (Group<T>) {
      open('{');
      members(value, key);
      close('}');
    } else if constexpr (OptionalGroup<T>) {
      if (value.has_value()) {
        write(*value, key);
      } else {
        text_ += "null";
      }
    } else {
      static_assert(GroupList<T>);
      open('[');
      for (std::size_t i = 0; i < value.size(); ++i) {
        begin("");
        write(value[i], dotted(key, std::to_string(i)));
      }
      close(']');
    }
  }

  void number(const std::string& value, const std::string& key) {
    const bool is_plain = value.find_first_not_of("0123456789.-") == std::string::npos;
    const Provenance provenance = provenance_of(profile_, key);
    text_ += "{\"value\": " + (is_plain ? value : json_string(value)) +
             ", \"method\": " + json_string(to_text(provenance.method)) +
             ", \"source\": " + json_string(provenance.source) + "}";
  }

  const Profile& profile_;
  std::string text_;
  std::size_t indent_ = 0;
  bool first_ = true;
};

}  // namespace
}  // namespace profile_detail

std::string to_json(const Profile& profile) {
  profile_detail::Writer writer(profile);
  writer.open('{');
  writer.text_member("name", profile.name);
  writer.text_member("title", profile.title);
  writer.text_member("architecture", profile.architecture);
  writer.text_member("compute_capability", profile.compute_capability);
  writer.list_member("aliases", profile.aliases);
  writer.members(profile, "");
  writer.close('}');
  return std::move(writer).take() + "\n";
}

}  // namespace gpusim
