#include "profile/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <utility>

#include "binary_units.h"

namespace gpusim::profile_detail {
namespace {

constexpr std::string_view unlimited_word = "unlimited";
constexpr std::size_t most_decimals = 6;

/// A fraction in lowest terms; the denominator is positive.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "12", "0.25": digits, and up to six more after a point.
std::optional<Fraction> decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::int64_t denominator = 1;
  if (point < text.size()) {
    const std::string_view decimals = text.substr(point + 1);
    if (digits.empty() || decimals.empty() || decimals.size() > most_decimals || decimals.front() == '-') {
      return std::nullopt;
    }
    digits += decimals;
    for (std::size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
  }
  const auto numerator = integer(digits);
  if (!numerator || *numerator < 0) return std::nullopt;
  const std::int64_t divisor = std::gcd(*numerator, denominator);
  return Fraction{*numerator / divisor, denominator / divisor};
}

std::optional<Fraction> ratio(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return decimal(text);
  const auto numerator = integer(text.substr(0, slash));
  const auto denominator = integer(text.substr(slash + 1));
  if (!numerator || !denominator || *numerator <= 0 || *denominator <= 0) return std::nullopt;
  const std::int64_t divisor = std::gcd(*numerator, *denominator);
  return Fraction{*numerator / divisor, *denominator / divisor};
}

/// "72MiB", "5.5MiB", "4096": a whole number of bytes.
std::optional<std::int64_t> bytes(std::string_view text) {
  int shift = 0;
  for (const BinaryUnit& unit : binary_units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    shift = unit.shift;
    break;
  }
  const auto amount = decimal(text);
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (!amount || amount->numerator < 0 || amount->numerator > most >> shift) return std::nullopt;
  const std::int64_t scaled = amount->numerator << shift;
  if (scaled % amount->denominator != 0) return std::nullopt;
  return scaled / amount->denominator;
}

bool within(const std::optional<std::int64_t>& number, const Field& field) {
  return number && *number >= field.minimum && *number <= field.maximum;
}

/// Exactly, with at most six digits after the point; or nothing.
std::optional<std::string> decimal_text(const Rate& rate) {
  if (rate.period() == 1) return to_text(rate.amount());
  if (rate.amount() > largest_rate_amount) return std::nullopt;
  std::int64_t scale = 10;
  for (std::size_t digits = 1; digits <= most_decimals; ++digits, scale *= 10) {
    if (scale % rate.period() != 0) continue;
    const std::int64_t scaled = rate.amount() * (scale / rate.period());
    std::string decimals = to_text(scaled % scale);
    decimals.insert(0, digits - decimals.size(), '0');
    return to_text(scaled / scale) + "." + decimals;
  }
  return std::nullopt;
}

}  // namespace

std::string to_text(std::int64_t value) { return std::to_string(value); }
std::string to_text(Cycles value) { return std::to_string(value.count()); }

std::string to_text(Bytes value) {
  for (const BinaryUnit& unit : binary_units) {
    const std::int64_t size = std::int64_t{1} << unit.shift;
    if (value.count() != 0 && value.count() % size == 0) return to_text(value.count() / size) + std::string(unit.name);
  }
  return to_text(value.count());
}

std::string to_text(Rate value) {
  if (value.is_unlimited()) return std::string(unlimited_word);
  return decimal_text(value).value_or(to_text(value.amount()) + "/" + to_text(value.period()));
}

std::string to_text(Limited<std::int64_t> value) {
  return value.is_unlimited() ? std::string(unlimited_word) : to_text(value.value());
}
std::string to_text(Limited<Bytes> value) {
  return value.is_unlimited() ? std::string(unlimited_word) : to_text(value.value());
}

std::string did_you_mean_bytes(std::string_view text, const Field& field) {
  const std::string meant = in_binary_unit(text);
  return within(bytes(meant), field) ? "; did you mean " + in_quotes(meant) + "?" : "";
}

bool from_text(std::string_view text, const Field& field, std::int64_t& value) {
  const auto number = integer(text);
  if (!within(number, field)) return false;
  value = *number;
  return true;
}

bool from_text(std::string_view text, const Field& field, Cycles& value) {
  const auto number = integer(text);
  if (!within(number, field)) return false;
  value = Cycles(*number);
  return true;
}

bool from_text(std::string_view text, const Field& field, Bytes& value) {
  const auto number = bytes(text);
  if (!within(number, field)) return false;
  value = Bytes(*number);
  return true;
}

bool from_text(std::string_view text, const Field&, Rate& value) {
  if (text == unlimited_word) {
    value = Rate::unlimited();
    return true;
  }
  const auto fraction = ratio(text);
  if (!fraction || fraction->numerator <= 0 || fraction->numerator > largest_rate_amount) return false;
  if (fraction->denominator > largest_rate_period) return false;
  value = Rate::ratio(fraction->numerator, fraction->denominator);
  return true;
}

bool from_text(std::string_view text, const Field& field, Limited<std::int64_t>& value) {
  std::int64_t number = 0;
  if (text == unlimited_word) {
    value = Limited<std::int64_t>::unlimited();
    return true;
  }
  if (!from_text(text, field, number)) return false;
  value = number;
  return true;
}

bool from_text(std::string_view text, const Field& field, Limited<Bytes>& value) {
  Bytes number;
  if (text == unlimited_word) {
    value = Limited<Bytes>::unlimited();
    return true;
  }
  if (!from_text(text, field, number)) return false;
  value = number;
  return true;
}

}  // namespace gpusim::profile_detail
