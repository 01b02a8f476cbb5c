// Values of a profile as text, the same in JSON, in --set and in listings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/kinds.h"
#include "profile/problems.h"

namespace gpusim::profile_detail {

// To text -------------------------------------------------------------------------------------------------------------

[[nodiscard]] std::string to_text(std::int64_t value);
[[nodiscard]] std::string to_text(Cycles value);
/// In the largest binary unit that leaves an integer: "72MiB".
[[nodiscard]] std::string to_text(Bytes value);
/// "64", "1555.2", "1/48", "unlimited".
[[nodiscard]] std::string to_text(Rate value);
[[nodiscard]] std::string to_text(Limited<std::int64_t> value);
[[nodiscard]] std::string to_text(Limited<Bytes> value);
template <Word T>
[[nodiscard]] std::string to_text(T value) {
  return std::string(words(T{})[static_cast<std::size_t>(value)]);
}

// From text -----------------------------------------------------------------------------------------------------------

/// Reads `text` into `value`; false when it is no such value or outside the field's bounds (then `value` is unchanged).
[[nodiscard]] bool from_text(std::string_view text, const Field& field, std::int64_t& value);
[[nodiscard]] bool from_text(std::string_view text, const Field& field, Cycles& value);
[[nodiscard]] bool from_text(std::string_view text, const Field& field, Bytes& value);
[[nodiscard]] bool from_text(std::string_view text, const Field& field, Rate& value);
[[nodiscard]] bool from_text(std::string_view text, const Field& field, Limited<std::int64_t>& value);
[[nodiscard]] bool from_text(std::string_view text, const Field& field, Limited<Bytes>& value);
template <Word T>
[[nodiscard]] bool from_text(std::string_view text, const Field&, T& value) {
  const auto all = words(T{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != text) continue;
    value = static_cast<T>(i);
    return true;
  }
  return false;
}

/// "; did you mean \"6MiB\"?" for "6MB", "6 mib" or "6M", where the field may be that; else "".
[[nodiscard]] std::string did_you_mean_bytes(std::string_view text, const Field& field);

// What is expected ----------------------------------------------------------------------------------------------------

/// Numerator and denominator of a rate, in lowest terms, are at most these.
inline constexpr std::int64_t largest_rate_amount = 1'000'000'000;
inline constexpr std::int64_t largest_rate_period = 1'000'000;

template <class T>
inline constexpr bool may_be_unlimited =
    std::same_as<T, Rate> || std::same_as<T, Limited<std::int64_t>> || std::same_as<T, Limited<Bytes>>;
template <class T>
inline constexpr bool counts_bytes = std::same_as<T, Bytes> || std::same_as<T, Limited<Bytes>>;
/// Whether a JSON string can be such a value: "72MiB", "1/4", "unlimited".
template <class T>
inline constexpr bool has_text_form = may_be_unlimited<T> || counts_bytes<T>;

/// "an integer from 0 to 100000", "one of scoreboard, serial": what a member takes, for errors.
template <class T>
[[nodiscard]] std::string expectation(const Field& field) {
  if constexpr (Word<T>) {
    return "one of " + comma_separated(words(T{}));
  } else if constexpr (std::same_as<T, Rate>) {
    return "a rate above 0 and at most " + to_text(largest_rate_amount) +
           ": an integer, a decimal of up to 6 digits after the point, \"1/4\" or \"unlimited\"";
  } else {
    return (counts_bytes<T> ? "bytes (an integer, or text like \"72MiB\") from " : "an integer from ") +
           to_text(field.minimum) + " to " + to_text(field.maximum) + (may_be_unlimited<T> ? ", or \"unlimited\"" : "");
  }
}

}  // namespace gpusim::profile_detail
