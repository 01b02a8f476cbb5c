// The compared rows, as a table again.
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "gpusim/measured.h"
#include "validate/csv.h"

namespace gpusim::validate {
namespace {

constexpr std::array<std::string_view, 6> added{"simulated_us", "error", "clock_mhz", "schedule", "bound", "refused"};

/// The shortest text that reads back as the same number.
std::string number(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// A table that had been compared before keeps none of its old outcomes.
bool is_own(const std::string& column) { return std::find(added.begin(), added.end(), column) == added.end(); }

}  // namespace

std::string csv(const MeasuredRows& table, const std::vector<std::size_t>& rows,
                const std::vector<RowOutcome>& outcomes) {
  std::vector<std::size_t> own;
  std::vector<std::string> header;
  for (std::size_t i = 0; i < (*table.columns).size(); ++i) {
    if (!is_own((*table.columns)[i])) continue;
    own.push_back(i);
    header.push_back((*table.columns)[i]);
  }
  header.insert(header.end(), added.begin(), added.end());

  std::string text = csv_line(header);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MeasuredRow& row = *table.rows[rows[i]];
    const RowOutcome& outcome = outcomes[i];
    std::vector<std::string> fields;
    fields.reserve(header.size());
    for (const std::size_t column : own) fields.push_back(row.fields[column]);
    const bool simulated = outcome.simulated_us.has_value();
    fields.push_back(simulated ? number(*outcome.simulated_us) : "");
    fields.push_back(simulated ? number(*outcome.simulated_us / row.time_us - 1) : "");
    fields.push_back(simulated ? std::to_string(outcome.clock_mhz) : "");
    fields.insert(fields.end(), {outcome.schedule, outcome.bound, outcome.refused});
    text += csv_line(fields);
  }
  return text;
}

}  // namespace gpusim::validate
