#include "validate/step_ladder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace gpusim::validate {
namespace {

/// Figures are given to about so much.
constexpr double same_figure = 1e-3;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

bool same_types(const MeasuredStep& row, const LadderStep& step) {
  return row.input == step.problem.dtype && row.accumulate == step.problem.accumulate;
}

bool has_figure(const MeasuredStep& row, const LadderStep& step) {
  return std::any_of(step.figures.begin(), step.figures.end(), [&](const LadderFigure& figure) {
    return figure.m == row.m && figure.n == row.n && figure.k == row.k && figure.source == row.source &&
           std::abs(figure.gflops / row.gflops - 1) < same_figure;
  });
}

bool has_name(const MeasuredStep& row, const Ladder& ladder, const LadderStep& step) {
  return repository_of(ladder.source) == repository_of(row.source) && same_types(row, step) &&
         (step.title == row.kernel_name || step.name == row.step);
}

/// The first run of digits and x, of two sizes or three, that no letter stands before.
std::string first_sizes(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_letter(text[i - 1]) || is_digit(text[i - 1]) || text[i - 1] == '/')))
      continue;
    std::size_t end = i;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == 'x' && end + 1 < text.size() && is_digit(text[end + 1]))))
      ++end;
    const std::string_view sizes = text.substr(i, end - i);
    if (sizes.find('x') != std::string_view::npos) return std::string(sizes);
  }
  return "";
}

/// The number behind a word: 128 of "BM128".
std::string number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return "";
  std::size_t end = at + word.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  return std::string(text.substr(at + word.size(), end - at - word.size()));
}

}  // namespace

std::string_view repository_of(std::string_view source) { return source.substr(0, source.find(':')); }

StepOfLadder find_step(const MeasuredStep& row, const std::vector<Ladder>& ladders) {
  StepOfLadder named;
  for (const Ladder& ladder : ladders)
    for (const LadderStep& step : ladder.steps) {
      if (has_figure(row, step)) return {&ladder, &step};
      if (named.step == nullptr && has_name(row, ladder, step)) named = {&ladder, &step};
    }
  return named;
}

bool is_of_library(const MeasuredStep& row) {
  std::string name = row.kernel_name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name.find("cublas") != std::string::npos || name.find("cutlass") != std::string::npos;
}

std::string tile_note(std::string_view tile_params) {
  const std::string m = number_behind(tile_params, "BM");
  const std::string n = number_behind(tile_params, "BN");
  const std::string k = number_behind(tile_params, "BK");
  if (!m.empty() && !n.empty()) return "cta_tile=" + m + "x" + n + (k.empty() ? "" : "x" + k);
  const std::string sizes = first_sizes(tile_params);
  return sizes.empty() ? "" : "cta_tile=" + sizes;
}

}  // namespace gpusim::validate
