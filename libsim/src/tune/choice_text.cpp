// A choice for people, and as a table.
#include <algorithm>

#include "gpusim/tune.h"
#include "tune/us_text.h"
#include "validate/csv.h"

namespace gpusim {
namespace {

using Row = std::vector<std::string>;

/// Of a piece with a ~, as it is scaled.
std::string simulated_text(const GemmTrial& trial) {
  if (!trial.simulated_us) return "-";
  return (trial.piece ? "~" : "") + tune::us_number(*trial.simulated_us);
}

bool has_clocks(const GemmChoice& choice) {
  return std::any_of(choice.trials.begin(), choice.trials.end(),
                     [](const GemmTrial& trial) { return trial.clock_mhz.has_value(); });
}

/// Whether one of the first `most` is of two kernels: slices, and their sum.
bool has_slices(const GemmChoice& choice, std::size_t most) {
  const auto end = choice.trials.begin() + static_cast<std::ptrdiff_t>(std::min(most, choice.trials.size()));
  return std::any_of(choice.trials.begin(), end, [](const GemmTrial& trial) {
    return trial.tiling.split_k > 1 && trial.tiling.reduction == schedules::SplitReduction::kernel;
  });
}

std::string piece_text(const GemmPiece& piece) {
  std::string text = std::to_string(piece.m) + "x" + std::to_string(piece.n);
  if (piece.batch > 1) text += " x " + std::to_string(piece.batch);
  text += ", k " + std::to_string(piece.k_short);
  if (piece.k_long > piece.k_short) text += " and " + std::to_string(piece.k_long);
  return text;
}

/// Which times are of a piece.
std::string pieces_text(const std::vector<GemmTrial>& trials) {
  const auto has_piece = [](const GemmTrial& each) { return each.piece && each.simulated_us; };
  const auto first = std::find_if(trials.begin(), trials.end(), has_piece);
  if (first == trials.end()) return "";
  return "  ~: of a piece (the first one's: " + piece_text(*first->piece) +
         "), scaled to the whole by the quick model\n";
}

/// Numbers to the right, what was tried to the left.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) text += std::string(widths[i] - row[i].size() + 2, ' ') + row[i];
    text += "  " + row.back() + "\n";
  }
  return text;
}

}  // namespace

std::string choice_text(const GemmChoice& choice, std::size_t most) {
  std::string text = "Choice\n  " + choice.reason + "\n";
  text += pieces_text(choice.trials);
  const bool by_power = has_clocks(choice);
  if (by_power) text += "  each at the clock that power leaves it\n";
  if (has_slices(choice, most)) text += "  slices of k: two kernels, with the launch between them\n";
  Row header{"rank", "quick us", "simulated us", "schedule"};
  if (by_power) header.insert(header.end() - 1, "MHz");
  std::vector<Row> rows{header};
  for (std::size_t i = 0; i < std::min(most, choice.trials.size()); ++i) {
    const GemmTrial& trial = choice.trials[i];
    rows.push_back(
        {std::to_string(i + 1), tune::us_number(trial.quick_us), simulated_text(trial), summary(trial.tiling)});
    if (by_power) rows.back().insert(rows.back().end() - 1, trial.clock_mhz ? std::to_string(*trial.clock_mhz) : "-");
  }
  text += aligned(rows);
  if (choice.trials.size() > most) text += "  and " + std::to_string(choice.trials.size() - most) + " more\n";
  return text;
}

std::string choice_csv(const GemmChoice& choice) {
  std::vector<std::string> keys;
  for (const GemmTrial& trial : choice.trials)
    for (const auto& [key, value] : trial.choices)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  const bool by_power = has_clocks(choice);
  Row header{"rank", "summary", "quick_us", "simulated_us"};
  if (by_power) header.emplace_back("clock_mhz");
  header.insert(header.end(), keys.begin(), keys.end());
  std::string text = validate::csv_line(header);
  for (std::size_t i = 0; i < choice.trials.size(); ++i) {
    const GemmTrial& trial = choice.trials[i];
    Row row{std::to_string(i + 1), summary(trial.tiling), tune::us_number(trial.quick_us),
            trial.simulated_us ? tune::us_number(*trial.simulated_us) : ""};
    if (by_power) row.push_back(trial.clock_mhz ? std::to_string(*trial.clock_mhz) : "");
    for (const std::string& key : keys) {
      const auto found =
          std::find_if(trial.choices.begin(), trial.choices.end(), [&](const auto& each) { return each.first == key; });
      row.push_back(found == trial.choices.end() ? "" : found->second);
    }
    text += validate::csv_line(row);
  }
  return text;
}

}  // namespace gpusim
