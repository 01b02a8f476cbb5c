// A JSON text, checked for size, depth and duplicate keys while it is read.
//
// Numbers keep their spelling, so that 1555.2 can become an exact rational.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/problems.h"

namespace gpusim::profile_detail {

inline constexpr std::size_t most_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_levels = 64;
inline constexpr std::size_t most_values = 65'536;

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string text;                 ///< of a string, its characters; of a number or boolean, its spelling
  std::vector<JsonValue> items;     ///< of an array
  std::vector<JsonMember> members;  ///< of an object, in the file's order, no key twice

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  /// The member called `key` of an object, or nullptr.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// "an object", "a number": what a value is, in an error.
[[nodiscard]] std::string_view kind_name(JsonValue::Kind kind);

/// `key` as a part of a JSON pointer, with its slash.
[[nodiscard]] std::string pointer_part(std::string_view key);

/// The text as a value; nothing, and a problem under `origin`, when it is not JSON or too much of it. Of an object that
/// has the member `up_to` what follows that is not looked at.
[[nodiscard]] std::optional<JsonValue> read_document(std::string_view text, std::string_view origin, Problems& problems,
                                                     std::optional<std::string_view> up_to = {});

}  // namespace gpusim::profile_detail
