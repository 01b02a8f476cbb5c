// How a row of a table says it was measured.
#include <array>
#include <cmath>
#include <string>

#include "validate/measured_table.h"

namespace gpusim::validate {
namespace {

/// Which of `names` a column says; none where it is missing or empty.
template <std::size_t count>
std::optional<std::size_t> choice(const RowFields& fields, std::string_view column,
                                  const std::array<std::string_view, count>& names) {
  const std::string text = fields.text(column);
  if (text.empty()) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    if (text == names[i]) return i;
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  refuse_column(column, in_quotes(text) + " is none of " + list + did_you_mean(text, names));
}

}  // namespace

MeasuredConditions conditions_of(const RowFields& fields) {
  constexpr std::array<std::string_view, 3> gaps{"trace", "stream", "graph"};
  constexpr std::array<std::string_view, 2> states{"cold", "warm"};
  constexpr std::array<std::string_view, 2> values{"random", "zeros"};
  MeasuredConditions conditions;
  constexpr std::string_view clock = "measured_mhz";
  if (!fields.text(clock).empty()) {
    const double mhz = fields.positive(clock);
    if (mhz < 1 || mhz > static_cast<double>(fastest_mhz))
      refuse_column(clock, in_quotes(fields.text(clock)) + " is not between 1 and " + std::to_string(fastest_mhz));
    conditions.clock_mhz = std::llround(mhz);
  }
  if (const auto gap = choice(fields, "launch", gaps)) conditions.gap = static_cast<Gap>(*gap);
  if (const auto state = choice(fields, "l2", states)) conditions.l2 = *state == 0 ? L2State::cold : L2State::warm;
  if (const auto data = choice(fields, "data", values)) conditions.data = static_cast<OperandData>(*data);
  return conditions;
}

}  // namespace gpusim::validate
