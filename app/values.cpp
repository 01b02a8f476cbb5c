#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "errors.h"
#include "gpusim/units.h"

namespace app {

namespace {

constexpr std::size_t longest_quote = 40;

/// The user's text as a message may repeat it.
std::string quoted(std::string_view text) {
  if (text.size() <= longest_quote) return fmt::format("'{}'", text);
  return fmt::format("'{}...'", text.substr(0, longest_quote));
}

/// "2500" for "2500MHz", "2500 mhz" or "2.5GHz"; "" for what is no such clock.
std::string in_mhz(std::string_view text) {
  constexpr std::size_t longest = 12;
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit(text.substr(std::min(text.find_first_not_of(' ', end), text.size())));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
  Problems ignored;
  const auto number = end <= longest ? real_number(text.substr(0, end), "", ignored) : std::nullopt;
  if (!number || (unit != "mhz" && unit != "ghz")) return "";
  const double mhz = unit == "ghz" ? *number * 1000 : *number;
  if (mhz < 1 || mhz > static_cast<double>(gpusim::fastest_mhz)) return "";
  return fmt::format("{}", std::llround(mhz));
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text, std::string_view where, Range range,
                                         Problems& problems) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool complete = end == text.data() + text.size() && !text.empty();
  std::string what;
  if (error == std::errc::invalid_argument || !complete) {
    what = fmt::format("{} is not a whole number", quoted(text));
  } else if (error == std::errc::result_out_of_range || number < range.minimum || number > range.maximum) {
    what = fmt::format("{} is not between {} and {}", quoted(text), range.minimum, range.maximum);
  } else {
    return number;
  }
  problems.push_back({std::string(where), what});
  return std::nullopt;
}

std::optional<double> real_number(std::string_view text, std::string_view where, Problems& problems) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number)) return number;
  problems.push_back({std::string(where), fmt::format("{} is not a finite number", quoted(text))});
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void refuse_choice(std::string_view text, std::string_view near, std::string_view where, std::string_view kind,
                   const std::vector<std::string>& choices, Problems& problems) {
  problems.push_back({std::string(where), fmt::format("unknown {} {}{} (there are {})", kind, quoted(text),
                                                      did_you_mean(near), joined(choices))});
}

void refuse_choice(std::string_view text, std::string_view where, std::string_view kind,
                   const std::vector<std::string>& choices, Problems& problems) {
  const std::vector<std::string_view> views(choices.begin(), choices.end());
  refuse_choice(text, gpusim::nearest(text, views), where, kind, choices, problems);
}

void refuse_clock(std::string_view text, const std::vector<std::string>& choices, Problems& problems) {
  const std::string mhz = in_mhz(text);
  if (!mhz.empty()) return refuse_choice(text, mhz, "--clock", "clock", choices, problems);
  refuse_choice(text, "--clock", "clock", choices, problems);
}

}  // namespace app
