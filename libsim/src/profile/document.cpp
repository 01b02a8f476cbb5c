#include "profile/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace gpusim::profile_detail {
namespace {

using Json = nlohmann::json;
using Kind = JsonValue::Kind;

/// Builds a JsonValue from nlohmann's events; each handler returns whether to go on.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view origin, Problems& problems, std::optional<std::string_view> up_to)
      : origin_(origin), problems_(problems), up_to_(up_to) {}

  /// Whether all that was asked for has been read.
  [[nodiscard]] bool is_done() const { return done_; }
  JsonValue take() { return std::move(root_); }

  bool null() override { return place({Kind::null, "null", {}, {}}); }
  bool boolean(bool value) override { return place({Kind::boolean, value ? "true" : "false", {}, {}}); }
  bool number_integer(number_integer_t value) override { return place({Kind::number, std::to_string(value), {}, {}}); }
  bool number_unsigned(number_unsigned_t value) override {
    return place({Kind::number, std::to_string(value), {}, {}});
  }
  bool number_float(number_float_t, const string_t& spelling) override {
    return place({Kind::number, spelling, {}, {}});
  }
  bool string(string_t& value) override { return place({Kind::string, std::move(value), {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    auto& members = open_.back()->members;
    done_ = open_.size() == 1 && !members.empty() && members.back().key == up_to_;
    if (done_) return false;
    const bool twice = std::any_of(members.begin(), members.end(), [&](const auto& other) { return other.key == key; });
    if (twice) return refuse(in_quotes(key) + " is given twice in one object");
    if (members.size() == most_members)
      return refuse("has an object of more than " + std::to_string(most_members) + " keys");
    members.push_back({std::move(key), {}});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ...": the middle is enough.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    constexpr std::size_t longest = 120;  // it may quote a number of any length
    return refuse("is not JSON: " + std::string(what.substr(0, std::min(what.find(": "), longest))));
  }

 private:
  // Searching an object for its key is linear; profiles have a dozen.
  static constexpr std::size_t most_members = 1024;

  bool refuse(std::string what) {
    problems_.add(std::string(origin_) + "#", std::move(what));
    return false;
  }

  /// Where the next value goes: the root, the last key of an object, the end of an array.
  bool place(JsonValue value) {
    if (++values_ > most_values) return refuse("has more than " + std::to_string(most_values) + " values");
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else if (open_.back()->is(Kind::object)) {
      last_ = &(open_.back()->members.back().value = std::move(value));
    } else {
      last_ = &open_.back()->items.emplace_back(std::move(value));
    }
    return true;
  }

  bool open(Kind kind) {
    if (open_.size() == most_levels) {
      return refuse("is nested more than " + std::to_string(most_levels) + " levels deep");
    }
    if (!place({kind, {}, {}, {}})) return false;
    open_.push_back(last_);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view origin_;
  Problems& problems_;
  std::optional<std::string_view> up_to_;
  bool done_ = false;
  JsonValue root_;
  JsonValue* last_ = nullptr;
  std::vector<JsonValue*> open_;  // from the root inwards; only the innermost grows, so the pointers hold
  std::size_t values_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      break;
  }
  return "an object";
}

std::string pointer_part(std::string_view key) {
  constexpr std::size_t longest = 64;
  std::string part = "/";
  for (const char letter : key.substr(0, longest)) {
    if (letter == '~') {
      part += "~0";
    } else if (letter == '/') {
      part += "~1";
    } else {
      part += letter;
    }
  }
  return key.size() > longest ? part + "..." : part;
}

std::optional<JsonValue> read_document(std::string_view text, std::string_view origin, Problems& problems,
                                       std::optional<std::string_view> up_to) {
  if (text.size() > most_bytes) {
    problems.add(std::string(origin) + "#", "is larger than " + std::to_string(most_bytes >> 20) + " MiB");
    return std::nullopt;
  }
  Builder builder(origin, problems, up_to);
  if (!Json::sax_parse(text.begin(), text.end(), &builder) && !builder.is_done()) return std::nullopt;
  return builder.take();
}

}  // namespace gpusim::profile_detail
